"""Array code: broadcasting, `@`, reductions, shape functions, constructors."""

import numpy as np

from . import program

V = np.array([0.5, -1.5, 2.0])
W = np.array([0.7, 0.2, -0.4])
M = np.array([[0.5, 1.0, -0.3], [2.0, -1.0, 0.7]])
S = np.array([[2.0, 0.3, -0.1], [0.2, 1.5, 0.4], [0.1, -0.3, 1.8]])
T = np.linspace(-1.0, 1.3, 12).reshape(2, 3, 2)


@program(args=(M, V), order=2)
def broadcast_row(m, v):
    return np.sum((m * v + v) ** 2)


@program(args=(M, np.array([[0.3], [0.6]])), smoke=True)
def broadcast_column(m, c):
    return np.sum((m / c - c * m) ** 2)


@program(args=(np.array([[0.3], [0.6]]), np.array([[1.0, 2.0, 3.0]])))
def broadcast_both(c, r):
    return np.sum(np.sin(c * r) + c**2)


@program(args=(np.array([0.5]), V))
def broadcast_size_one(b, v):
    return np.sum((b + v) ** 2 * b)


@program(args=(0.5, M))
def broadcast_scalar(s, m):
    return np.sum((m - s) ** 2 / (1.0 + s * s) + s**m.shape[0])


@program(args=(T, V[:2], 1.5))
def broadcast_three_ranks(t, v, s):
    return np.sum(np.tanh(t * v + s) * v)


@program(args=(np.abs(V) + 0.1, W))
def broadcast_power(x, p):
    return np.sum(x[:, None] ** p)


@program(args=(M, V))
def matmul_vector(m, v):
    return np.sum((m @ v) ** 2) + V @ v + v @ v


@program(args=(M, S), order=2, smoke=True)
def matmul_matrix(m, s):
    return np.sum(np.tanh(m @ s) @ m.T)


@program(args=(T, np.array([[0.4, -0.2], [0.1, 0.9]])))
def matmul_stacked(t, m):
    return np.sum((t @ m) ** 2) + np.sum(t[0].T @ t[1])


@program(args=(V, W))
def dot_outer_inner(v, w):
    return np.dot(v, w) ** 2 + np.sum(np.outer(v, w) ** 2) + np.inner(v, v) + v.dot(w)


@program(args=(M, S))
def einsum(m, s):
    return np.sum(np.einsum("ij,jk->ik", m, s) ** 2) + np.einsum("ij,ij->", m, m)


@program(args=(S, V))
def linear_algebra(s, v):
    x = np.linalg.solve(s, v)
    return np.sum(x * x) + np.linalg.det(s) + np.linalg.norm(v) + np.trace(np.linalg.inv(s))


@program(args=(S,))
def log_determinant(s):
    sign, logdet = np.linalg.slogdet(s)
    return sign * logdet * s[0, 0]


@program(args=(M,))
def sums(m):
    return np.sum(np.sum(m, axis=0) ** 2) + np.sum(m.sum(axis=1, keepdims=True) * m) + m.sum() ** 2


@program(args=(M,))
def means_and_variances(m):
    return np.sum(np.mean(m, axis=0) ** 3) + m.mean() ** 2 + np.var(m) + np.sum(np.std(m, axis=1))


@program(args=(M,))
def maxima_and_minima(m):
    return np.max(m) * np.min(m) + np.sum(np.max(m, axis=1) ** 2) + np.sum(m.min(axis=0))


@program(args=(M,))
def products_and_running_sums(m):
    return np.prod(m) + np.sum(np.prod(m, axis=0) ** 2) + np.sum(np.cumsum(m, axis=1) ** 2)


@program(args=(M, V))
def standardised(m, scale):
    centred = m - np.mean(m, axis=0)
    spread = np.sqrt(np.mean(m**2, axis=0) + 0.1)
    return np.sum(np.sin(scale * centred / spread))


@program(args=(M,))
def softmax_cross_entropy(m):
    shifted = m - np.max(m, axis=1, keepdims=True)
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -log_p[0, 1] - log_p[1, 2]


@program(args=(M,))
def reshape_family(m):
    a = m.reshape(3, 2)
    b = np.reshape(m, (-1,))
    c = m.ravel() * np.ravel(m.T)
    return np.sum(a**2 * a[::-1]) + np.sum(b[1:] * b[:-1]) + np.sum(c) + np.sum(m.flatten() ** 3)


@program(args=(T,))
def axes_moved(t):
    a = np.transpose(t, (2, 0, 1))
    b = np.swapaxes(t, 0, 2)
    c = np.moveaxis(t, 0, -1)
    return np.sum(a[0] * b[1].T) + np.sum(c[..., 0] ** 3) + np.sum(t.T[0] * 2.0)


@program(args=(V,))
def axes_added_and_removed(v):
    a = np.expand_dims(v, 0)
    b = np.expand_dims(v, axis=1)
    return np.sum(np.squeeze(a * b) ** 2) + np.sum(np.squeeze(a, axis=0) * v)


