"""Names of a function: which are local, and which a statement assigns."""

from __future__ import annotations

from collections.abc import Iterator

import gast


def _targets(node: gast.AST) -> Iterator[str]:
    """Names bound anywhere in `node`, not looking into nested functions, lambdas and comprehensions."""
    stack = [node]
    while stack:
        n = stack.pop()
        if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store | gast.Del):
            yield n.id
        elif isinstance(n, gast.FunctionDef | gast.AsyncFunctionDef | gast.ClassDef):
            yield n.name
            if n is not node:
                # A nested function may assign this one's names through nonlocal.
                yield from nonlocals(n)
                continue
        elif isinstance(n, gast.Import | gast.ImportFrom):
            for alias in n.names:
                yield (alias.asname or alias.name).split(".")[0]
        elif isinstance(n, gast.ExceptHandler | gast.MatchAs | gast.MatchStar) and n.name is not None:
            yield n.name.id if isinstance(n.name, gast.Name) else str(n.name)
        elif isinstance(n, gast.MatchMapping) and n.rest is not None:
            yield n.rest.id if isinstance(n.rest, gast.Name) else str(n.rest)
        elif isinstance(n, gast.Lambda):
            continue
        elif isinstance(n, gast.ListComp | gast.SetComp | gast.DictComp | gast.GeneratorExp):
            yield from (w.target.id for w in gast.walk(n) if isinstance(w, gast.NamedExpr))
            continue
        stack.extend(gast.iter_child_nodes(n))


def nonlocals(node: gast.AST) -> frozenset[str]:
    """Names declared nonlocal anywhere in `node`."""
    return frozenset(name for n in gast.walk(node) if isinstance(n, gast.Nonlocal) for name in n.names)


def assigned_names(node: gast.AST) -> frozenset[str]:
    """Names that a statement may bind."""
    return frozenset(_targets(node))


def parameter_names(node: gast.FunctionDef | gast.Lambda) -> list[str]:
    """All parameters of a function, in order."""
    a = node.args
    names = [p.id for p in [*a.posonlyargs, *a.args, *a.kwonlyargs]]
    return names + [p.id for p in (a.vararg, a.kwarg) if p is not None]


def local_names(node: gast.FunctionDef | gast.Lambda) -> frozenset[str]:
    """Names that are local to a function."""
    names = set(parameter_names(node))
    if isinstance(node, gast.Lambda):
        names |= {w.target.id for w in gast.walk(node.body) if isinstance(w, gast.NamedExpr)}
    else:
        for statement in node.body:
            names |= assigned_names(statement)
    declared: set[str] = set()
    if not isinstance(node, gast.Lambda):
        for n in own_nodes(node):
            if isinstance(n, gast.Global | gast.Nonlocal):
                declared |= set(n.names)
    return frozenset(names - declared)


def own_nonlocals(node: gast.FunctionDef | gast.Lambda) -> frozenset[str]:
    """Names that a function itself declares nonlocal."""
    return frozenset(name for n in own_nodes(node) if isinstance(n, gast.Nonlocal) for name in n.names)


def own_globals(node: gast.FunctionDef | gast.Lambda) -> frozenset[str]:
    """Names that a function itself declares global."""
    return frozenset(name for n in own_nodes(node) if isinstance(n, gast.Global) for name in n.names)


def own_nodes(node: gast.FunctionDef | gast.Lambda) -> Iterator[gast.AST]:
    """The nodes of a function without those of the functions nested in it."""
    stack: list[gast.AST] = list(node.body) if isinstance(node.body, list) else [node.body]
    while stack:
        n = stack.pop()
        yield n
        if not isinstance(n, gast.FunctionDef | gast.Lambda | gast.AsyncFunctionDef):
            stack.extend(gast.iter_child_nodes(n))
