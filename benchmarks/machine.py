"""What the process runs on: threads, memory, versions."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import platform
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
PACKAGES = ("numpy", "scipy", "numba", "jax", "torch", "autograd", "tangent-ad")


def environment(threads: int) -> dict[str, str]:
    """The environment of a measuring process: so many threads for everyone; memory that is freed is kept.

    glibc gives large blocks back to the system when they are freed, and faults them in again page by page:
    that would be measured instead of the code. The thresholds are raised for all alike.
    """
    # Set on some machines for old builds of OpenBLAS, which they slow down.
    kept = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
    kept |= dict.fromkeys(THREAD_VARIABLES, str(threads))
    kept |= {"MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TRIM_THRESHOLD_": "8589934592"}
    if threads == 1:
        kept["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    return kept


def pin(threads: int) -> None:
    """Stay on as many cores as there are threads: holds for systems that ask for no variable."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])


def describe(threads: int) -> dict[str, Any]:
    versions = {}
    for package in PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": threads,
        "packages": versions,
    }


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor()


def peak_memory(call: Callable[[], Any]) -> int | None:
    """The bytes by which the memory of this process grows, at most, while `call` runs; None where Linux is not."""
    try:
        with _fresh_peak():
            before = _status("VmRSS")
            result = call()
            peak = _status("VmHWM") - before
            del result
    except OSError:
        return None
    return max(0, peak)


@contextlib.contextmanager
def _fresh_peak() -> Iterator[None]:
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the peak is the present
    yield


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return 1024 * int(line.split()[1])
    raise OSError(f"/proc/self/status has no {field}")
