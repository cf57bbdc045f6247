"""What s2s knows of NumPy's public interface: each function and array method has a derivative, or a reason for none.

`tests/rules/test_coverage.py` walks the namespaces of the NumPy that is installed and fails on a name that is in none
of the tables; the documentation prints them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from s2s.lower.grids import GRIDS
from s2s.lower.intrinsics import INTRINSICS
from s2s.lower.library import STAND_INS
from s2s.lower.typefunctions import TYPE_FUNCTIONS
from s2s.lower.writers import WRITERS, WRITING_METHODS
from s2s.rules import TABLE
from s2s.rules.expand import EXPANSIONS, METHODS
from s2s.rules.table import Rule

# Functions and classes that compute nothing that could have a derivative, by reason. They may be called; the call is
# left where it is.
WITHOUT: dict[str, str] = {
    "it prints, or makes text": """array2string array_repr array_str base_repr binary_repr
        datetime_as_string
        format_float_positional format_float_scientific info get_include show_config show_runtime test typename
        printoptions get_printoptions set_printoptions einsum_path""",
    "it reads or writes files and bytes": """fromfile frombuffer fromregex fromstring from_dlpack genfromtxt
        load loadtxt save savetxt savez savez_compressed memmap DataSource""",
    "it is a setting": """errstate getbufsize geterr geterrcall setbufsize seterr seterrcall""",
    "it is of dates": """busday_count busday_offset busdaycalendar datetime64 datetime_data is_busday isnat
        timedelta64""",
    "it is of bits": "packbits unpackbits",
    "it is a type": """bool bool_ byte bytes_ cdouble character clongdouble complex128 complex192 complex256 complex64
        complexfloating csingle double flexible float128 float16 float32 float64 float96 floating generic half inexact
        int16 int32 int64 int8 int_ intc integer intp long longdouble longlong number object_ short signedinteger single
        str_ ubyte uint uint16 uint32 uint64 uint8 uintc uintp ulong ulonglong unsignedinteger ushort void LinAlgError
        ufunc flatiter ndarray""",
}

# What has a derivative, or a value that could be differentiated, and is refused.
REFUSED: dict[str, str] = {
    "poly1d": "it is no array; use the functions of coefficients: np.polyval, np.polymul",
    "unique_all unique_counts unique_inverse": "its result is an object; use np.unique, which takes return_counts",
    "histogram2d histogramdd": "its edges follow the data; count with np.bincount, which takes weights",
    "matrix asmatrix bmat recarray record": "it computes otherwise than an array; use np.array",
    "broadcast nditer nested_iters": "write the loop over indices",
    "frompyfunc": "its results are Python objects; use np.vectorize, or the function itself",
    "fromiter": "build a list, and np.array of it",
    "mask_indices": "it calls its argument; use np.triu_indices or np.nonzero of a mask",
    "in1d": "NumPy has removed it; use np.isin",
    "isfortran": "how an array lies in memory is not part of the program",
}

METHODS_WITHOUT: dict[str, str] = {
    "it says something of the array": "base ctypes data device dtype flags itemsize nbytes ndim shape size strides",
    "it writes files and bytes": "dump dumps tobytes tofile",
}
METHODS_REFUSED: dict[str, str] = {
    "byteswap getfield setfield view": "it reads the bytes of the array as something else",
    "resize setflags": "it changes the array object in place; use np.resize",
    "itemset newbyteorder ptp tostring": "NumPy 2 has removed it",
    "to_device": "arrays are in main memory",
    "tolist": "how many numbers there are is not known before the program runs; use the array",
}
# Methods and attributes that lowering knows.
_OWN_METHODS = frozenset({"astype", "fill", "item", "copy", "T", "mT", "real", "imag", "flat"})


def _listed(table: dict[str, str]) -> dict[str, str]:
    """name -> reason."""
    return {name: reason for reason, names in table.items() for name in names.split()}


def _refusals(table: dict[str, str]) -> dict[str, str]:
    return {name: reason for names, reason in table.items() for name in names.split()}


def namespaces() -> Iterator[tuple[str, str, Any]]:
    """The public functions and classes of np, np.linalg and np.fft: dotted name, name, object."""
    for prefix, module in (("np", np), ("np.linalg", np.linalg), ("np.fft", np.fft)):
        for name in dir(module):
            if not name.startswith("_"):
                found = getattr(module, name, None)
                if callable(found):
                    yield f"{prefix}.{name}", name, found


def _rule_kind(rule: Rule) -> tuple[str, str]:
    if rule.differentiable:
        return "derivative", ""
    return ("zero", "") if rule.zero else ("constant", rule.nondiff or "")


def function_kind(name: str, function: Any) -> tuple[str, str] | None:
    """What is known of a function: "derivative", "zero", "constant", "none" or "refused", and why; None for nothing."""
    if function in TYPE_FUNCTIONS:
        return "constant", "it looks at types alone"
    rule = TABLE.of_callable(function)
    if rule is not None and rule.spec.refused:
        return "refused", rule.spec.refused
    if function in EXPANSIONS or function in STAND_INS or function in WRITERS:
        return "derivative", ""
    if rule is not None:
        return _rule_kind(rule)
    if function is np.indices:
        return "constant", "its result is indices"
    if function in GRIDS and function is not np.ndarray:
        return "derivative", ""
    for kind, known in (("none", _listed(WITHOUT)), ("refused", _refusals(REFUSED))):
        if name in known:
            return kind, known[name]
    return ("derivative", "") if function in INTRINSICS else None


def method_kind(name: str) -> tuple[str, str] | None:
    """The same of a method or attribute of arrays."""
    if name in _OWN_METHODS or name in METHODS or name in WRITING_METHODS:
        return "derivative", ""
    rule = TABLE.by_method.get(name)
    if rule is not None:
        return _rule_kind(rule)
    for kind, known in (("none", _listed(METHODS_WITHOUT)), ("refused", _refusals(METHODS_REFUSED))):
        if name in known:
            return kind, known[name]
    return None


def methods() -> list[str]:
    """The public methods and attributes of arrays."""
    return [name for name in dir(np.ndarray) if not name.startswith("_")]
