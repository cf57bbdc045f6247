"""Is this piece of source that of this code object? Compile it again, and compare."""

from __future__ import annotations
import __future__

import ast
import copy
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any, TypeAlias

FunctionNode: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"
FunctionNodes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

_FUTURE_FLAGS = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})


@dataclass(frozen=True)
class Candidate:
    """A function in a parsed file; `owner` is the name of the class around it, which mangles `__names`."""

    node: FunctionNode
    owner: str | None = None

    @property
    def name(self) -> str:
        return "<lambda>" if isinstance(self.node, ast.Lambda) else self.node.name


def candidates(tree: ast.AST, owner: str | None = None) -> Iterator[tuple[int, Candidate]]:
    """Every function below `tree` with the line that its code object says it starts on."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.Lambda):
            yield child.lineno, Candidate(child, owner)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield min([child, *child.decorator_list], key=lambda n: n.lineno).lineno, Candidate(child, owner)
        yield from candidates(child, child.name if isinstance(child, ast.ClassDef) else owner)


def imported(tree: ast.AST) -> frozenset[str]:
    """The names that the module `tree` imports at its top level; a call of their attributes compiles otherwise."""
    names: set[str] = set()
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.Import | ast.ImportFrom):
            names.update((alias.asname or alias.name).split(".")[0] for alias in child.names)
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            names |= imported(child)
    return frozenset(names - {"*"})


def matching(code: CodeType, found: list[Candidate], imports: frozenset[str]) -> Candidate | None:
    """The candidate that `code` was compiled from; `imports` are the names that its module imports.

    Several match only where their code is equal, as that of two equal lambdas on one line can be: then
    the one at the same columns (known from Python 3.11), else the first, which computes the same.
    """
    equal = []
    # A prompt compiles a function by itself, without the imports before it.
    for candidate, names in itertools.product(found, {imports, frozenset[str]()}):
        again = _compile_function(candidate, code, names) if candidate.name == code.co_name else None
        if again is not None and same_code(again, code, candidate.node):
            equal.append((candidate, again))
    for candidate, again in equal:
        if _positions(again) == _positions(code):
            return candidate
    return equal[0][0] if equal else None


def matching_module(code: CodeType, tree: ast.Module) -> ast.Module | None:
    """The part of `tree` that module-level `code` was compiled from.

    A file is compiled as a whole; a prompt, a doctest or a notebook compiles statement by statement.
    """
    for part in (tree, *(ast.Module([statement], []) for statement in tree.body)):
        interactive = ast.Interactive(part.body)
        for root, mode in ((part, "exec"), (interactive, "single")):
            again = _compile(root, mode, code)
            if again is not None and same_code(again, code, part):
                return part
    return None


def _compile(tree: ast.AST, mode: str, like: CodeType) -> CodeType | None:
    flags = like.co_flags & _FUTURE_FLAGS | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    try:
        result = compile(tree, like.co_filename, mode, flags, dont_inherit=True)  # type: ignore[call-overload]
    except (SyntaxError, ValueError):  # such as `nonlocal` of a name that `like` has no cell for
        return None
    assert isinstance(result, CodeType)
    return result


def _compile_function(candidate: Candidate, like: CodeType, imports: frozenset[str]) -> CodeType | None:
    """The code of `candidate` alone, in surroundings that give it the cells that `like` has."""
    # `__class__` and `__classdict__` are cells that a class makes by itself.
    cells = [name for name in like.co_freevars if not name.startswith("__class")]
    stub = _without_surroundings(candidate.node)
    outer = ast.parse("def _():\n pass").body[0]
    assert isinstance(outer, ast.FunctionDef)
    outer.body = [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)) for name in cells]
    if not isinstance(stub, ast.Lambda) and _mangled(stub.name, candidate.owner) not in cells:
        outer.body.append(ast.Global([stub.name]))  # a function that calls itself finds itself there
    outer.body.append(ast.Return(stub) if isinstance(stub, ast.Lambda) else stub)
    module = ast.parse("".join(f"import {name}\n" for name in sorted(imports)))
    if candidate.owner is None:
        module.body.append(outer)
    else:
        module.body += ast.parse(f"class {candidate.owner}:\n pass").body
        module.body[-1].body = [outer]  # type: ignore[attr-defined]
    code = _compile(ast.fix_missing_locations(module), "exec", like)
    for _ in range(2 if candidate.owner is None else 3):
        code = code and next(c for c in code.co_consts if isinstance(c, CodeType))
    return code


def compile_alone(tree: ast.AST, like: CodeType) -> CodeType | None:
    """The code of a module, function or lambda, in surroundings that give it the cells that `like` has."""
    if isinstance(tree, ast.Module):
        return _compile(ast.fix_missing_locations(tree), "exec", like)
    assert isinstance(tree, FunctionNodes)
    return _compile_function(Candidate(tree), like, frozenset())


def _mangled(name: str, owner: str | None) -> str:
    """`name` as it is inside the class `owner`."""
    private = name.startswith("__") and not name.endswith("__") and owner is not None and owner.strip("_")
    return f"_{owner.lstrip('_')}{name}" if owner and private else name


def _without_surroundings(node: FunctionNode) -> FunctionNode:
    """A copy of `node` without what is evaluated outside it: decorators, defaults and annotations."""
    stub = copy.copy(node)
    stub.args = copy.copy(node.args)
    stub.args.defaults = []
    stub.args.kw_defaults = [None] * len(node.args.kwonlyargs)
    for kind in ("posonlyargs", "args", "kwonlyargs"):
        setattr(stub.args, kind, [_bare(arg) for arg in getattr(node.args, kind)])
    stub.args.vararg = node.args.vararg and _bare(node.args.vararg)
    stub.args.kwarg = node.args.kwarg and _bare(node.args.kwarg)
    if not isinstance(stub, ast.Lambda):
        # A stand-in for each decorator keeps the first line where it was.
        stub.decorator_list = [ast.copy_location(ast.Name("_", ast.Load()), d) for d in node.decorator_list]  # type: ignore[union-attr]
        stub.returns = None
        stub.type_params = []  # type: ignore[attr-defined, union-attr, unused-ignore]
    return stub


def _bare(arg: ast.arg) -> ast.arg:
    return ast.copy_location(ast.arg(arg.arg, None), arg)


def same_code(again: CodeType, code: CodeType, node: ast.AST) -> bool:
    """Was `code` compiled from `node`, which compiles to `again`?"""
    if _rewritten(code):
        return _same_names(again, code) and _same_lines(again, code, node)
    return _key(again) == _key(code)


def _key(code: CodeType) -> tuple[Any, ...]:
    """What decides what `code` does."""
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
    names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return (counts, names, code.co_code, tuple(map(_constant, code.co_consts)))


def _constant(value: Any) -> Any:
    """A key of a constant; tells 1 from 1.0 and True, and 0.0 from -0.0."""
    if isinstance(value, CodeType):
        return _key(value)
    if isinstance(value, tuple):
        return tuple(map(_constant, value))
    if isinstance(value, frozenset):
        return frozenset(map(_constant, value))
    if isinstance(value, str):
        # The qualified name of a function or class inside (a constant up to Python 3.10) says where `code` was.
        return value.rpartition(".<locals>.")[2]
    return (type(value), repr(value))


def _positions(code: CodeType) -> list[Any] | None:
    return list(code.co_positions()) if hasattr(code, "co_positions") else None


# pytest rewrites `assert` statements, so that its code has other instructions, names and constants.


def _rewritten(code: CodeType) -> bool:
    return any(name.startswith("@py") for name in (*code.co_names, *code.co_varnames, *code.co_cellvars)) or any(
        _rewritten(inner) for inner in code.co_consts if isinstance(inner, CodeType))


def _same_names(again: CodeType, code: CodeType) -> bool:
    def own(names: tuple[str, ...]) -> list[str]:
        return [name for name in names if not name.startswith("@")]

    def inner(c: CodeType) -> list[CodeType]:
        return [constant for constant in c.co_consts if isinstance(constant, CodeType)]

    return (
        again.co_name == code.co_name
        and again.co_argcount == code.co_argcount
        and own(again.co_varnames) == own(code.co_varnames)
        and again.co_freevars == code.co_freevars
        and set(again.co_names) <= set(code.co_names)
        and len(inner(again)) == len(inner(code))
        and all(_same_names(*pair) for pair in zip(inner(again), inner(code), strict=True)))


def _same_lines(again: CodeType, code: CodeType, node: ast.AST) -> bool:
    asserted = {line for inner in ast.walk(node) if isinstance(inner, ast.Assert)
                for line in range(inner.lineno, (inner.end_lineno or inner.lineno) + 1)}
    return _lines(again) - asserted == _lines(code) - asserted


def _lines(code: CodeType) -> set[int]:
    return {line for _, _, line in code.co_lines() if line}
