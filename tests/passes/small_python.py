"""A small subset of Python as IR, for tests of passes: typed parameters, no errors, no inlining.

`for i in range(a, b[, s])`, `while`, `if`, assignments, stores, lists, `return`; names of functions are those
of the rule table. `break` is written `stop = condition` as the last statement of a loop.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from s2s.ir.builder import Builder, constant_type
from s2s.ir.core import Block, Function, Loc, Value
from s2s.ir.types import INT, Array, Dim, List, Scalar, Type, Undefined, unify
from s2s.rules import TABLE
from s2s.rules.expr import Expr, encode_index, fn

BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow", ast.FloorDiv: "floordiv",
          ast.Mod: "mod", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
          ast.And: "and", ast.Or: "or"}


def array(shape: str, dtype: str = "float64") -> Array:
    """A type: `array("n, 3")`."""
    dims = [Dim(None, int(s)) if s.strip().isdigit() else Dim(s.strip(), 0, True) for s in shape.split(",")]
    return Array(dtype, tuple(dims), "C")


def small(function: Callable[..., Any], types: Sequence[Type]) -> Function:
    """The IR of `function` for parameters of `types`."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return _Small(tree, types).function


class _Small:
    def __init__(self, tree: ast.FunctionDef, types: Sequence[Type]) -> None:
        self.b = Builder(Block())
        self.env: dict[str, Value] = {}
        for arg, t in zip(tree.args.args, types, strict=True):
            v = Value(t, arg.arg)
            self.b.block.params.append(v)
            self.env[arg.arg] = v
        self.body(tree.body)
        self.function = Function(tree.name, self.b.block)

    def body(self, statements: Sequence[ast.stmt]) -> None:
        for s in statements:
            self.b.loc = Loc("small.py", s.lineno, ast.unparse(s).split("\n")[0])
            getattr(self, "do_" + type(s).__name__)(s)

    def do_Return(self, s: ast.Return) -> None:
        values = s.value.elts if isinstance(s.value, ast.Tuple) else [s.value]
        self.b.block.results = [self.expr(v) for v in values]

    def do_Expr(self, s: ast.Expr) -> None:
        if isinstance(s.value, ast.Call) and isinstance(s.value.func, ast.Attribute) and s.value.func.attr == "append":
            self.b.emit("append", {"list": self.expr(s.value.func.value), "value": self.expr(s.value.args[0])})

    def do_Pass(self, s: ast.Pass) -> None:
        pass

    def do_Assign(self, s: ast.Assign) -> None:
        value, target = s.value, s.targets[0]
        if isinstance(target, ast.Tuple):
            values = [self.expr(v) for v in value.elts]  # type: ignore[attr-defined]
            for name, v in zip(target.elts, values, strict=True):
                self.env[name.id] = v  # type: ignore[attr-defined]
        elif isinstance(target, ast.Name):
            v = self.expr(value)
            if not v.hint:
                v.hint = target.id
            self.env[target.id] = v
        else:
            self.store("setitem", target, self.expr(value))

    def do_AugAssign(self, s: ast.AugAssign) -> None:
        if isinstance(s.target, ast.Name):
            if isinstance(self.env[s.target.id].type, Array) and isinstance(s.op, ast.Add):
                self.b.emit("addto", {"a": self.env[s.target.id], "value": self.expr(s.value)})
                return
            v = self.b.binary(BINARY[type(s.op)], self.env[s.target.id], self.expr(s.value))
            v.hint = v.hint or s.target.id
            self.env[s.target.id] = v
        elif isinstance(s.op, ast.Add):
            self.store("additem", s.target, self.expr(s.value))
        else:
            old = self.expr(ast.Subscript(s.target.value, s.target.slice, ast.Load()))  # type: ignore[attr-defined]
            self.store("setitem", s.target, self.b.binary(BINARY[type(s.op)], old, self.expr(s.value)))

    def store(self, name: str, target: Any, value: Value) -> None:
        a = self.expr(target.value)
        if isinstance(a.type, List):
            self.b.emit("listset", {"list": a, "index": self.expr(target.slice), "value": value})
            return
        items, index = encode_index(self.wrap(a), self.index(target.slice))
        self.b.emit(name, {"a": a, "index": index, "value": value}, {"items": items})

    def index(self, s: ast.expr) -> tuple[Any, ...]:
        return tuple(self.item(e) for e in (s.elts if isinstance(s, ast.Tuple) else [s]))

    def item(self, e: ast.expr) -> Any:
        if isinstance(e, ast.Slice):
            return slice(*(None if p is None else self.wrap(self.expr(p)) for p in (e.lower, e.upper, e.step)))
        if isinstance(e, ast.Constant) and e.value is None:
            return None
        return self.wrap(self.expr(e))

    def branch(self, block: Block, statements: Sequence[ast.stmt], env: dict[str, Value]) -> dict[str, Value]:
        saved, self.env = self.env, dict(env)
        with self.b.at(block):
            self.body(statements)
        out, self.env = self.env, saved
        return out

    def do_If(self, s: ast.If) -> None:
        cond = self.expr(s.test)
        blocks = [Block(), Block()]
        ends = [self.branch(blocks[0], s.body, self.env), self.branch(blocks[1], s.orelse, self.env)]
        names = [n for n in {**ends[0], **ends[1]} if ends[0].get(n) is not ends[1].get(n)]
        for block, end in zip(blocks, ends, strict=True):
            with self.b.at(block):
                block.results = [end[n] if n in end else self.b.undefined() for n in names]
        types = [unify(*(b.results[k].type for b in blocks)) or Undefined() for k in range(len(names))]
        op = self.b.region("if", {"cond": cond}, blocks, types, {}, names)
        self.env.update(zip(names, op.results, strict=True))

    def assigned(self, statements: Sequence[ast.stmt]) -> list[str]:
        found: dict[str, None] = {}
        for s in statements:
            for node in ast.walk(s):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    t = getattr(self.env.get(node.id), "type", None)
                    if node.id != "stop" and not (isinstance(t, Array) and _only_added_to(s, node.id)):
                        found[node.id] = None
        return [n for n in found if n in self.env]

    def carry(self, statements: Sequence[ast.stmt], index: Value | None) -> tuple[list[str], list[Value], list[Value]]:
        names = self.assigned(statements)
        if index is not None and index.hint in names:
            names.remove(index.hint)
        init = [self.env[n] for n in names]
        params = [Value(Scalar(v.type.dtype, v.type.weak) if isinstance(v.type, Scalar) else v.type, n)
                  for n, v in zip(names, init, strict=True)]
        return names, init, params

    def do_For(self, s: ast.For) -> None:
        bounds = [self.expr(a) for a in s.iter.args]  # type: ignore[attr-defined]
        if len(bounds) == 1:
            bounds.insert(0, self.b.int(0))
        if len(bounds) == 2:
            bounds.append(self.b.int(1))
        index = Value(INT, s.target.id)  # type: ignore[attr-defined]
        names, init, params = self.carry(s.body, index)
        block = Block([index, *params])
        end = self.branch(block, s.body, {**self.env, index.hint: index, **dict(zip(names, params, strict=True))})
        block.results = [end[n] for n in names] + ([end["stop"]] if "stop" in end else [])
        args: Any = dict(zip(("start", "stop", "step"), bounds, strict=True))
        op = self.b.region("for", {**args, "init": tuple(init)}, [block], [p.type for p in params],
                           {"breaks": "stop" in end}, names)
        self.env.update(zip(names, op.results, strict=True))

    def do_While(self, s: ast.While) -> None:
        names, init, params = self.carry(s.body, None)
        test, body = Block(params), Block([Value(p.type, p.hint) for p in params])
        with self.b.at(test):
            saved, self.env = self.env, {**self.env, **dict(zip(names, params, strict=True))}
            test.results = [self.expr(s.test)]
            self.env = saved
        end = self.branch(body, s.body, {**self.env, **dict(zip(names, body.params, strict=True))})
        body.results = [end[n] for n in names] + ([end["stop"]] if "stop" in end else [])
        op = self.b.region("while", {"init": tuple(init)}, [test, body], [p.type for p in params],
                           {"breaks": "stop" in end}, names)
        self.env.update(zip(names, op.results, strict=True))

    # Expressions.

    def wrap(self, v: Value) -> Expr:
        return Expr(self.b, v, lambda n: TABLE.by_name[n].spec if n in TABLE.by_name else None,
                    "np" if isinstance(v.type, Array) else "math")

    def expr(self, e: Any) -> Value:
        return getattr(self, "ex_" + type(e).__name__)(e)  # type: ignore[no-any-return]

    def ex_Constant(self, e: ast.Constant) -> Value:
        return self.b.const(e.value, constant_type(e.value))

    def ex_Name(self, e: ast.Name) -> Value:
        return self.env[e.id]

    def ex_BinOp(self, e: ast.BinOp) -> Value:
        x, y = self.expr(e.left), self.expr(e.right)
        if isinstance(e.op, ast.MatMult):
            return fn.matmul(self.wrap(x), self.wrap(y)).v
        return self.b.binary(BINARY[type(e.op)], x, y)

    def ex_Compare(self, e: ast.Compare) -> Value:
        return self.b.binary(BINARY[type(e.ops[0])], self.expr(e.left), self.expr(e.comparators[0]))

    def ex_UnaryOp(self, e: ast.UnaryOp) -> Value:
        return self.b.neg(self.expr(e.operand))

    def ex_List(self, e: ast.List) -> Value:
        values = tuple(self.expr(v) for v in e.elts)
        t = List(values[0].type if values else Scalar("float64", True))
        return self.b.one("list", {"elements": values}, {"type": t})

    def ex_Subscript(self, e: ast.Subscript) -> Value:
        a = self.expr(e.value)
        if isinstance(a.type, List):
            return self.b.one("listget", {"list": a, "index": self.expr(e.slice)})
        items, index = encode_index(self.wrap(a), self.index(e.slice))
        return self.b.one("getitem", {"a": a, "index": index}, {"items": items})

    def ex_Call(self, e: ast.Call) -> Value:
        name = e.func.id if isinstance(e.func, ast.Name) else e.func.attr  # type: ignore[attr-defined]
        if name == "len":
            a = self.expr(e.args[0])
            return self.b.one("listlen", {"list": a}) if isinstance(a.type, List) else self.b.dim(a, 0)
        args = [self.wrap(self.expr(a)) for a in e.args]
        if name == "arrays":  # an empty list of arrays like the argument
            return self.b.one("list", {"elements": ()}, {"type": List(args[0].type)})
        given = {k.arg: ast.literal_eval(k.value) for k in e.keywords}
        return getattr(fn, name)(*args, **given).v  # type: ignore[no-any-return]


def _only_added_to(s: ast.stmt, name: str) -> bool:
    """Whether the array `name` is only changed in place (`+=`) in `s`."""
    return not any(isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name
                   for target in node.targets for t in ast.walk(target)) for node in ast.walk(s))
