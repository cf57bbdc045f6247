"""The command line: `python -m s2s show path/to/file.py:function` prints the adjoint of a function."""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import inspect
import operator
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from s2s.api import functions
from s2s.api.dispatch import BoundGradient, GradientFunction, Lowered, _sample_arguments
from s2s.errors import S2SError
from s2s.options import TARGETS

STAGES = ("lowered", "differentiated", "simplified", "source")
APIS = ("gradients_function", "value_and_gradients_function", "implicit_gradients", "implicit_value_and_gradients")


class _Refused(Exception):
    """What is wrong with the command, in words for the person who typed it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status."""
    options = _parser().parse_args(arguments)
    try:
        print(show(options.function, options.args, options.stage, options.target, options.api), end="")
    except _Refused as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except (S2SError, TypeError, ValueError) as error:
        print(f"error: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m s2s", description="Source-to-source automatic differentiation.")
    commands = parser.add_subparsers(metavar="command", required=True)
    command = commands.add_parser("show", help="print the adjoint of a function")
    command.add_argument("function", metavar="FILE:FUNCTION", help="such as model.py:loss or model.py:Model.loss; the "
                         "file is imported")
    command.add_argument("--args", metavar="CODE", help="arguments of a call, such as '1.0, np.ones(3), n=2'; needed "
                         "where annotations and defaults do not tell the types")
    command.add_argument("--stage", choices=STAGES, default="source", help="the program at this stage of the compiler")
    command.add_argument("--target", choices=TARGETS, help="default: that of the gradient function, or python")
    command.add_argument("--api", choices=APIS, help="what to make of a plain function; default: implicit_gradients "
                         "where it reads Variables, else gradients_function")
    return parser


def show(place: str, args: str | None = None, stage: str = "source", target: str | None = None,
         api: str | None = None) -> str:
    """The adjoint of the function at `place` ("file.py:name"), or an earlier stage of it."""
    file, _, name = place.rpartition(":")
    if not file or not name:
        raise _Refused(f"{place!r} is no FILE:FUNCTION")
    module = load(Path(file))
    try:
        found = operator.attrgetter(name)(module)
    except AttributeError:
        raise _Refused(f"{file} has no {name!r}") from None
    if not callable(found):
        raise _Refused(f"{name!r} in {file} is no function but {found!r:.60}")
    positional, keywords = _example(found, name) if args is None else _arguments(args, module)
    text = _gradient(found, target, api, positional, keywords).stages[stage]
    return text if text.endswith("\n") else text + "\n"


def load(path: Path) -> ModuleType:
    """The module in a file, imported under its own name, with its folder on the path."""
    if not path.is_file():
        raise _Refused(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise _Refused(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise _Refused(f"importing {path} raises {type(error).__name__}: {error}") from error
    return module


def _example(found: Any, name: str) -> tuple[list[Any], dict[str, Any]]:
    """Arguments of the types that annotations and defaults tell."""
    try:
        return _sample_arguments(inspect.signature(found), name), {}
    except TypeError:
        raise _Refused(f"the types of the arguments of {name} are not known: pass --args, such as "
                       "--args '1.0, np.ones(3)'") from None


def _arguments(code: str, module: ModuleType) -> tuple[list[Any], dict[str, Any]]:
    """The arguments that `code` stands for, in the terms of the module."""
    names = {"np": np, **vars(module), "_call": lambda *args, **kwargs: (list(args), kwargs)}
    try:
        return eval(f"_call({code})", names)  # type: ignore[no-any-return]
    except Exception as error:
        raise _Refused(f"--args {code!r}: {type(error).__name__}: {error}") from error


def _gradient(found: Any, target: str | None, api: str | None, args: list[Any], kwargs: dict[str, Any]) -> Lowered:
    """The adjoint of a function, or of the gradient function that it is already."""
    if isinstance(found, GradientFunction | BoundGradient):
        if api is not None:
            raise _Refused(f"{found!r} is a gradient function already: --api is for plain functions")
        if target is None:
            return found.lower(*args, **kwargs)
        request = found.request
        options = dataclasses.replace(request.options, target=target)
        return GradientFunction(dataclasses.replace(request, options=options)).lower(*args, **kwargs)
    wanted = {} if target is None else {"target": target}
    if api is not None:
        return getattr(functions, api)(found, **wanted).lower(*args, **kwargs)  # type: ignore[no-any-return]
    try:
        return functions.implicit_gradients(found, **wanted).lower(*args, **kwargs)  # type: ignore[no-any-return]
    except S2SError:
        raise
    except ValueError:  # it reads no trainable Variable
        return functions.gradients_function(found, **wanted).lower(*args, **kwargs)  # type: ignore[no-any-return]


if __name__ == "__main__":
    sys.exit(main())
