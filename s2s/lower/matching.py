"""`match`: each pattern is a test and what it binds; the cases are branches, tried in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gast

from s2s.ir.core import Value
from s2s.ir.types import Array, List, Scalar
from s2s.lower.attributes import get_attribute
from s2s.lower.context import Context
from s2s.lower.control import lower_if, lower_sequence
from s2s.lower.intrinsics import python_type
from s2s.lower.numbers import compare, sequence
from s2s.lower.scope import set_name
from s2s.lower.sequences import make_sequence, mapping_items
from s2s.lower.truth import static, truth, usable
from s2s.lower.values import Box, Lowered, Outside, Static

Bindings = dict[str, Lowered]
Test = bool | Value
# Classes whose pattern takes the subject itself: `float(x)`.
_SELVES = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


def _place(new: gast.AST, old: gast.AST) -> None:
    for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
        setattr(new, name, getattr(old, name))


class Cases(gast.AST):  # type: ignore[misc]
    """The cases that are left, as a statement."""

    _fields = ("cases",)

    def __init__(self, subject: Lowered, cases: Sequence[Any], node: gast.AST) -> None:
        super().__init__()
        self.subject, self.cases = subject, list(cases)
        _place(self, node)


class Taken(gast.AST):  # type: ignore[misc]
    """A case whose pattern holds, as a statement: names are bound, then its guard decides."""

    _fields = ("body", "others")

    def __init__(self, bindings: Bindings, case: Any, others: Cases) -> None:
        super().__init__()
        self.bindings, self.guard, self.body, self.others = bindings, case.guard, case.body, [others]
        _place(self, others)


def lower_match(ctx: Context, node: gast.Match, rest: list[gast.AST], one: Any) -> bool:
    """A `match` statement; True if `rest`, what follows it, was lowered as part of a branch."""
    subject = usable(ctx, node.subject, ctx.expr(node.subject))
    return lower_cases(ctx, Cases(subject, node.cases, node), rest, one)


def lower_cases(ctx: Context, node: Cases, rest: list[gast.AST], one: Any) -> bool:
    """The first case that holds, out of those that are left."""
    if not node.cases:
        return False
    case = node.cases[0]
    others = Cases(node.subject, node.cases[1:], node)
    bindings: Bindings = {}
    test = _match(ctx, case.pattern, node.subject, bindings)
    body = [Taken(bindings, case, others)]
    found = ctx.b.const(test) if isinstance(test, bool) else test
    return lower_if(ctx, node, found, body, [others], rest, one)


def lower_taken(ctx: Context, node: Taken, rest: list[gast.AST], one: Any) -> bool:
    """The body of a case, or the cases after it where its guard does not hold."""
    for name, value in node.bindings.items():
        set_name(ctx, name, value)
    if node.guard is not None:
        return lower_if(ctx, node, ctx.expr(node.guard), node.body, node.others, rest, one)
    lower_sequence(ctx, node.body, one)
    return False


def _both(ctx: Context, x: Test, y: Test) -> Test:
    if isinstance(x, bool):
        return y if x else False
    if isinstance(y, bool):
        return x if y else False
    return ctx.b.one("and", {"x": x, "y": y})


def _match(ctx: Context, pattern: Any, x: Lowered, bindings: Bindings) -> Test:
    """Whether `x` matches; what the pattern captures goes into `bindings`."""
    return _PATTERNS[type(pattern)](ctx, pattern, x, bindings)  # type: ignore[no-any-return]


def _value(ctx: Context, pattern: Any, x: Lowered, bindings: Bindings) -> Test:
    return truth(ctx, pattern, compare(ctx, pattern, "eq", x, ctx.expr(pattern.value)))


def _singleton(ctx: Context, pattern: Any, x: Lowered, bindings: Bindings) -> Test:
    constant = ctx.b.const(pattern.value) if isinstance(pattern.value, bool) else Static(pattern.value)
    if isinstance(pattern.value, bool) and python_type(ctx, x) is not bool:
        return False
    return truth(ctx, pattern, compare(ctx, pattern, "eq" if isinstance(pattern.value, bool) else "is", x, constant))


def _as(ctx: Context, pattern: Any, x: Lowered, bindings: Bindings) -> Test:
    test: Test = True if pattern.pattern is None else _match(ctx, pattern.pattern, x, bindings)
    if pattern.name is not None:
        bindings[_name(pattern.name)] = x
    return test


def _name(name: Any) -> str:
    return str(getattr(name, "id", name))


def _or(ctx: Context, pattern: Any, x: Lowered, bindings: Bindings) -> Test:
    result: Test = False
    for part in pattern.patterns:
        captured: Bindings = {}
        test = _match(ctx, part, x, captured)
        if test is False:
            continue
        if result is False:
            bindings.update(captured)
        elif captured:
            raise ctx.error(pattern, "alternatives that capture names, one of which is chosen at run time",
                            "the names would stand for different things", "write one `case` for each")
        if test is True:
            return True
        result = test if isinstance(result, bool) else ctx.b.one("or", {"x": result, "y": test})
    return result


def _items(ctx: Context, x: Lowered) -> list[Lowered] | None:
    """The items of what a sequence pattern takes: no string, no set, no dict, and no array."""
    if isinstance(x, Static) and not isinstance(x.value, list | tuple):
        return None
    return sequence(ctx, x)


def _sequence(ctx: Context, pattern: Any, x: Lowered, bindings: Bindings) -> Test:
    if isinstance(x, Value) and isinstance(x.type, Scalar | Array):
        return False  # numbers are none, and neither are arrays to Python
    if isinstance(x, Value) and isinstance(x.type, List):
        raise ctx.error(pattern, "a list that grows in a loop is matched", "its length is not known", "use `if`")
    items = _items(ctx, x)
    if items is None:
        return False
    stars = [k for k, p in enumerate(pattern.patterns) if isinstance(p, gast.MatchStar)]
    n = len(pattern.patterns)
    if (not stars and len(items) != n) or (stars and len(items) < n - 1):
        return False
    if stars:
        k, extra = stars[0], len(items) - (n - 1)
        star = pattern.patterns[k]
        if star.name is not None:
            bindings[_name(star.name)] = make_sequence(ctx, "list", items[k:k + extra])
        pairs = [*zip(pattern.patterns[:k], items[:k], strict=True),
                 *zip(pattern.patterns[k + 1:], items[k + extra:], strict=True)]
    else:
        pairs = list(zip(pattern.patterns, items, strict=True))
    return _all(ctx, pairs, bindings)


def _all(ctx: Context, pairs: list[tuple[Any, Lowered]], bindings: Bindings) -> Test:
    result: Test = True
    for part, item in pairs:
        result = _both(ctx, result, _match(ctx, part, usable(ctx, part, item), bindings))
        if result is False:
            return False
    return result


def _mapping(ctx: Context, pattern: Any, x: Lowered, bindings: Bindings) -> Test:
    is_dict = (isinstance(x, Box) and x.kind == "dict") or (isinstance(x, Outside) and isinstance(x.value, dict))
    if isinstance(x, Static) and isinstance(x.value, dict):
        raise ctx.error(pattern, "a constant dict is matched", "", "use `if`")
    if not is_dict:
        return False
    items = mapping_items(ctx, pattern, x)
    keys = [static(ctx, k, ctx.expr(k), "a key") for k in pattern.keys]
    if any(k not in items for k in keys):
        return False
    if pattern.rest is not None:
        box = Box("dict", None, "", ctx.depth)
        ctx.state.heap[box] = {k: v for k, v in items.items() if k not in keys}
        bindings[_name(pattern.rest)] = box
    return _all(ctx, [(p, items[k]) for p, k in zip(pattern.patterns, keys, strict=True)], bindings)


def _class(ctx: Context, pattern: Any, x: Lowered, bindings: Bindings) -> Test:
    cls = static(ctx, pattern.cls, ctx.expr(pattern.cls), "the class of a pattern")
    own = python_type(ctx, x)
    if own is None:
        raise ctx.error(pattern, "the class of what is matched is not known before the function runs",
                        "it decides which code is generated", "find it out before the function")
    if not issubclass(own, cls):
        return False
    if pattern.patterns and cls in _SELVES:
        return _match(ctx, pattern.patterns[0], x, bindings)
    names = [*getattr(cls, "__match_args__", ())[:len(pattern.patterns)], *map(_name, pattern.kwd_attrs)]
    parts = [*pattern.patterns, *pattern.kwd_patterns]
    if len(names) != len(parts):
        raise ctx.error(pattern, f"{cls.__name__} takes fewer positional patterns", "Python would raise TypeError",
                        "name the attributes", python=TypeError)
    return _all(ctx, [(p, get_attribute(ctx, pattern, x, n)) for p, n in zip(parts, names, strict=True)], bindings)


_PATTERNS: dict[type, Any] = {
    gast.MatchValue: _value, gast.MatchSingleton: _singleton, gast.MatchAs: _as, gast.MatchOr: _or,
    gast.MatchSequence: _sequence, gast.MatchMapping: _mapping, gast.MatchClass: _class,
}
