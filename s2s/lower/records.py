"""Functions on records and containers: of dataclasses, attrs, namedtuples, copy, collections and SimpleNamespace."""

from __future__ import annotations

import collections
import copy
import dataclasses
import sys
import types
from collections.abc import Callable
from typing import Any

from s2s.containers import class_fields
from s2s.ir.core import Value
from s2s.ir.types import Array, List
from s2s.lower.attributes import get_attribute, named_asdict, named_replace
from s2s.lower.context import Context
from s2s.lower.describe import describe
from s2s.lower.iterate import known_items
from s2s.lower.nests import unfold
from s2s.lower.numbers import sequence
from s2s.lower.objects import class_of, python_method
from s2s.lower.sequences import make_sequence, mapping_items
from s2s.lower.standing import copied
from s2s.lower.truth import static, usable
from s2s.lower.values import Box, Lazy, Lowered, Outside, Slice, Static, Tuple

Node = Any
Args = list[Lowered]
Kwargs = dict[str, Lowered]
Handler = Callable[[Context, Node, Args, Kwargs], "Lowered | None"]


def _box(ctx: Context, kind: str, cls: type | None, content: Any, site: int = 0) -> Box:
    box = Box(kind, cls, "", ctx.depth, site)
    ctx.state.heap[box] = content
    return box


def fields_of(ctx: Context, node: Node, x: Lowered) -> dict[str, Lowered]:
    """The fields of an instance of a dataclass or attrs class, by name."""
    names = class_fields(class_of(x))
    if names is None:
        raise ctx.error(node, f"{describe(x)} is no instance of a dataclass", "Python would raise TypeError",
                        "pass one", python=TypeError)
    return {name: get_attribute(ctx, node, x, name) for name in names}


# dataclasses and attrs ---------------------------------------------------------------------------------


