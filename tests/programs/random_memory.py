"""Random programs that write into memory: stores, views, aliases, swaps, helpers that write into their arguments.

All arrays are of `SIZE` elements, or square; what is stored stays bounded however often a loop stores it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from random_programs import SIZE, Writer

HELPERS = '''
S = np.zeros(3)


def scale_(a, s):
    a *= math.cos(s)


def blend_(to, source):
    to[:] = 0.5 * (to + source)


def shift_(a, s):
    for k in range(len(a) - 1, 0, -1):
        a[k] = a[k - 1]
    a[0] = s


def tail_(a):
    return a[1:]


def one_of_(a, b, s):
    return a if s > 0.13 else b
'''
SHORT = ["1:", ":-1", ":2", "::2", "::-2", "-2:", "1::-1"]
REPEATED = ["[0, 2, 0]", "[1, 1, 1]", "[2, 0, 1]", "[-1, 2, 0]", "np.array([1, 0, 1])"]


class MemoryWriter(Writer):
    """Writes programs of which most statements are about memory."""

    least = 5
    tape = 500
    helpers = HELPERS

    def __init__(self, tape: bytes, with_variables: bool) -> None:
        super().__init__(tape, with_variables)
        self.matrices: list[str] = []
        self.groups: list[str] = []
        self.budget = 24
        self.line("s0 = S")
        self.line("s0[:] = u * 0.5")
        self.stores = ["s0", "v"]

    @contextmanager
    def block(self, header: str, loop: bool = False) -> Iterator[None]:
        kept = list(self.matrices), list(self.groups)
        with super().block(header, loop):
            yield
        self.matrices, self.groups = kept

    def statement(self) -> None:
        if self.budget > 0 and self.depth <= 4 and self.pick(4):
            self.budget -= 1
            kinds = [
                self.store_element, self.store_part, self.store_all, self.in_place, self.view, self.view,
                self.matrix, self.store_into_matrix, self.store_into_matrix, self.exchange, self.helper,
                self.group, self.rebind, self.choose, self.store_masked, self.store_repeated, self.function, self.rows,
            ]  # fmt: skip
            kinds[self.pick(len(kinds))]()
        else:
            super().statement()

    # Expressions.

    def bent(self) -> str:
        """A vector between -1 and 1."""
        if self.pick(2):
            return f"np.tanh({self.one_of(self.stores)})"
        return f"np.{self.one_of(['sin', 'tanh', 'cos'])}({self.vector(self.pick(2))})"

    def vector(self, depth: int = 2) -> str:
        if depth == 0 and self.pick(2):
            return self.one_of(self.stores)
        return super().vector(depth)

    def tame(self) -> str:
        """Shorter than in other programs: there is to be room for statements."""
        if self.pick(3):
            return f"math.sin({self.leaf()} * {self.leaf()})"
        return super().tame()

    def target(self) -> str:
        """An array of the function's own, of SIZE elements."""
        if self.pick(5) == 0:
            self.fresh_array()
        return self.one_of(self.stores)

    def fresh_array(self) -> None:
        name = self.new("h")
        self.line(f"{name} = " + self.one_of([f"np.zeros({SIZE})", f"{self.bent()}", "u.copy()",
                                              f"np.full({SIZE}, {self.leaf()})"]))
        self.stores.append(name)

    def place(self) -> str:
        """A row or column of a matrix, as an expression."""
        m = self.one_of(self.matrices)
        k = self.index()
        return self.one_of([f"{m}[{k}]", f"{m}[:, {k}]", f"{m}.T[{k}]", f"{m}[{k}, ::-1]", f"{m}[::-1][{k}]",
                            f"{m}.ravel()[{SIZE}:{2 * SIZE}]", f"{m}.reshape(-1)[:{SIZE}]"])

    # Statements.

    def store_element(self) -> None:
        operator, value = [("=", self.tame()), ("+=", f"0.3 * {self.tame()}"), ("*=", f"math.cos({self.scalar(1)})"),
                           ("-=", f"0.2 * {self.tame()}")][self.pick(4)]
        self.line(f"{self.target()}[{self.index()}] {operator} {value}")

    def store_part(self) -> None:
        name, part, other = self.target(), self.one_of(SHORT), self.one_of(SHORT)
        source = self.one_of(self.stores)
        self.line(self.one_of([
            f"{name}[{part}] = 0.5 * {source}[{other}]", f"{name}[{part}] = {self.bent()}[{other}]",
            f"{name}[{part}] += 0.3 * np.tanh({source}[{other}])", f"{name}[{part}] *= np.cos({source}[{other}])",
            f"tail_({name})[:] = {self.bent()}[{other}]", f"{name}[{part}] = {self.tame()}",
            f"{name}[{part}], {source}[{other}] = {source}[{other}] * 0.5, {name}[{part}] * 0.5"]))

    def store_all(self) -> None:
        name = self.target()
        self.line(self.one_of([f"{name}[:] = {self.bent()}", f"{name}[...] = {name}[::-1]", f"{name}[::-1] = {name}",
                               f"{name}.fill({self.tame()})", f"np.copyto({name}, {self.bent()})",
                               f"np.multiply({self.bent()}, {self.bent()}, out={name})",
                               f"np.sin({name}, out={name})", f"{name}[:] = C @ np.tanh({name})"]))

    def in_place(self) -> None:
        name = self.target()
        self.line(self.one_of([f"{name} += 0.3 * {self.bent()}", f"{name} *= np.cos({self.vector(1)})",
                               f"{name} -= 0.5 * ({name} - {self.bent()})", f"{name} /= 1.0 + {self.leaf()} ** 2",
                               f"{name} += 0.5 * ({name}[::-1] - {name})"]))

    def view(self) -> None:
        source = self.place() if self.matrices and self.pick(3) else self.one_of(self.stores)
        name = self.new("r")
        self.line(f"{name} = {source}{self.one_of(['', '[::-1]', '[:]', '.reshape(3)', '.T'])}")
        self.stores.append(name)

    def choose(self) -> None:
        a, b = self.target(), self.one_of(self.stores)
        name = self.new("r")
        if self.matrices and self.pick(2):
            b = self.place()
        self.line(self.one_of([f"{name} = {a} if {self.condition(0)} else {b}",
                               f"{name} = one_of_({a}, {b}, {self.leaf()})"]))
        self.stores.append(name)

    def matrix(self) -> None:
        name = self.new("m")
        self.line(f"{name} = " + self.one_of(["np.zeros((3, 3))", f"C * {self.leaf()}",
                                              f"np.outer({self.bent()}, {self.bent()})",
                                              "np.full((3, 3), 0.5)", "C.copy()"]))
        self.matrices.append(name)

    def store_into_matrix(self) -> None:
        if not self.matrices:
            self.matrix()
        m, i, j = self.one_of(self.matrices), self.index(), self.index()
        self.line(self.one_of([
            f"{m}[{i}, {j}] = {self.tame()}", f"{m}[{i}][{j}] += 0.3 * {self.tame()}", f"{m}[{i}] = {self.bent()}",
            f"{m}[:, {j}] = {m}[{i}] * 0.5", f"{m}[{i}] = {m}[{j}]", f"{m}.T[{i}] = {self.bent()}",
            f"{m}[[0, 2]] = {m}[[1, 0]]", f"{m}[0], {m}[1] = {m}[1], {m}[0]", f"{m} *= np.cos({self.vector(1)})",
            f"np.fill_diagonal({m}, {self.tame()})", f"{m}[:] = np.tanh({m} @ C)", f"{m}[1:, :-1] = {m}[:-1, 1:]",
            f"{m}[{m} > {self.constant()}] = {self.tame()}", f"{m} += 0.3 * np.tanh({m}.T)",
            f"{m}[[0, 1, 0], [1, 1, 1]] = {self.bent()}", f"{m}.reshape(9)[{self.pick(9)}] = {self.tame()}"]))

    def exchange(self) -> None:
        a, b = self.one_of(self.stores), self.one_of(self.stores)
        if a in ("s0", "v") or b in ("s0", "v"):  # names of arrays that exist already are not bound again
            a, b = self.new("b"), self.new("b")
            self.line(f"{a}, {b} = {self.one_of(self.stores)}, u * 0.5")
            self.stores += [a, b]
        if a == b:
            self.line(f"{a} = {b} * 0.5")
        else:
            self.line(f"{a}, {b} = {b}, {a}")

    def rebind(self) -> None:
        name = self.one_of([n for n in self.stores if n != "s0"])
        self.line(f"{name} = {self.one_of([self.bent(), f'{name} * 0.5', self.one_of(self.stores)])}")

    def helper(self) -> None:
        a, b = self.target(), self.one_of(self.stores)
        self.line(self.one_of([f"scale_({a}, {self.leaf()})", f"blend_({a}, {b})", f"shift_({a}, {self.tame()})",
                               f"scale_(tail_({a}), {self.leaf()})", f"blend_(tail_({a}), {b}[:-1])"]))

    def group(self) -> None:
        """A list or tuple of arrays, of which one is written to."""
        if not self.groups or self.pick(3) == 0:
            name = self.new("rows")
            a, b = self.one_of(self.stores), self.one_of(self.stores)
            self.line(f"{name} = {self.one_of([f'[{a}, {b}]', f'({a}, {b})', f'[{a}, {b} * 0.5]'])}")
            self.groups.append(name)
        name = self.one_of(self.groups)
        k = f"{self.one_of(self.indices)} % 2" if self.indices else str(self.pick(2))
        self.line(self.one_of([f"{name}[{k}][{self.index()}] = {self.tame()}", f"{name}[{k}][:] = {self.bent()}",
                               f"{name}[{self.pick(2)}][1:] += 0.3 * {name}[{k}][:-1]"]))

    def rows(self) -> None:
        """A loop over the rows of a matrix, or over arrays, that writes into them."""
        if not self.matrices:
            self.matrix()
        name = self.new("r")
        source = self.one_of(self.groups) if self.groups and self.pick(2) else self.one_of(self.matrices)
        with self.block(f"for {name} in {source}:", loop=True):
            self.stores.append(name)
            self.line(f"{name}[{self.index()}] = {self.tame()}")
            self.statements(1 + self.pick(2))

    def store_masked(self) -> None:
        name = self.target()
        mask = f"{self.vector(1)} > {self.constant()}"
        self.line(self.one_of([f"{name}[{mask}] = {self.tame()}", f"{name}[{mask}] *= 0.5",
                               f"np.copyto({name}, {self.bent()}, where={mask})"]))

    def store_repeated(self) -> None:
        name, index = self.target(), self.one_of(REPEATED)
        self.line(self.one_of([f"{name}[{index}] = {self.bent()}", f"{name}[{index}] += 0.3 * {self.bent()}",
                               f"np.add.at({name}, {index}, 0.2 * {self.bent()})"]))

    def function(self) -> None:
        """A value that depends on all of an array, into the scalars."""
        name = self.new("a")
        self.line(f"{name} = math.tanh({self.one_of(['np.sum', 'np.max', 'np.mean'])}({self.one_of(self.stores)}))")
        self.scalars.append(name)

    def results(self) -> list[str]:
        rows = [f"np.sum({name} * C[0])" for name in self.stores[:5]]
        return rows + [f"np.sum({m} * C)" for m in self.matrices[:2]]
