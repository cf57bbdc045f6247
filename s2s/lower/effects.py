"""What is left in place and run once: print, assert, raise, logging, calls that s2s does not look into.

The user's text is kept as a template: each part that the program computes is a marker that stands for
an operand. A part with no value in the program is written as it is.
"""

from __future__ import annotations

import ast
import builtins
import types
from typing import Any

import gast
import numpy as np

from s2s.ir.core import Block, Value
from s2s.ir.ops import constant
from s2s.ir.types import Opaque
from s2s.lower.binding import is_argument
from s2s.lower.context import RETURNED, Context
from s2s.lower.control import TRUE
from s2s.lower.describe import describe
from s2s.lower.outside import attribute, global_name, opaque
from s2s.lower.truth import ask_for_a_copy, truth, usable
from s2s.lower.values import Box, Conflict, Lowered, Outside, Static, Tuple
from s2s.variable import Variable

FORMATTED = "text"


class Template:
    """A piece of Python text under construction, with its operands."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.operands: list[Value] = []
        self.numbers = False  # whether a container with numbers of the program is among what it names

    def marker(self, v: Value) -> ast.expr:
        """A name that stands for an operand."""
        self.operands.append(v)
        return ast.Name(f"⟦{len(self.operands) - 1}⟧", ast.Load())

    def of(self, node: gast.AST, x: Lowered) -> ast.expr:
        """The text of something lowered."""
        ctx = self.ctx
        x = usable(ctx, node, x) if isinstance(x, Conflict) else x
        if isinstance(x, Value):
            if is_text(x) and x.op is not None and x.op.name == "format":
                return self._formatted(x)
            return self.marker(x)
        if isinstance(x, Static):
            name = getattr(x.value, "__name__", "")
            if isinstance(x.value, type | types.BuiltinFunctionType) and getattr(builtins, name, None) is x.value:
                return ast.Name(name, ast.Load())
            if isinstance(x.value, str | bytes | int | float | complex | bool | None | type(...)):
                return ast.Constant(x.value)
            if not isinstance(x.value, list | dict | set | tuple):
                return self.marker(opaque(ctx, Outside(x.value, ctx.binding.constant(x.value))))
            x = Tuple(tuple(map(Static, x.value))) if isinstance(x.value, tuple) else x
        if isinstance(x, Tuple):
            return ast.Tuple([self.of(node, v) for v in x.items], ast.Load())
        if isinstance(x, Outside):
            self.numbers |= _holds_numbers(x.value, is_argument(x.read))
            return self.marker(opaque(ctx, x))
        if isinstance(x, Box):
            content = ctx.whole(x)
            if isinstance(content, Value):
                return self.marker(content)
            if isinstance(content, list):
                return ast.List([self.of(node, v) for v in content], ast.Load())
            if x.kind == "dict":
                return ast.Dict([self.of(node, Static(k)) for k in content],
                                [self.of(node, v) for v in content.values()])
        raise ctx.error(node, f"{describe(x)} is passed to a call that s2s does not look into",
                        "it exists while the source is read only, not when the generated code runs",
                        "pass numbers, arrays, or objects made outside of the function")

    def _formatted(self, x: Value) -> ast.expr:
        """The text of an f-string: its markers renumbered as operands of this template."""
        assert x.op is not None
        text = x.op.attrs["text"]
        tree: ast.expr = ast.parse(text.replace("⟦", "S2S_").replace("⟧", "_E"), mode="eval").body
        first = len(self.operands)
        self.operands += x.op.values("args")

        class Renumber(ast.NodeTransformer):
            def visit_Name(self, n: ast.Name) -> ast.Name:
                if n.id.startswith("S2S_"):
                    n.id = f"⟦{first + int(n.id[4:-2])}⟧"
                return n
        return Renumber().visit(tree)  # type: ignore[no-any-return]


def _holds_numbers(v: Any, argument: bool) -> bool:
    """Whether a container has Variables in it, or is an argument and has floats."""
    if isinstance(v, dict):
        return any(_holds_numbers(part, argument) for part in v.values())
    if isinstance(v, list | tuple | set | frozenset):
        return any(_holds_numbers(part, argument) for part in v)
    return isinstance(v, Variable) or (argument and isinstance(v, float | complex | np.ndarray | np.inexact))


def text_of(tree: ast.AST) -> str:
    """The Python text of a template."""
    return ast.unparse(ast.fix_missing_locations(tree))


def format_string(ctx: Context, node: gast.JoinedStr) -> Lowered:
    """An f-string: a string known now, or text with operands that is only good for being passed on."""
    template = Template(ctx)
    tree = ast.JoinedStr([_formatted_part(ctx, template, part) for part in node.values])
    if not template.operands:
        return Static(eval(compile(ast.fix_missing_locations(ast.Expression(tree)), "<f-string>", "eval")))
    op = ctx.b.emit("format", {"args": tuple(template.operands)}, {"text": text_of(tree)})
    return op[0]


def _formatted_part(ctx: Context, template: Template, part: gast.AST) -> ast.expr:
    if isinstance(part, gast.Constant):
        return ast.Constant(part.value)
    assert isinstance(part, gast.FormattedValue)
    spec = None
    if part.format_spec is not None:
        spec = ast.JoinedStr([_formatted_part(ctx, template, p) for p in part.format_spec.values])
    given = ctx.expr(part.value)
    known = constant(given) if isinstance(given, Value) else None
    found = ast.Constant(known) if isinstance(known, bool | int | float) else template.of(part, given)
    return ast.FormattedValue(found, part.conversion, spec)


def call_text(ctx: Context, node: gast.AST, name: str, args: list[Lowered],
              kwargs: dict[str, Lowered]) -> tuple[str, tuple[Value, ...]]:
    """The text `name(args)` of a call left in place, and its operands."""
    template = Template(ctx)
    call = ast.Call(ast.Name(name, ast.Load()), [template.of(node, a) for a in args],
                    [ast.keyword(k, template.of(node, v)) for k, v in kwargs.items()])
    return text_of(call), tuple(template.operands)


def emit_effect(ctx: Context, template: Template, text: str, name: str) -> None:
    """A statement that changes something outside of the program: done once, and never an array's numbers."""
    attrs = {"text": text, "types": [], "name": name, "harmless": True}
    ctx.b.emit("pycall", {"args": tuple(template.operands)}, attrs)


