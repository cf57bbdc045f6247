"""Records that say what is asked of the compiler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

TARGETS = ("python", "cpu", "cuda")


@dataclass(frozen=True)
class Options:
    """The options of a gradient function: a target, and what is passed on to its compiler."""

    target: str = "python"
    parallel: bool = False
    fastmath: bool = False
    cache: bool = False
    boundscheck: bool = False

    def __post_init__(self) -> None:
        if self.target not in TARGETS:
            raise ValueError(f"target={self.target!r} is none of {', '.join(map(repr, TARGETS))}")


DEFAULT = Options()


def options_of(given: dict[str, Any]) -> Options:
    """The options passed by keyword; TypeError that names one that there is not."""
    known = [f.name for f in fields(Options)]
    for name in given:
        if name not in known:
            raise TypeError(f"there is no option {name!r}; the options are {', '.join(known)}")
    return Options(**given)


@dataclass(frozen=True)
class Request:
    """A derivative that is asked for.

    kind: "gradients" or "implicit". with_value: whether the value is returned too. params: names or
    positions of the parameters (None: all positional ones). single: one gradient is returned bare
    rather than in a list, as `grad(f, argnums=0)` does.
    """

    kind: str
    function: Callable[..., Any]
    with_value: bool = False
    params: tuple[int | str, ...] | None = None
    single: bool = False
    as_tuple: bool = False
    options: Options = field(default_factory=Options)

    @property
    def kind_of_derivative(self) -> tuple[object, ...]:
        """All of it but the function."""
        return (self.kind, self.with_value, self.params, self.single, self.as_tuple, self.options)
