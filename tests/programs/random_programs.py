"""Random programs: source text in which every value stays bounded and every loop ends.

A program is written from a *tape* of bytes, each of which decides one choice; an empty tape gives the
simplest program. So hypothesis draws one byte string a program, which is fast, and shrinks it to one.

    x, y        float parameters            w0, w1      scalar Variables of the module
    u, v        vectors of `SIZE` elements  w2          a Variable with `SIZE` elements
"""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import numpy as np
from hypothesis import strategies as st

SIZE = 3
HEADER = '''import math

import numpy as np

import s2s

C = np.array([[0.4, -0.3, 0.2], [0.1, 0.6, -0.5], [-0.2, 0.3, 0.7]])
w0 = s2s.Variable(0.37)
w1 = s2s.Variable(-0.82)
w2 = s2s.Variable(np.array([0.55, -0.21, 0.94]))


def bounded(a, b):
    return a / (1.0 + b * b)


def bent(a, b):
    if a > b:
        return math.sin(a) * 0.5
    t = a * 0.5
    for k in range(2):
        t = t * math.cos(b) + 0.1 * k
    return t


def folded(p, scale=0.3):
    s = 0.0
    for e in p:
        s = math.tanh(s + e * scale)
    return s
'''

# No round numbers: sums of halves of them would meet at ties, where a difference of both sides says nothing.
ARGUMENTS = (0.6317, -0.4739, np.array([0.3119, -0.7433, 0.5849]), np.array([-0.4231, 0.8693, 0.1907]))
_numbers = itertools.count()