def lower_print(ctx: Context, node: gast.AST, args: list[Lowered], kwargs: dict[str, Lowered]) -> Lowered:
    """`print(...)`, left in place."""
    text, operands = call_text(ctx, node, "print", args, kwargs)
    ctx.b.emit("print", {"args": operands}, {"text": text})
    return Static(None)


def lower_assert(ctx: Context, node: gast.Assert) -> None:
    """`assert test, message`, left in place."""
    test = truth(ctx, node.test, ctx.expr(node.test))
    if test is True:
        return
    condition = ctx.b.const(False) if isinstance(test, bool) else test
    template, fail = Template(ctx), Block()
    with ctx.b.at(fail):
        message = "" if node.msg is None else text_of(template.of(node.msg, ctx.expr(node.msg)))
        ctx.b.emit("raise", {"args": tuple(template.operands)}, {"text": f"raise AssertionError({message})"})
    if all(op.name in ("const", "format", "raise") for op in fail.ops):
        for k in reversed(range(len(template.operands))):
            message = message.replace(f"⟦{k}⟧", f"⟦{k + 1}⟧")
        ctx.b.block.ops += fail.ops[:-1]
        ctx.b.emit("assert", {"test": condition, "args": tuple(template.operands)},
                   {"text": f"assert ⟦0⟧{message and ', '}{message}"})
    else:  # what has to be computed for the message, is where the test fails
        ctx.b.region("if", {"cond": condition}, [Block(), fail], [])


def lower_raise(ctx: Context, node: gast.Raise) -> None:
    """`raise`, left in place; nothing after it runs."""
    template = Template(ctx)
    exc = node.exc
    cls: Any = None
    if exc is None:
        caught: type = ctx.handling[-1][0] if ctx.handling else object
        cls = caught
        if getattr(builtins, caught.__name__, None) is not caught or caught is object:
            raise ctx.error(node, "a bare raise is not supported here", "which exception it raises is not known",
                            "raise one by name")
        tree: ast.expr = ast.Name(caught.__name__, ast.Load())
    elif isinstance(exc, gast.Call):
        callee = ctx.expr(exc.func)
        cls = getattr(callee, "value", None)
        tree = ast.Call(template.of(exc.func, callee), [template.of(a, ctx.expr(a)) for a in exc.args],
                        [ast.keyword(k.arg, template.of(k.value, ctx.expr(k.value))) for k in exc.keywords])
    else:
        raised = ctx.expr(exc)
        cls = getattr(raised, "value", None)
        tree = template.of(exc, raised)
    ctx.b.emit("raise", {"args": tuple(template.operands)},
               {"text": f"raise {text_of(tree)}", "cls": cls if isinstance(cls, type) else None})
    ctx.state.env[ctx.frame, RETURNED] = TRUE


def leave_in_place(ctx: Context, node: gast.AST, callee: Lowered, args: list[Lowered], kwargs: dict[str, Lowered],
                   types: list[Any] | None = None, method: str = "", why: str = "", again: bool = False) -> Lowered:
    """A call that s2s does not look into: it runs, once, with what the program computes.

    why: what was wrong with its source, for the message where its result needs a derivative. again: it gives the
    same when it is called another time, with a generator in the same state.
    """
    template = Template(ctx)
    target = template.of(node, callee)
    if method:
        target = ast.Attribute(target, method, ast.Load())
    call = ast.Call(target, [template.of(node, a) for a in args],
                    [ast.keyword(k, template.of(node, v)) for k, v in kwargs.items()])
    what = Opaque(getattr(getattr(callee, "value", None), "__name__", "object"))
    op_types = [what] if types is None else types
    results = ctx.b.emit("pycall", {"args": tuple(template.operands)},
                         {"text": text_of(call), "types": op_types, "name": method or public_name(callee),
                          "harmless": _is_harmless(callee), "why": why, "again": again,
                          "numbers": template.numbers})
    if not _only_reads(callee, method):
        _may_change(ctx, node, callee if method else None, [*args, *kwargs.values()], method or what.what)
    return results[0] if results else Static(None)


