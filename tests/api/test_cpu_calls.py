"""Calls of gradient functions: threads, pickling, machine code kept between processes, what a call costs."""

from __future__ import annotations

import gc
import importlib.util
import os
import pickle
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

import s2s

NUMBA = importlib.util.find_spec("numba") is not None
needs_numba = pytest.mark.skipif(not NUMBA, reason="numba is not installed")


def plain_product(a, b, c, d):
    return a * b + c * d * a


@s2s.grad
def decorated(x):
    return x * x


class Model:
    def __init__(self, size):
        self.w = np.ones(size)

    @s2s.grad
    def loss(self, x):
        return np.sum(self.w * x)


@pytest.mark.parametrize("target", ["python", pytest.param("cpu", marks=[pytest.mark.cpu, needs_numba])])
def test_threads_that_all_make_the_first_call(target: str) -> None:
    g = s2s.gradients_function(plain_product, target=target)
    barrier = threading.Barrier(8)
    results: list[list[float]] = []

    def run(k: int) -> None:
        barrier.wait()
        results.append([float(v) for v in g(1.0 + k, 2.0, 3.0, 4.0)])

    threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(results) == [[14.0, 1.0 + k, 4.0 * (1 + k), 3.0 * (1 + k)] for k in range(8)]
    assert len(g.signatures) == 1


def test_pickle_of_a_decorated_function_is_by_name() -> None:
    assert pickle.loads(pickle.dumps(decorated)) is decorated


def test_pickle_of_a_gradient_function() -> None:
    g = pickle.loads(pickle.dumps(s2s.gradients_function(plain_product, params=["b"])))
    assert [float(v) for v in g(1.0, 2.0, 3.0, 4.0)] == [1.0]


@pytest.mark.usefixtures("small_heap")
def test_calls_keep_nothing_alive() -> None:
    x = np.ones(3)
    g = s2s.grad(lambda x: np.sum(x * x))
    g(x)
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None
    model = Model(2)
    np.testing.assert_array_equal(model.loss(2.0), 2.0)
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_methods_of_two_instances() -> None:
    small, large = Model(2), Model(3)
    assert [float(m.loss(2.0)) for m in (small, large, small)] == [2.0, 3.0, 2.0]


def test_fewer_arguments_than_in_the_call_before() -> None:
    def scaled(x, factor=2.0):
        return x * factor

    g = s2s.gradients_function(scaled, params=[0])
    assert [float(v) for args in ((1.0,), (1.0, 5.0), (1.0,)) for v in g(*args)] == [2.0, 5.0, 2.0]


@pytest.mark.cpu
@needs_numba
def test_numbers_keep_their_dtype() -> None:
    (gradient,) = s2s.gradients_function(lambda x: x * x, target="cpu")(np.float32(2.0))
    assert gradient.dtype == np.float32 and float(gradient) == 4.0


@pytest.mark.cpu
@needs_numba
def test_machine_code_is_kept_between_processes(tmp_path: Path) -> None:
    script = tmp_path / "cached.py"
    script.write_text(
        "import s2s\n\n\ndef f(x):\n    return x * x * x\n\n\n"
        "g = s2s.gradients_function(f, target='cpu', cache=True)\n"
        "print(float(g(2.0)[0]))\n"
        "(entry,) = [e for known in g._entries.values() for e in known]\n"
        "print(sum(entry.core.stats.cache_hits.values()), sum(entry.core.stats.cache_misses.values()))\n")
    env = {**os.environ, "S2S_CACHE_DIR": str(tmp_path / "cache")}
    first, second = (subprocess.run([sys.executable, str(script)], env=env, capture_output=True, text=True, check=True)
                     .stdout.split() for _ in range(2))
    assert first == ["12.0", "0", "1"]
    assert second == ["12.0", "1", "0"]


@pytest.mark.cpu
@needs_numba
def test_what_a_call_costs() -> None:
    """One shell around the compiled adjoint: a call runs few Python functions (times are for benchmarks)."""
    g = s2s.gradients_function(plain_product, target="cpu")
    args = (1.0, 2.0, 3.0, 4.0)
    g(*args)
    calls: list[str] = []
    sys.setprofile(lambda frame, event, arg: calls.append(frame.f_code.co_name) if event == "call" else None)
    try:
        g(*args)
    finally:
        sys.setprofile(None)
    assert len(calls) <= 2 + len(args), calls


@pytest.mark.parametrize("module", ["numba", "scipy"])
def test_import_is_light(module: str) -> None:
    code = f"import s2s, sys; print({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