class Writer:
    """Writes the body of one function; the names in scope are kept by kind."""

    #: How many statements a function has at least; the bytes that it is written from; what the module has besides.
    least = 2
    tape = 220
    helpers = ""

    def __init__(self, tape: bytes, with_variables: bool) -> None:
        self.bytes = iter(tape)
        self.lines: list[str] = []
        self.depth = 1
        self.scalars = ["x", "y"]
        self.vectors = ["u", "v"]
        self.indices: list[str] = []
        self.stores: list[str] = []
        self.lists: list[str] = []
        self.loops = 0
        self.fresh = itertools.count()
        self.with_variables = with_variables
        #: How many statements may still be compound ones.
        self.budget = 14

    # Choices ---------------------------------------------------------------------------------

    def pick(self, n: int) -> int:
        return next(self.bytes, 0) % n

    def one_of(self, items: list[str]) -> str:
        return items[self.pick(len(items))]

    def constant(self) -> str:
        return f"{(self.pick(190) - 95) / 100 + 0.007:.3f}"

    def new(self, prefix: str) -> str:
        return f"{prefix}{next(self.fresh)}"

    # Expressions -----------------------------------------------------------------------------

    def index(self) -> str:
        if self.indices and self.pick(3):
            name = self.one_of(self.indices)
            return self.one_of([f"{name} % {SIZE}", f"({name} + 1) % {SIZE}", f"-1 - {name} % {SIZE}"])
        return str(self.pick(2 * SIZE) - SIZE)

    def leaf(self) -> str:
        kind = self.pick(10)
        if kind < 4:
            return self.one_of(self.scalars)
        if kind < 6:
            return f"{self.one_of(self.vectors)}[{self.index()}]"
        if kind == 6 and self.with_variables:
            return self.one_of(["w0", "w1", f"w2[{self.index()}]"])
        if kind == 7 and self.indices:
            return f"0.2 * {self.one_of(self.indices)}"
        if kind == 8 and self.lists:
            return f"{self.one_of(self.lists)}[-1]"
        if kind == 9 and self.stores:
            return f"{self.one_of(self.stores)}[{self.index()}]"
        return self.constant()

    def scalar(self, depth: int = 2) -> str:
        if depth == 0:
            return self.leaf()
        kind = self.pick(16)
        a = self.scalar(depth - 1)
        if kind < 3:
            return a
        if kind == 15:
            return self.from_vector()
        if kind in (3, 4):
            return f"{self.one_of(['math.sin', 'math.cos', 'math.tanh', 'np.sin'])}({a})"
        if kind == 5:
            return f"0.5 * ({a})"
        if kind == 6:
            return f"-({a})"
        if kind == 7:
            return f"abs({a})"
        b = self.scalar(depth - 1)
        if kind < 11:
            return f"({a} {self.one_of(['+', '-', '*'])} {b})"
        if kind == 11:
            return f"{self.one_of(['bounded', 'bent'])}({a}, {b})"
        if kind == 12:
            return f"({a}) / (1.0 + ({b}) ** 2)"
        if kind == 13:
            return f"{self.one_of(['max', 'min'])}({a}, {b})"
        return f"({a} if {self.condition(0)} else {b})"

    def from_vector(self) -> str:
        p = self.vector(1)
        kind = self.pick(5)
        if kind == 0:
            return f"0.3 * np.sum({p})"
        if kind == 1:
            return f"np.mean({p} * {self.one_of(self.vectors)})"
        if kind == 2:
            return f"0.3 * ({p} @ {self.one_of(self.vectors)})"
        if kind == 3:
            return f"folded({p})"
        return f"np.sum(({p})[1:]) * 0.4"

    def vector(self, depth: int = 2) -> str:
        if depth == 0:
            leaves = self.vectors + (["w2"] if self.with_variables else [])
            return self.one_of(leaves)
        kind = self.pick(10)
        a = self.vector(depth - 1)
        if kind == 0:
            return a
        if kind < 3:
            return f"{self.one_of(['np.sin', 'np.tanh', 'np.cos'])}({a})"
        if kind == 3:
            return f"({a})[::-1]"
        if kind == 4:
            return f"C @ ({a})"
        if kind == 5:
            return f"({a}) * ({self.scalar(1)})"
        b = self.vector(depth - 1)
        if kind == 6:
            return f"({a} {self.one_of(['+', '-', '*'])} {b})"
        if kind == 7:
            return f"({a}) / (1.0 + ({b}) ** 2)"
        if kind == 8:
            return f"np.where({a} > {b}, {a}, 0.5 * {b})"
        return f"np.maximum({a}, {b})"

    def condition(self, depth: int = 1) -> str:
        simple = f"{self.scalar(depth)} {self.one_of(['>', '<', '>=', '<='])} {self.constant()}"
        kind = self.pick(8)
        if kind == 1:
            return f"{simple} and {self.leaf()} > {self.constant()}"
        if kind == 2:
            return f"{simple} or not {self.leaf()} < {self.constant()}"
        if kind == 3:
            return f"-0.613 < {self.leaf()} < 0.711"
        return simple

    def tame(self) -> str:
        """A scalar that is bounded whatever its operands are, for values that loops carry."""
        e = self.scalar()
        return self.one_of([f"math.sin({e})", f"math.tanh({e})", f"bounded({e}, {e})"])

    # Statements ------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def block(self, header: str, loop: bool = False) -> Iterator[None]:
        """A nested block; what is bound in it only is out of scope after it."""
        self.line(header)
        kept = [list(names) for names in (self.scalars, self.vectors, self.indices, self.stores, self.lists)]
        self.depth += 1
        self.loops += loop
        yield
        self.loops -= loop
        self.depth -= 1
        self.scalars, self.vectors, self.indices, self.stores, self.lists = kept

    def statements(self, count: int) -> None:
        for _ in range(count):
            self.statement()

    def statement(self) -> None:
        self.budget -= 1
        if self.budget < 0 or self.depth > 4:
            self.assign_scalar()
            return
        kinds = [
            self.assign_scalar, self.assign_scalar, self.augment, self.assign_vector, self.swap,
            self.branch, self.for_loop, self.while_loop, self.store, self.append, self.chained,
            self.jump, self.branch, self.for_loop, self.augment_vector, self.for_elements, self.latch,
        ]  # fmt: skip
        kinds[self.pick(len(kinds))]()

    def assign_scalar(self) -> None:
        value = self.one_of(["0", "1"]) if self.pick(16) == 15 else self.tame()
        old = self.pick(2) == 0
        name = self.one_of(self.scalars) if old else self.new("a")
        self.line(f"{name} = {value}")
        if not old:
            self.scalars.append(name)

    def chained(self) -> None:
        value = self.tame()
        name = self.new("a")
        self.line(f"{name} = {self.one_of(self.scalars)} = {value}")
        self.scalars.append(name)

    def augment(self) -> None:
        operator, value = [
            ("+=", self.tame()),
            ("-=", f"0.3 * {self.leaf()} * {self.leaf()}"),
            ("*=", f"math.cos({self.scalar(1)})"),
            ("/=", f"1.0 + ({self.scalar(1)}) ** 2"),
        ][self.pick(4)]
        self.line(f"{self.one_of(self.scalars)} {operator} {value}")

    def assign_vector(self) -> None:
        value = f"np.{self.one_of(['sin', 'tanh'])}({self.vector()})"
        old = self.pick(2) == 0
        name = self.one_of(self.vectors) if old else self.new("p")
        self.line(f"{name} = {value}")
        if not old:
            self.vectors.append(name)

    def augment_vector(self) -> None:
        """In place, on memory of the function's own that no other name has."""
        name = self.new("q")
        self.line(f"{name} = {self.one_of(self.vectors)} * 0.5")
        self.line(f"{name} += np.sin({self.vector(1)})")
        self.vectors.append(name)

    def swap(self) -> None:
        a, b = self.one_of(self.scalars), self.one_of(self.scalars)
        if a == b:
            self.line(f"{a} = math.sin({b})")
        else:
            self.line(f"{a}, {b} = {b}, {self.tame()}")

    def store(self) -> None:
        if not self.stores or self.pick(3) == 0:
            name = self.new("h")
            self.line(f"{name} = np.zeros({SIZE})")
            self.stores.append(name)
        name = self.one_of(self.stores)
        self.line(f"{name}[{self.index()}] {self.one_of(['=', '+=', '='])} {self.tame()}")

    def append(self) -> None:
        if not self.lists or self.pick(3) == 0:
            name = self.new("items")
            self.line(f"{name} = [{self.leaf()}, {self.scalar(1)}]")
            self.lists.append(name)
        self.line(f"{self.one_of(self.lists)}.append({self.tame()})")

    def branch(self) -> None:
        with self.block(f"if {self.condition()}:"):
            self.statements(1 + self.pick(2))
        kind = self.pick(3)
        if kind == 2:
            with self.block(f"elif {self.condition()}:"):
                self.statements(1)
        if kind > 0:
            with self.block("else:"):
                self.statements(1 + self.pick(2))

    def for_loop(self) -> None:
        name = self.new("i")
        trips = self.one_of(["range(3)", "range(1, 4)", "range(2, -1, -1)", "range(0, 5, 2)", "range(0)"])
        with self.block(f"for {name} in {trips}:", loop=True):
            self.indices.append(name)
            self.statements(1 + self.pick(3))
        if trips != "range(0)" and self.pick(3) == 0:
            self.indices.append(name)

    def for_elements(self) -> None:
        e, k = self.new("e"), self.new("i")
        a, b = self.one_of(self.vectors), self.one_of(self.vectors)
        header, scalars, indices = [
            (f"for {e} in {a}:", [e], []),
            (f"for {k}, {e} in enumerate({a}):", [e], [k]),
            (f"for {e}, {e}b in zip({a}, {b}):", [e, f"{e}b"], []),
        ][self.pick(3)]
        with self.block(header, loop=True):
            self.scalars += scalars
            self.indices += indices
            self.statements(1 + self.pick(2))

    def latch(self) -> None:
        """A name that the first iteration of a loop binds, and later ones read or change."""
        k, name, kind = self.new("i"), self.new("a"), self.pick(3)
        self.line(f"for {k} in range(3):")
        self.depth += 1
        self.indices.append(k)
        self.line(f"if {k} == 0:" if kind < 2 else f"if {k} == 0 or {self.condition(0)}:")
        self.depth += 1
        self.line(f"{name} = {self.tame()}")
        self.depth -= 1
        self.scalars.append(name)
        self.line(f"{self.one_of(self.scalars)} = {self.tame()}")
        if kind:
            self.line(f"{name} = math.sin({name} + {self.leaf()})")
        self.depth -= 1

    def while_loop(self) -> None:
        name = self.new("n")
        self.line(f"{name} = 0")
        with self.block(f"while {name} < {1 + self.pick(4)} and ({self.condition()}):", loop=True):
            self.line(f"{name} += 1")
            self.indices.append(name)
            self.statements(1 + self.pick(2))
        self.indices.append(name)

    def jump(self) -> None:
        kinds = ["break", "continue", "break"] if self.loops else []
        with self.block(f"if {self.condition()}:"):
            kind = self.pick(4)
            self.line(kinds[kind] if kind < len(kinds) else f"return {self.tame()}")

    def results(self) -> list[str]:
        """What the function returns besides numbers and the last vector."""
        return [f"np.sum({name})" for name in self.stores[:2]]