def public_name(callee: Lowered) -> str:
    """The name of a function with that of its module, as one would import it: `scipy.linalg.solve`."""
    f = getattr(callee, "value", None)
    name = getattr(f, "__name__", "object")
    module = getattr(f, "__module__", None) or ""
    parts = [p for p in str(module).split(".") if p and not p.startswith("_") and p not in ("builtins", "__main__")]
    return ".".join([*parts, name]) if parts and parts[0] in ("numpy", "scipy", "math") else str(name)


_READERS = ("items", "keys", "values", "get", "index", "count", "copy")
_READING_MODULES = ("logging", "warnings", "time", "json", "_json", "pprint", "copy", "operator", "math", "itertools")


def _only_reads(callee: Lowered, method: str) -> bool:
    """Whether a call is known to leave the containers as they are that it is given."""
    v = getattr(callee, "value", None)
    if method:
        return isinstance(v, list | dict | set) and method in _READERS
    module = getattr(v, "__module__", None) or type(v).__module__
    return module.split(".")[0] in _READING_MODULES or isinstance(v, type)


def _may_change(ctx: Context, node: gast.AST, receiver: Lowered | None, args: list[Lowered], name: str) -> None:
    """Containers that a call may have changed are not to be looked into after it."""
    for x in [receiver, *(args if receiver is None else ())]:
        if isinstance(x, Box) and x.kind in ("list", "dict"):
            ctx.given[x] = name
        if isinstance(x, Outside) and isinstance(x.value, list | dict | set):
            ctx.changed[id(x.value)] = name
        again = (isinstance(x, Outside) and ctx.depth and id(x.value) in ctx.seen) or (
            isinstance(x, Box) and x in ctx.given and x.depth < ctx.depth)
        if again:
            ask_for_a_copy(ctx, x)
            raise ctx.error(node, f"{name}() in a loop may change a container that the loop reads",
                            "what it holds then is not known before the function runs",
                            f"read it before the loop, or call {name}() after it")


def _is_harmless(callee: Lowered) -> bool:
    """Whether a call is known not to change the arrays it is given."""
    v = getattr(callee, "value", None)
    module = getattr(v, "__module__", None) or type(v).__module__
    return module.split(".")[0] in ("logging", "warnings", "time")


def assign_outside(ctx: Context, name: str, scope: Any, new: Lowered) -> None:
    """`global name; name = ...`: later reads in this call see it; the module keeps it as the primal does."""
    if scope is None:
        raise ctx.error(ctx.statement, f"{name!r} belongs to a function that has returned, and is assigned",
                        "what it holds after the call would be part of the result")
    function = ctx.frame.read
    if function is None:
        raise ctx.error(ctx.statement, f"an assignment to the global {name!r} in a nested function")
    ctx.state.bind((scope, name), new)
    ctx.initial.setdefault((scope, name), lambda: global_name(ctx, function, name))
    module = ctx.binding.read(function, "attr", "__globals__")
    target = opaque(ctx, Outside(module.value, module))
    template = Template(ctx)
    holder = template.marker(target)
    text = f"{text_of(holder)}.__setitem__({name!r}, {text_of(template.of(ctx.statement, new))})"
    emit_effect(ctx, template, text, f"global {name}")


def assign_attribute(ctx: Context, node: gast.AST, x: Outside, name: str, new: Lowered) -> None:
    """`obj.name = ...` on an object from outside: done once, and later reads see the new value."""
    key = (ctx.object_scope(x), name)
    ctx.state.bind(key, new)
    ctx.initial.setdefault(key, lambda: attribute(ctx, x, name))
    ctx.stores_attributes = True
    template = Template(ctx)
    holder = template.marker(opaque(ctx, x))
    text = f"{text_of(holder)}.{name} = {text_of(template.of(node, new))}"
    emit_effect(ctx, template, text, f"setattr {name}")


def text_operator(ctx: Context, node: gast.AST, name: str, x: Lowered, y: Lowered) -> Lowered:
    """Strings put together, one of which the program computes."""
    operators: dict[str, ast.operator] = {"add": ast.Add(), "mod": ast.Mod(), "mul": ast.Mult()}
    if name not in operators:
        raise ctx.error(node, "this operator is not defined for text")
    template = Template(ctx)
    tree = ast.BinOp(template.of(node, x), operators[name], template.of(node, y))
    return ctx.b.one("format", {"args": tuple(template.operands)}, {"text": text_of(tree)})


def is_text(v: Any) -> bool:
    """Whether a value is the text of an f-string."""
    return isinstance(v, Value) and isinstance(v.type, Opaque) and v.type.what == FORMATTED