@program(args=(V, W))
def joined(v, w):
    a = np.concatenate([v, w * v])
    b = np.stack((v, w), axis=1)
    c = np.hstack([w, v[:1]])
    d = np.vstack([v, w])
    return np.sum(a**2) + np.sum(b[:, 0] * b[:, 1]) + np.sum(c**3) + np.sum(d * d[::-1])


@program(args=(np.arange(1.0, 7.0),))
def split(x):
    a, b, c = np.split(x, 3)
    return np.sum(a * b) + np.sum(c**2)


@program(args=(V,))
def repeated(v):
    a = np.tile(v, 2)
    b = np.repeat(v, 2)
    return np.sum(a * b) + np.sum(np.tile(v, (2, 1)) ** 2) + np.sum(np.broadcast_to(v, (4, 3)) ** 3)


@program(args=(V,))
def flipped_and_rolled(v):
    return np.sum(np.flip(v) * v**2) + np.sum(np.roll(v, 1) * v) + np.sum(np.roll(v, -2) ** 2 * v)


@program(args=(S, V))
def triangles_and_diagonals(s, v):
    return (
        np.sum(np.tril(s) ** 2)
        + np.sum(np.triu(s, 1) @ v)
        + np.sum(np.diag(s) * v)
        + np.sum(np.diag(v) @ s)
    )


@program(args=(V, W))
def where_clip_maximum(v, w):
    a = np.where(v > w, v * w, v**2)
    b = np.clip(v, -1.0, 1.0) * w
    c = np.maximum(v, w) * np.minimum(v, 0.3)
    return np.sum(a + b + c)


@program(args=(V,))
def where_hides_singularity(v):
    safe = np.where(v > 0.0, v, 1.0)
    return np.sum(np.where(v > 0.0, np.log(safe), 0.0))


@program(args=(np.array([0.3, 0.6]),))
def elementwise_functions(x):
    a = np.exp(x) + np.expm1(x) + np.log(x) + np.log1p(x) + np.log2(x) + np.log10(x)
    b = np.sqrt(x) + np.cbrt(x) + np.square(x) + np.sinc(x) + np.reciprocal(x)
    c = np.sin(x) + np.cos(x) + np.tan(x) + np.arcsin(x) + np.arccos(x) + np.arctan(x)
    d = np.sinh(x) + np.cosh(x) + np.tanh(x) + np.arcsinh(x) + np.arctanh(x) + np.arccosh(x + 1.0)
    return np.sum(a * b + c * d)


@program(args=(V, W))
def binary_functions(v, w):
    a = np.arctan2(v, w) + np.hypot(v, w) + np.logaddexp(v, w)
    b = np.power(np.abs(v), w) + np.multiply(v, w) + np.add(v, w) + np.subtract(v, w)
    c = np.divide(v, w) + np.true_divide(w, v) + np.negative(v)
    return np.sum(a * b * c)


@program(args=(np.array([0.7, -1.4, 2.2]),))
def piecewise_constants(v):
    return np.sum(np.floor(v) * v + np.sign(v) * v**2 + np.ceil(v) + np.round(v) * v + np.trunc(v))


@program(args=(0.7, 0.2))
def made_from_scalars(x, y):
    m = np.array([[x, y], [x * y, 1.0]])
    v = np.asarray([y, x])
    return np.sum(m @ v * v)


@program(args=(0.7,))
def constant_arrays(x):
    a = np.arange(4) * x + np.linspace(0.0, x, 4)
    b = np.eye(2) * x + np.ones((2, 2)) - np.zeros((2, 2)) + np.full((2, 2), 3.0)
    return np.sum(a**2) + np.sum(b @ b)


@program(args=(M,))
def constants_like(m):
    return np.sum(np.ones_like(m) * m + np.zeros_like(m) + np.full_like(m, 2.0) * m**2)


@program(args=(V,))
def copies_and_casts(v):
    a = v.copy() * np.copy(v)
    b = v.astype(np.float64) * np.asarray(v) * np.array(v)
    return np.sum(a + b)


@program(args=(M, V, W[:2], np.array([0.2, 0.1])), wrt=(1, 2, 3), order=2, smoke=True)
def two_layers(x, w, v, b):
    h = np.tanh(x * w)
    e = np.sum(h, axis=1) * v + b
    return np.mean(e**2)


@program(args=(S, V))
def quadratic_form(s, v):
    return 0.5 * v @ s @ v - np.sum(v)


@program(args=(V,))
def reduced_in_loop(v):
    s = 0.0
    for k in range(3):
        s = s + np.sum(v**k) * np.mean(v) / (k + 1.0)
    return s


@program(args=(S, V))
def power_iteration(s, v):
    for _ in range(4):
        v = s @ v
        v = v / np.linalg.norm(v)
    return v @ s @ v


@program(args=(np.asfortranarray(M), M[:, ::-1]))
def layouts(f, r):
    return np.sum(f * r) + np.sum(f.ravel() * r.reshape(-1)) + np.sum((f.T @ r) ** 2)


@program(args=(np.ones(5) * 0.3 + np.arange(5.0),))
def distances(x):
    d = x[:, None] - x[None, :]
    return np.sum(np.exp(-(d**2)) * np.tanh(d + 0.5))