def function_source(tape: bytes, name: str = "program", kind: type[Writer] = Writer) -> str:
    """The text of one function of `(x, y, u, v)`."""
    writer = kind(tape, True)
    writer.statements(writer.least + writer.pick(5))
    parts = [*writer.scalars[:6], f"{writer.vectors[-1]}[0]", *writer.results()]
    parts += [f"{name}[-1]" for name in writer.lists[:1]]
    terms = [f"{0.5 + 0.1 * k:.1f} * {part}" for k, part in enumerate(parts)]
    writer.line("return " + " + ".join(terms))
    return f"def {name}(x, y, u, v):\n" + "\n".join(writer.lines) + "\n"


def module_source(tapes: list[bytes], kind: type[Writer] = Writer) -> str:
    """The text of a module with a function for each tape, and `together`, which calls them all."""
    names = [f"program_{k}" for k in range(len(tapes))]
    functions = [function_source(tape, name, kind) for tape, name in zip(tapes, names, strict=True)]
    calls = " + ".join(f"{name}(x, y, u, v)" for name in names)
    functions.append(f"def together(x, y, u, v):\n    return {calls}\n")
    return "\n\n".join([HEADER + kind.helpers, *functions])


@contextmanager
def imported(source: str, folder: Path) -> Iterator[ModuleType]:
    """The module of this source, from a file of its own; forgotten afterwards."""
    name = f"s2s_random_program_{next(_numbers)}"
    path = folder / f"{name}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        del sys.modules[name]
        path.unlink()


@st.composite
def programs(draw: st.DrawFn, kind: type[Writer] = Writer) -> str:
    """The text of a module with one random function, `program(x, y, u, v)`."""
    tape = draw(st.binary(min_size=kind.tape, max_size=kind.tape))
    return f"{HEADER}{kind.helpers}\n\n{function_source(tape, kind=kind)}"
