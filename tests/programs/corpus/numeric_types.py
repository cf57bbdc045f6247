"""int, float and complex mixed; float32; NumPy scalars; 0-d and zero-size arrays."""

import math

import numpy as np

from . import program

F32 = np.array([0.5, -1.5, 2.0], dtype=np.float32)


@program(args=(1.5, 3), wrt=(0,))
def integer_argument(x, n):
    return x**n * n + x / n + n // 2


@program(args=(1.5,))
def integer_literals(x):
    return 3 * x + x**2 - 1 + 2 / x + (7 // 2) * x + 7 % 4


@program(args=(2.0, np.array([1, 2, 3])), wrt=(0,))
def integer_array(x, k):
    return np.sum(x**k * k) + np.sum(k / x)


@program(args=(np.array([0.5, 1.5]), np.array([True, False])), wrt=(0,))
def boolean_array(x, keep):
    return np.sum(x * keep) + np.sum(x**2 * ~keep)


@program(args=(1.7,))
def int_and_round_are_constants(x):
    return int(x) * x + round(x) * x * x + math.floor(x) + float(int(x * 3.0)) * x


@program(args=(np.float64(1.5), np.float64(0.5)))
def numpy_scalars(x, y):
    return np.sin(x) * y + x**2


@program(args=(np.array(1.5), 0.5))
def zero_dimensional(x, y):
    return x * x * y


@program(args=(np.zeros((0,)), 1.5))
def zero_size_vector(x, y):
    return np.sum(x * y) + y * y


@program(args=(np.zeros((0, 3)), np.array([1.0, 2.0, 3.0])))
def zero_size_matrix(m, v):
    return np.sum(m @ v) + np.sum(m * v) + np.sum(v * v)


@program(args=(F32,), rtol=1e-5)
def float32_vector(x):
    return np.sum(np.sin(x) * x * 2.0 + 1.0)


@program(args=(F32, np.float32(0.5)), rtol=1e-5, smoke=True)
def float32_loop(x, a):
    s = a
    for i in range(len(x)):
        s = s * 0.5 + x[i] * a
    return s


@program(args=(F32, np.array([1.0, 0.5, -0.5])), rtol=1e-5)
def float32_meets_float64(x, y):
    return np.sum(x * y * y)


@program(args=(F32, 1.5), rtol=1e-5)
def float32_meets_python_float(x, s):
    return np.sum((x * s + 1.0) ** 2)


@program(args=(F32.reshape(1, 3), np.ones((2, 1), np.float32)), rtol=1e-5)
def float32_matmul(x, w):
    h = np.tanh(w @ x)
    return np.mean(h * h)


def _in_double(x):
    return np.sum(x * x * x)


@program(args=(np.array([0.5, 1.5]),), rtol=1e-5, reference=_in_double)
def cast_down_and_up(x):
    y = x.astype(np.float32)
    z = (y * y).astype(np.float64)
    return np.sum(z * x)


@program(args=(1.5, 0.5))
def complex_inside(x, y):
    z = complex(x, y)
    w = z * z + 2.0
    return w.real * w.imag + abs(z)


@program(args=(np.array([0.5, 1.5]),))
def complex_array_inside(x):
    z = np.exp(1j * x) * x
    return np.sum(np.abs(z) ** 2) + np.sum(z.real * z.imag)


@program(args=(np.array([0.5 + 1.0j, -0.3 + 0.2j]),))
def complex_argument(z):
    return np.sum(np.real(z * np.conj(z) * z))


@program(args=(0.5 + 0.25j,))
def complex_scalar_argument(z):
    w = z * z
    return w.real + 3.0 * w.imag


@program(args=(1.5, 2), wrt=(0,))
def int_to_the_float(x, n):
    return n**x + 2**x


@program(args=(1.5,))
def python_and_numpy_scalars(x):
    a = np.float64(2.0) * x
    b = np.sqrt(x) + math.sqrt(x)
    c = np.sum(np.array([a, b]))
    return a * b + float(c)


@program(args=(1e-3, 250.0), rtol=1e-6)
def other_magnitudes(small, large):
    return small * large**2 + math.log(large) / (small + 0.1)


@program(args=(1.5,))
def constants_that_are_rounded(x):
    return x * round(2.675, 2) + x * round(2.5) + x * x * round(17, -1)