def _replace(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    x = usable(ctx, node, args[0])
    given = {**fields_of(ctx, node, x), **kwargs}
    cls: Any = class_of(x)
    if hasattr(cls, "__dataclass_fields__"):
        late = [f.name for f in dataclasses.fields(cls) if not f.init]
    else:
        late = [a.name for a in cls.__attrs_attrs__ if not a.init]
    for name in late:
        if name in kwargs:
            raise ctx.error(node, f"the field {name!r} is not set by __init__, and so cannot be replaced",
                            "Python would raise an error", "set it in a new object", python=ValueError)
        given.pop(name)
    return ctx.call(node, Static(cls), [], {_init_name(cls, name): v for name, v in given.items()})


def _init_name(cls: Any, name: str) -> str:
    """The parameter of `__init__` for a field: attrs leaves out the underscore."""
    if hasattr(cls, "__dataclass_fields__"):
        return name
    return next((a.alias or a.name.lstrip("_") for a in cls.__attrs_attrs__ if a.name == name), name)


def _asdict(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered | None:
    if len(args) != 1 or kwargs:
        return None
    return _plain(ctx, node, usable(ctx, node, args[0]), lambda items: _box(ctx, "dict", None, items))


def _astuple(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered | None:
    if len(args) != 1 or kwargs:
        return None
    return _plain(ctx, node, usable(ctx, node, args[0]), lambda items: Tuple(tuple(items.values())))


def _plain(ctx: Context, node: Node, x: Lowered, make: Callable[[dict[str, Lowered]], Lowered]) -> Lowered:
    """A record as a plain container, and so its parts; arrays are copied, as Python does."""
    if class_fields(class_of(x)) is not None:
        return make({k: _plain(ctx, node, usable(ctx, node, v), make) for k, v in fields_of(ctx, node, x).items()})
    unfolded = unfold(ctx, x)
    if unfolded is not None:
        parts, refold = unfolded
        return refold([_plain(ctx, node, usable(ctx, node, p), make) for p in parts])
    return _copied(ctx, node, x)


def _copied(ctx: Context, node: Node, x: Lowered) -> Lowered:
    if not (isinstance(x, Value) and isinstance(x.type, Array)):
        return x
    new = copied(ctx, node, x)
    if x in ctx.lists:
        ctx.lists[new] = ctx.lists[x]
    return new


def _grows(ctx: Context, x: Lowered) -> bool:
    """Whether `x` is a list that grew in a loop."""
    content = ctx.state.heap.get(x) if isinstance(x, Box) else x
    return isinstance(content, Value) and isinstance(content.type, List)


def _fields(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered | None:
    x = usable(ctx, node, args[0])
    cls = x.value if isinstance(x, Static | Outside) and isinstance(x.value, type) else class_of(x)
    if class_fields(cls) is None:
        return None
    found: Any = dataclasses.fields(cls) if hasattr(cls, "__dataclass_fields__") else cls.__attrs_attrs__  # type: ignore[union-attr, arg-type]
    return Tuple(tuple(Static(f) for f in found))


def _is_dataclass(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    x = usable(ctx, node, args[0])
    cls = x.value if isinstance(x, Static | Outside) and isinstance(x.value, type) else class_of(x)
    return ctx.b.const(hasattr(cls, "__dataclass_fields__"))


# Namedtuples ---------------------------------------------------------------------------------------------


def _named_parts(ctx: Context, x: Lowered) -> tuple[Any, dict[str, Lowered]]:
    cls: Any = class_of(x)
    return cls, dict(zip(cls._fields, sequence(ctx, x) or [], strict=True))


def _named_replace(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    cls, parts = _named_parts(ctx, args[0])
    for name in kwargs:
        if name not in parts:
            raise ctx.error(node, f"{cls.__name__} has no field {name!r}", "Python would raise an error",
                            f"its fields are: {', '.join(parts)}", python=ValueError)
    return Tuple(tuple({**parts, **kwargs}.values()), cls)


def _named_asdict(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    return _box(ctx, "dict", None, _named_parts(ctx, args[0])[1])


def named_make(cls: Any) -> Handler:
    """`Class._make(iterable)` of a namedtuple."""
    def make(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
        items = known_items(ctx, node, args[0])
        if len(items) != len(cls._fields):
            raise ctx.error(node, f"{cls.__name__}._make of {len(items)} values; it has {len(cls._fields)} fields",
                            "Python would raise TypeError", "pass one for each", python=TypeError)
        return Tuple(tuple(items), cls)
    return make


# copy ----------------------------------------------------------------------------------------------------


def _shallow(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered | None:
    x = usable(ctx, node, args[0] if args else kwargs["x"])
    if _grows(ctx, x) or (isinstance(x, Value) and x in ctx.lists):
        return ctx.handlers.item(ctx, node, x, Slice(None, None, None))
    if isinstance(x, Value | Static | Tuple):
        return _copied(ctx, node, x)
    if _has_own(x, "__copy__"):
        return None
    unfolded = unfold(ctx, x)
    return None if unfolded is None else _like(ctx, x, *unfolded)


def _deep(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered | None:
    made: dict[Lowered, Lowered] = {}

    def copied(x: Lowered) -> Lowered | None:
        x = usable(ctx, node, x)
        if isinstance(x, Box | Value) and x in made:
            return made[x]
        if _grows(ctx, x):
            new: Lowered | None = ctx.stand_in(node, "list_of_copies", [x], {})
        elif isinstance(x, Value | Static):
            new = _copied(ctx, node, x)
        elif _has_own(x, "__deepcopy__"):
            return None
        else:
            unfolded = unfold(ctx, x)
            if unfolded is None:
                return None
            parts = [copied(p) for p in unfolded[0]]
            if any(p is None for p in parts):
                return None
            new = _like(ctx, x, [p for p in parts if p is not None], unfolded[1])
        if isinstance(x, Box | Value) and new is not None:
            made[x] = new
        return new

    return copied(args[0] if args else kwargs["x"])


def _has_own(x: Lowered, name: str) -> bool:
    return python_method(class_of(x), name) is not None


def _like(ctx: Context, x: Lowered, parts: list[Lowered], refold: Callable[[list[Lowered]], Lowered]) -> Lowered:
    new = refold(parts)
    if isinstance(x, Box) and isinstance(new, Box):
        new.cls, new.extra = x.cls, x.extra
    return new


# collections ---------------------------------------------------------------------------------------------


def _pairs(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> dict[Any, Lowered]:
    content: dict[Any, Lowered] = {}
    if args:
        x = usable(ctx, node, args[0])
        if isinstance(x, Lazy | Tuple) or (isinstance(x, Box) and x.kind in ("list", "iterator")):
            for pair in known_items(ctx, node, x):
                key, item = known_items(ctx, node, pair)
                content[static(ctx, node, key, "the key of a dict")] = item
        else:
            content.update(mapping_items(ctx, node, x))
    content.update(kwargs)
    return content


def _ordered_dict(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    return _box(ctx, "dict", collections.OrderedDict, _pairs(ctx, node, args, kwargs))


def _default_dict(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    box = _box(ctx, "dict", collections.defaultdict, _pairs(ctx, node, args[1:], kwargs))
    if args and args[0] != Static(None):
        box.extra = args[0]
    return box


def _deque(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    items = known_items(ctx, node, args[0]) if args else []
    longest = kwargs.get("maxlen", args[1] if len(args) > 1 else Static(None))
    most = static(ctx, node, longest, "maxlen")
    kept = items if most is None else items[max(len(items) - most, 0):]
    box = make_sequence(ctx, "list", kept, node)
    assert isinstance(box, Box)
    box.cls, box.extra = collections.deque, most
    return box


def _namespace(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    return _box(ctx, "object", types.SimpleNamespace, _pairs(ctx, node, args, kwargs))


RECORDS: dict[Any, Handler] = {
    dataclasses.replace: _replace, dataclasses.asdict: _asdict, dataclasses.astuple: _astuple,
    dataclasses.fields: _fields, dataclasses.is_dataclass: _is_dataclass, named_replace: _named_replace,
    named_asdict: _named_asdict, copy.copy: _shallow, copy.deepcopy: _deep, collections.OrderedDict: _ordered_dict,
    collections.defaultdict: _default_dict, collections.deque: _deque, types.SimpleNamespace: _namespace,
}
if hasattr(copy, "replace"):  # from Python 3.13 on
    RECORDS[copy.replace] = _replace
_ATTRS: dict[str, Handler] = {"evolve": _replace, "assoc": _replace, "asdict": _asdict, "astuple": _astuple,
                              "fields": _fields}


def record_handler(f: Any) -> Handler | None:
    """What lowers a call of `f`, where it is one of these functions; attrs need not be installed."""
    try:
        found = RECORDS.get(f)
    except TypeError:
        return None
    if found is not None:
        return found
    if isinstance(f, types.MethodType) and f.__name__ == "_make" and isinstance(f.__self__, type) \
            and issubclass(f.__self__, tuple) and hasattr(f.__self__, "_fields"):
        return named_make(f.__self__)
    if isinstance(f, types.FunctionType):
        # By identity: attrs gives some of them the names of classes that it makes.
        modules = [sys.modules[name] for name in ("attr", "attrs") if name in sys.modules]
        return next((handler for name, handler in _ATTRS.items()
                     if any(getattr(m, name, None) is f for m in modules)), None)
    return None


def attrs_init(ctx: Context, node: Node, cls: Any, box: Box, args: Args, kwargs: Kwargs) -> None:
    """What the generated `__init__` of an attrs class does."""
    rest, named = list(args), dict(kwargs)
    content = ctx.state.heap[box]
    for a in cls.__attrs_attrs__:
        key = getattr(a, "alias", None) or a.name.lstrip("_")
        factory = getattr(a.default, "factory", None)
        if a.init and rest and not a.kw_only:
            given = rest.pop(0)
        elif a.init and key in named:
            given = named.pop(key)
        elif factory is not None:
            given = ctx.call(node, Static(factory), [box] if a.default.takes_self else [])
        elif getattr(a.default, "name", None) == "NOTHING":
            if not a.init:
                continue
            raise ctx.error(node, f"{cls.__name__}() misses {key!r}", "Python would raise TypeError", "pass it",
                            python=TypeError)
        else:
            given = ctx.b.const(a.default) if isinstance(a.default, bool | int | float | complex) else Static(a.default)
        if a.converter is not None:
            given = ctx.call(node, Static(a.converter), [given])
        content = ctx.state.heap[box]
        content[a.name] = given
    if rest or named:
        what = f"a parameter {next(iter(named))!r}" if named else f"{len(args)} positional parameters"
        raise ctx.error(node, f"{cls.__name__}() has not {what}", "Python would raise TypeError", "correct the call",
                        python=TypeError)
    for a in cls.__attrs_attrs__:
        if a.validator is not None:
            ctx.call(node, Static(a.validator), [box, Static(a), ctx.state.heap[box][a.name]])
    if hasattr(cls, "__attrs_post_init__"):
        ctx.call(node, Static(cls.__attrs_post_init__), [box])
