"""Whose a name is: the function's own, of a function around it, global or built in."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import CellType, FunctionType
from typing import Any

import gast

_FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
_COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


@dataclass
class Scope:
    """The names of one function.

    params: in the order of a call's arguments (positional, *args, keyword-only, **kwargs).
    bound: its own names, parameters included. reads: names that it reads itself (not functions inside).
    globals, nonlocals: declared so. nested: functions defined directly inside, with their scopes.
    """

    params: tuple[str, ...] = ()
    bound: set[str] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    nested: list[tuple[Any, Scope]] = field(default_factory=list)

    @property
    def free(self) -> set[str]:
        """Names of functions around it, and global names, that it or a function inside it uses."""
        inner = {name for _, scope in self.nested for name in scope.free - scope.globals}
        outer = {name for _, scope in self.nested for name in scope.globals}
        return (self.reads | inner | self.nonlocals) - self.bound | self.globals | outer

    @property
    def captured(self) -> set[str]:
        """Its own names that functions inside it use."""
        return self.bound & {name for _, scope in self.nested for name in scope.free - scope.globals}

    @property
    def rebound(self) -> set[str]:
        """Its own names that functions inside it rebind, through `nonlocal`."""
        found = {name for _, scope in self.nested for name in scope.nonlocals | scope.rebound_outside}
        return self.bound & found

    @property
    def rebound_outside(self) -> set[str]:
        """Names of functions around it that it or a function inside it rebinds."""
        found = {name for _, scope in self.nested for name in scope.rebound_outside}
        return self.nonlocals | (found - self.bound)


def scope_of(node: Any) -> Scope:
    r"""The names of a gast function or lambda.

    >>> f = gast.parse("def f(x):\n  y = a\n  def g():\n    nonlocal y\n    y = b * x\n  return g").body[0]
    >>> scope = scope_of(f)
    >>> sorted(scope.bound), sorted(scope.free), sorted(scope.captured), sorted(scope.rebound)
    (['g', 'x', 'y'], ['a', 'b'], ['x', 'y'], ['y'])
    """
    a = node.args
    params = [p for p in (*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg) if p is not None]
    scope = Scope(tuple(p.id for p in params), {p.id for p in params})
    body = node.body if isinstance(node.body, list) else [node.body]
    for statement in body:
        _visit(statement, scope, scope)
    scope.bound -= scope.globals | scope.nonlocals
    return scope


def _visit(node: Any, scope: Scope, function: Scope) -> None:
    """Add the names of `node` to `scope`; `function` is where a walrus binds (`scope`, or around it)."""
    if isinstance(node, gast.Name):
        (scope.reads if isinstance(node.ctx, gast.Load) else scope.bound).add(node.id)
    elif isinstance(node, _FUNCTIONS):
        _visit_function(node, scope, function)
    elif isinstance(node, _COMPREHENSIONS):
        _visit_comprehension(node, scope, function)
    elif isinstance(node, gast.ClassDef):
        scope.bound.add(node.name)
        _visit_class(node, scope, function)
    elif isinstance(node, gast.NamedExpr):
        function.bound.add(node.target.id)
        _visit(node.value, scope, function)
    elif isinstance(node, gast.Global):
        scope.globals.update(node.names)
    elif isinstance(node, gast.Nonlocal):
        scope.nonlocals.update(node.names)
    else:
        scope.bound.update(_names_as_text(node))
        _visit_all(gast.iter_child_nodes(node), scope, function)


def _visit_all(nodes: Iterable[Any], scope: Scope, function: Scope) -> None:
    for node in nodes:
        _visit(node, scope, function)


def _names_as_text(node: Any) -> list[str]:
    """Names that `node` binds and that are not nodes of their own: imports and patterns."""
    if isinstance(node, gast.Import | gast.ImportFrom):
        return [(alias.asname or alias.name).split(".")[0] for alias in node.names]
    if isinstance(node, gast.MatchAs | gast.MatchStar):
        return [node.name] if node.name else []
    if isinstance(node, gast.MatchMapping):
        return [node.rest] if node.rest else []
    return []


def _visit_function(node: Any, scope: Scope, function: Scope) -> None:
    outside = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
    if not isinstance(node, gast.Lambda):
        scope.bound.add(node.name)
        outside += node.decorator_list
    _visit_all(outside, scope, function)
    scope.nested.append((node, scope_of(node)))


def _visit_comprehension(node: Any, scope: Scope, function: Scope) -> None:
    """The targets are the comprehension's own; everything else it shares with the function around it."""
    inner = Scope()
    _visit_all(gast.iter_child_nodes(node), inner, function)
    scope.reads |= inner.reads - inner.bound
    for nested, names in inner.nested:
        # A function inside sees the targets too: they are not names of `scope`.
        scope.nested.append((nested, Scope((), set(inner.bound), nested=[(nested, names)])))


def _visit_class(node: Any, scope: Scope, function: Scope) -> None:
    """Names bound in a class are not seen by the functions inside it, so that those belong to `scope`."""
    _visit_all([*node.bases, *node.keywords, *node.decorator_list], scope, function)
    inner = Scope()
    _visit_all(node.body, inner, inner)
    scope.reads |= inner.reads - inner.bound
    scope.nested += inner.nested


# Values from outside.

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING", "__doc__": "No value is bound."})()


def cells(function: FunctionType) -> dict[str, CellType]:
    """The variables of the functions around `function`, by name."""
    return dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def kind_of(function: FunctionType, name: str) -> str:
    """Where `function` finds a name that is not its own: "cell", "global", "builtin" or "missing"."""
    if name in function.__code__.co_freevars:
        return "cell"
    if name in function.__globals__:
        return "global"
    return "builtin" if name in _builtins(function) else "missing"


def outside_value(function: FunctionType, name: str) -> Any:
    """The value that `name` has now for `function`, in which it is free; MISSING if it is not bound.

    >>> outside_value(scope_of, "len") is len
    True
    """
    return getter(function, name)()


def getter(function: FunctionType, name: str) -> Callable[[], Any]:
    """A function that gives the value of `name` at the time that it is called."""
    cell = cells(function).get(name)
    if cell is not None:
        return lambda: _contents(cell)
    namespace, rest = function.__globals__, _builtins(function)
    return lambda: namespace[name] if name in namespace else rest.get(name, MISSING)


def _contents(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet, or deleted
        return MISSING


def _builtins(function: FunctionType) -> dict[str, Any]:
    return getattr(function, "__builtins__", None) or vars(builtins)
