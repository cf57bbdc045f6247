"""Statements as lines of text, with a comment before each group of reverse statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from s2s.emit import nodes, printing
from s2s.emit.expressions import Expressions
from s2s.emit.nodes import Expression
from s2s.emit.parallel import in_order
from s2s.emit.tree import Assign, Break, Copy, For, If, Node, Return, While, With, ends
from s2s.ir.core import Loc, Op, Value
from s2s.ir.ops import constant
from s2s.ir.types import Scalar

_AUGMENTED = {"add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "pow": "**",
              "bitand": "&", "bitor": "|", "bitxor": "^"}
_COMMUTES = ("add", "mul")
_HEADERS = ("for ", "while ", "if ", "elif ", "with ", "else:")
# Operations that are statements, each with a method of `Statements`.
_STORES = ("setitem", "additem", "addto", "append", "listset", "print", "assert", "raise")


@dataclass(frozen=True, slots=True)
class Line:
    """One line, `depth` levels in; `loc` is the user's statement that it comes from."""

    depth: int
    text: str
    loc: Loc | None = None


class Statements:
    """Writes the statements of one function."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self.facts = expressions.facts
        self.names = expressions.names
        self._comment: tuple[str, int] | None = None  # the last that was written

    def write(self, body: Sequence[Node], depth: int) -> list[Line]:
        """The lines of `body`; none where it does nothing."""
        lines: list[Line] = []
        for k, node in enumerate(body):
            if isinstance(node, If):
                lines += self._if(node, depth)
                continue
            if isinstance(node, Assign):
                lines += self._comment_for(node.op, depth)
            lines += self._node(node, depth)
            assert not ends([node]) or k == len(body) - 1
        return lines

    def _node(self, node: Node, depth: int) -> list[Line]:
        match node:
            case Assign():
                return [Line(depth, text, _loc(node.op)) for text in self._assign(node)]
            case Copy():
                return [Line(depth, text) for text in self._copy(node)]
            case For():
                return self._for(node, depth)
            case While():
                return self._while(node, depth)
            case With():
                header = [Line(depth, f"with {node.op.attrs['call']}:", _loc(node.op))]
                return header + (self.write(node.body, depth + 1) or [Line(depth + 1, "pass")])
            case Break():
                return [Line(depth, "break")]
            case Return():
                # Where it computes something, that is the value first of all.
                computed = [v.op for v in node.values if v.op is not None and v.op.spec.name != "const"]
                return [Line(depth, self._return(node), _loc(computed[0]) if computed else None)]
            case If():
                return self._if(node, depth)

    def _comment_for(self, op: Op, depth: int) -> list[Line]:
        loc = op.origin.loc if op.origin is not None else None
        if loc is None or _statement(loc) == self._comment:
            return []
        if loc.text.startswith(_HEADERS):
            self._comment = None  # what a loop or a branch needs around it speaks for itself
            return []
        self._comment = _statement(loc)
        return [Line(depth, f"# {loc.text}", loc)]

    def _return(self, node: Return) -> str:
        values = [self.expressions.of(v) for v in node.values]
        return printing.statement(nodes.returns(values[0] if len(values) == 1 else nodes.tuple_of(values)))

    # ---- control flow

    def _moves(self, node: Copy) -> list[tuple[Value, Value]]:
        """The pairs of a copy whose source has another name than its target."""
        return [(t, s) for t, s in node.pairs if self.expressions.name_of(s) != self.names[t]]

    def _if(self, node: If, depth: int) -> list[Line]:
        """An `if`; negated where only its `else` does something, and joined to an `if` in its `else`."""
        cond = self.expressions.of(node.cond)
        loc = _loc(node.op) if node.op is not None else None
        body = self.write(node.body, depth + 1)
        if not body:
            body = self.write(node.orelse, depth + 1)
            if not body:
                return []
            return [Line(depth, printing.statement(nodes.if_header(nodes.negation(cond))), loc), *body]
        lines = [Line(depth, printing.statement(nodes.if_header(cond)), loc), *body]
        rest = [n for n in node.orelse if not isinstance(n, Copy) or self._moves(n)]
        if len(rest) == 1 and isinstance(rest[0], If):
            inner = self._if(rest[0], depth)
            if inner:
                lines += [Line(depth, f"el{inner[0].text}", inner[0].loc), *inner[1:]]
            return lines
        orelse = self.write(node.orelse, depth + 1)
        return [*lines, Line(depth, "else:"), *orelse] if orelse else lines

    def _for(self, node: For, depth: int) -> list[Line]:
        header = nodes.for_header(nodes.name(self.names[node.index]), self.expressions.range_of(node.op))
        lines = [Line(depth, printing.statement(header), _loc(node.op))]
        return lines + (self.write(node.body, depth + 1) or [Line(depth + 1, "pass")])

    def _while(self, node: While, depth: int) -> list[Line]:
        cond = self.expressions.of(node.cond)
        if node.test:
            lines = [Line(depth, "while True:", _loc(node.op)), *self.write(node.test, depth + 1)]
            lines.append(Line(depth + 1, printing.statement(nodes.if_header(nodes.negation(cond)))))
            lines.append(Line(depth + 2, "break"))
            return lines + self.write(node.body, depth + 1)
        lines = [Line(depth, printing.statement(nodes.while_header(cond)), _loc(node.op))]
        return lines + (self.write(node.body, depth + 1) or [Line(depth + 1, "pass")])

    # ---- assignments

    def _copy(self, node: Copy) -> list[str]:
        """A parallel copy: one assignment each where an order does it, else a tuple."""
        pairs = []
        for t, s in self._moves(node):
            read = {self.names[v] for v in self.expressions.inlining.leaves(s) if v in self.names}
            pairs.append((self.names[t], read, (t, self.facts.resolve(s))))
        texts = []
        for group in in_order(pairs):
            if len(group) == 1:
                texts += self._bind(*group[0])
            else:
                targets = [nodes.name(self.names[t]) for t, _ in group]
                values = nodes.tuple_of([self._converted(t, s) for t, s in group])
                texts.append(printing.statement(nodes.assign(targets, values)))
        return texts

    def _bind(self, target: Value, source: Value) -> list[str]:
        op = self.expressions.inlined_op(source)
        if op is not None and op.name != "const":
            return [self._assignment(self.names[target], target, op)]
        return [printing.statement(nodes.assign([nodes.name(self.names[target])], self._converted(target, source)))]

    def _converted(self, target: Value, source: Value) -> Expression:
        """`source`, as a literal of the type of `target` where it is a number."""
        op = self.expressions.inlined_op(source)
        if op is not None and op.name == "const" and isinstance(target.type, Scalar):
            return self.expressions.literal(constant(source), target.type)
        return self.expressions.of(source)

    def _assign(self, node: Assign) -> list[str]:
        op = node.op
        if op.name in _STORES:
            return [getattr(self, f"_{op.name}")(op)]
        if not node.targets:
            return [printing.statement(nodes.evaluate(self.expressions.operation(op)))]
        if len(node.targets) == 1 and node.targets[0] is not None:
            return [self._assignment(self.names[node.targets[0]], node.targets[0], op)]
        if all(t is None for t in node.targets):
            return [printing.statement(nodes.evaluate(self.expressions.operation(op)))]
        targets = [nodes.name(t) for t in self._targets(node)]
        return [printing.statement(nodes.assign(targets, self.expressions.operation(op)))]

    def _targets(self, node: Assign) -> list[str]:
        if all(t is None for t in node.targets):
            return []
        return [self.names[t] if t is not None else "_" for t in node.targets]

    def _assignment(self, name: str, target: Value, op: Op) -> str:
        """`name = op`, or `name += …` of a number."""
        symbol = _AUGMENTED.get(op.name)
        if symbol is not None and isinstance(target.type, Scalar) and _may_augment(op, symbol, name):
            x, y = op.value("x"), op.value("y")
            if op.name in _COMMUTES and self._is_named(y, name, target) and not self._is_named(x, name, target):
                x, y = y, x
            if self._is_named(x, name, target):
                return self._augment(nodes.name(name), symbol, y)
        return printing.statement(nodes.assign([nodes.name(name)], self.expressions.operation(op)))

    def _is_named(self, v: Value, name: str, target: Value) -> bool:
        v = self.facts.resolve(v)
        same = getattr(v.type, "dtype", None) == getattr(target.type, "dtype", "")
        return v not in self.expressions.inlining.inlined and self.names[v] == name and same

    def _augment(self, place: Expression, symbol: str, v: Value) -> str:
        if symbol == "+":
            opposite = self.expressions.opposite(v)
            if opposite is not None:
                return printing.statement(nodes.augment(place, "-", opposite))
        return printing.statement(nodes.augment(place, symbol, self.expressions.of(v)))

    # ---- stores

    def _setitem(self, op: Op) -> str:
        place = self.expressions.place(op)
        update = self.expressions.inlined_op(op.value("value"))
        symbol = _AUGMENTED.get(update.name) if update is not None else None
        if symbol is not None and not _may_augment(op, symbol, ""):
            symbol = None
        if update is not None and symbol is not None and self._loads(update.value("x"), op):
            return self._augment(place, symbol, update.value("y"))
        if update is not None and symbol is not None and update.name in _COMMUTES \
                and self._loads(update.value("y"), op):
            return self._augment(place, symbol, update.value("x"))
        return printing.statement(nodes.assign([place], self.expressions.of(op.value("value"))))

    def _loads(self, v: Value, store: Op) -> bool:
        """Whether `v` is the number that `store` overwrites."""
        load = self.expressions.inlined_op(v)
        return load is not None and load.name == "getitem" and isinstance(load.result.type, Scalar) \
            and self.facts.resolve(load.value("a")) is self.facts.resolve(store.value("a")) \
            and printing.expression(self.expressions.place(load)) == printing.expression(self.expressions.place(store))

    def _additem(self, op: Op) -> str:
        if self.expressions.place_is_basic(op):
            return self._augment(self.expressions.place(op), "+", op.value("value"))
        opposite = self.expressions.opposite(op.value("value"))
        function = "np.add.at" if opposite is None else "np.subtract.at"
        value = self.expressions.of(op.value("value")) if opposite is None else opposite
        args = [self.expressions.of(op.value("a")), self.expressions.index(op, as_value=True), value]
        return printing.statement(nodes.evaluate(nodes.call(function, args)))

    def _addto(self, op: Op) -> str:
        return self._augment(self.expressions.of(op.value("a")), "+", op.value("value"))

    def _append(self, op: Op) -> str:
        call = nodes.method(self.expressions.of(op.value("list")), "append", self.expressions.of(op.value("value")))
        return printing.statement(nodes.evaluate(call))

    def _listset(self, op: Op) -> str:
        place = nodes.subscript(self.expressions.of(op.value("list")), self.expressions.of(op.value("index")))
        return printing.statement(nodes.assign([place], self.expressions.of(op.value("value"))))

    # ---- effects

    def _print(self, op: Op) -> str:
        if op.attrs.get("text"):
            return self.expressions.template(op)
        call = nodes.call("print", [self.expressions.of(v) for v in op.values("args")])
        return printing.statement(nodes.evaluate(call))

    def _assert(self, op: Op) -> str:
        if op.attrs.get("text"):
            return self.expressions.template(op)
        return f"assert {printing.expression(self.expressions.of(op.value('test')))}"

    def _raise(self, op: Op) -> str:
        return self.expressions.template(op) if op.attrs.get("text") else "raise"


def _may_augment(op: Op, symbol: str, name: str) -> bool:
    """Whether to write `name += …`: always, except where the user assigned to `name` in so many words."""
    if op.origin is not None or op.loc is None:
        return True
    target, equals, _ = op.loc.text.partition("=")
    assigned = bool(equals) and target.strip().startswith(name) and not op.loc.text.startswith(_HEADERS)
    return not assigned or target.endswith(symbol)


def _statement(loc: Loc) -> tuple[str, int]:
    """What tells a statement from others. One that is written over several lines is where any part of it is."""
    return loc.text, loc.line if loc.text in loc.source_line else 0


def _loc(op: Op) -> Loc | None:
    if op.loc is not None:
        return op.loc
    return op.origin.loc if op.origin is not None else None


