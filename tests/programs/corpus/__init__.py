"""The corpus: one file a kind of construct, each program registered with `@program`.

    @program(args=(1.5, np.ones(3)), wrt=(0, 1), order=2)
    def scaled_sum(a, x):
        return a * np.sum(x * x)

`test_corpus.py` runs every program in every mode and on every target; `PROGRAMS` lists them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

PROGRAMS: dict[str, Program] = {}


@dataclass(frozen=True)
class Program:
    """One function, the arguments it is run with, and what is expected of it."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    #: Positions (ints) and names (strings) of the differentiated parameters, as in `params`.
    wrt: tuple[int | str, ...]
    #: Variables that the function reads: if there are any, the implicit functions are tested.
    variables: tuple[Any, ...]
    #: True, or the reason why target `cpu` refuses the program with a `CompilationError`.
    cpu: bool | str
    #: 2 if the second derivative is tested too.
    order: int
    #: In the set that runs on `cpu` on every Python version.
    smoke: bool
    rtol: float
    #: What finite differences are taken of, where `function` itself computes in float32.
    reference: Callable[..., Any]


def program(
    *,
    args: tuple[Any, ...] = (),
    kwargs: Mapping[str, Any] | None = None,
    wrt: tuple[int | str, ...] | None = None,
    variables: tuple[Any, ...] = (),
    cpu: bool | str = True,
    order: int = 1,
    smoke: bool = False,
    rtol: float = 1e-7,
    reference: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function; without `wrt`, all its positional arguments are differentiated."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        own_name = name or function.__name__
        module = getattr(function, "func", function).__module__  # that of a partial is functools
        key = f"{module.rpartition('.')[2]}.{own_name}"
        if key in PROGRAMS:
            raise ValueError(f"two programs are called {key}")
        PROGRAMS[key] = Program(
            name=key,
            function=function,
            args=args,
            kwargs=kwargs or {},
            wrt=tuple(range(len(args))) if wrt is None else wrt,
            variables=variables,
            cpu=cpu,
            order=order,
            smoke=smoke,
            rtol=rtol,
            reference=reference or function,
        )
        return function

    return register


def load() -> dict[str, Program]:
    """Import every file of the corpus and return all programs by name."""
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        importlib.import_module(f"{__name__}.{module}")
    return PROGRAMS
