"""The kernels as a user of JAX writes them: no stores, loops over time or rows by `lax`, the rest in arrays.

One version of each kernel stands beside both of its forms. A slice that depends on the loop is a mask, since
shapes must be known; where a kernel walks along a row too, the loop over rows updates the rest of the matrix at once.
"""

from __future__ import annotations

import jax.numpy as np
from jax.lax import fori_loop, scan


def four_scalars(a, b, c, d):
    p = a * b + np.sin(c)
    q = p * d - a / d
    return q * q + b * np.exp(-c)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def recurrence(x):
    def step(before, value):
        after = np.sin(before) * value
        return after, after

    _, rest = scan(step, x[0], x[1:])
    return x[0] * x[0] + np.sum(rest * rest)


def pendulum(theta, omega, length, drag, steps, dt):
    def step(_, state):
        theta, omega = state
        accel = -9.81 / length * np.sin(theta) - drag * omega * np.abs(omega)
        return theta + dt * omega, omega + dt * accel

    theta, _ = fori_loop(0, steps, step, (theta, omega))
    return theta * theta


def predator_prey(alpha, beta, delta, gamma, steps):
    dt = 10.0 / steps

    def step(_, state):
        x, y = state
        return x + dt * (alpha * x - beta * x * y), y + dt * (delta * x * y - gamma * y)

    x, y = fori_loop(0, steps, step, (1.0, 0.5))
    return (x - 1.0) * (x - 1.0) + y * y


def mlp(W1, b1, W2, b2, X, Y):
    h = np.tanh(X @ W1 + b1)
    z = h @ W2 + b2
    return (np.sum(np.log(np.sum(np.exp(z), axis=1))) - np.sum(z * Y)) / X.shape[0]


def barrier_option(price, rate, volatility, noise, strike, barrier, years):
    paths, steps = noise.shape
    dt = years / steps

    def step(state, now):
        s, alive = state
        v, z = now
        s = s * np.exp((rate - 0.5 * v * v) * dt + v * np.sqrt(dt) * z)
        return (s, alive & (s <= barrier)), None

    start = (np.full(paths, price), np.full(paths, True))
    (s, alive), _ = scan(step, start, (volatility, noise.T))
    return np.exp(-rate * years) * np.sum(np.where(alive & (s > strike), s - strike, 0.0)) / paths


def gemm(alpha, beta, C, A, B):
    return np.sum(alpha * (A @ B) + beta * C)


def gemver(alpha, beta, A, u1, v1, u2, v2, x, y, w, z):
    A = A + np.outer(u1, v1) + np.outer(u2, v2)
    x = x + beta * (y @ A) + z
    return np.sum(w + alpha * (A @ x))


def gesummv(alpha, beta, A, B, x):
    return np.sum(alpha * (A @ x) + beta * (B @ x))


def symm(alpha, beta, C, A, B):
    rows = np.arange(C.shape[0])

    def step(i, C):
        left = np.where(rows < i, A[i], 0.0)
        C = C + alpha * np.outer(left, B[i])
        return C.at[i].set(beta * C[i] + alpha * (B[i] * A[i, i] + left @ B))

    return np.sum(fori_loop(0, C.shape[0], step, C))


def syr2k(alpha, beta, C, A, B):
    n, m = A.shape
    columns = np.arange(n)

    def step(i, C):
        def add(k, row):
            return row + A[:, k] * alpha * B[i, k] + B[:, k] * alpha * A[i, k]

        return C.at[i].set(np.where(columns <= i, fori_loop(0, m, add, beta * C[i]), C[i]))

    return np.sum(fori_loop(0, n, step, C))


def syrk(alpha, beta, C, A):
    n, m = A.shape
    columns = np.arange(n)

    def step(i, C):
        row = fori_loop(0, m, lambda k, row: row + alpha * A[i, k] * A[:, k], beta * C[i])
        return C.at[i].set(np.where(columns <= i, row, C[i]))

    return np.sum(fori_loop(0, n, step, C))


def trmm(alpha, A, B):
    rows = np.arange(B.shape[0])

    def step(i, B):
        return B.at[i].set(alpha * (B[i] + np.where(rows > i, A[:, i], 0.0) @ B))

    return np.sum(fori_loop(0, B.shape[0], step, B))


def two_mm(alpha, beta, A, B, C, D):
    return np.sum(alpha * (A @ B) @ C + beta * D)


def three_mm(A, B, C, D):
    return np.sum((A @ B) @ (C @ D))


def atax(A, x):
    return np.sum((A @ x) @ A)


def bicg(A, p, r):
    q = A @ p
    return np.sum(r @ A) + np.sum(q * q)


def doitgen(A, C4):
    return np.sum(A @ C4)


def mvt(A, x1, x2, y1, y2):
    x1 = x1 + A @ y1
    x2 = x2 + y2 @ A
    return np.sum(x1 * x1) + np.sum(x2 * x2)


def cholesky(A):
    rows = np.arange(A.shape[0])

    def step(k, A):
        pivot = np.sqrt(A[k, k])
        column = np.where(rows > k, A[:, k] / pivot, 0.0)
        A = A - np.tril(np.outer(column, column))
        return A.at[:, k].set(np.where(rows > k, column, A[:, k]).at[k].set(pivot))

    return np.sum(fori_loop(0, A.shape[0], step, A))


def durbin(r):
    n = r.shape[0]
    places = np.arange(n)

    def step(k, state):
        y, alpha, beta = state
        turned = places < k
        beta = (1.0 - alpha * alpha) * beta
        alpha = -(r[k] + np.sum(np.where(turned, r[k - 1 - places] * y, 0.0))) / beta
        y = y + alpha * np.where(turned, y[k - 1 - places], 0.0)
        return y.at[k].set(alpha), alpha, beta

    y, _, _ = fori_loop(1, n, step, (np.zeros_like(r).at[0].set(-r[0]), -r[0], 1.0))
    return np.sum(y)


def gramschmidt(A):
    columns = np.arange(A.shape[1])

    def step(A, k):
        norm = np.sqrt(A[:, k] @ A[:, k])
        q = A[:, k] / norm
        row = np.where(columns > k, q @ A, 0.0)
        return A - np.outer(q, row), np.sum(q) + norm + np.sum(row)

    _, sums = scan(step, A, columns)
    return np.sum(sums)


def factored(A):
    rows = np.arange(A.shape[0])

    def step(k, A):
        column = np.where(rows > k, A[:, k] / A[k, k], 0.0)
        A = A - np.outer(column, np.where(rows > k, A[k], 0.0))
        return A.at[:, k].set(np.where(rows > k, column, A[:, k]))

    return fori_loop(0, A.shape[0], step, A)


def lu(A):
    return np.sum(factored(A))


def ludcmp(A, b):
    A = factored(A)
    n = A.shape[0]
    places = np.arange(n)

    def down(i, y):
        return y.at[i].set(b[i] - np.where(places < i, A[i], 0.0) @ y)

    y = fori_loop(0, n, down, np.zeros_like(b))

    def up(k, x):
        i = n - 1 - k
        return x.at[i].set((y[i] - np.where(places > i, A[i], 0.0) @ x) / A[i, i])

    return np.sum(fori_loop(0, n, up, np.zeros_like(b)))


def trisolv(L, b):
    places = np.arange(b.shape[0])

    def step(i, x):
        return x.at[i].set((b[i] - np.where(places < i, L[i], 0.0) @ x) / L[i, i])

    return np.sum(fori_loop(0, b.shape[0], step, np.zeros_like(b)))


def correlation(data):
    n = data.shape[0]
    centred = data - np.sum(data, axis=0) / n
    stddev = np.sqrt(np.sum(centred * centred, axis=0) / n)
    scaled = centred / (np.sqrt(n) * np.where(stddev <= 0.1, 1.0, stddev))
    return np.sum(np.fill_diagonal(scaled.T @ scaled, 1.0, inplace=False))


def covariance(data):
    n = data.shape[0]
    centred = data - np.sum(data, axis=0) / n
    return np.sum(centred.T @ centred / (n - 1.0))


def fdtd_2d(ex, ey, hz, pulse):
    def step(state, now):
        ex, ey, hz = state
        ey = ey.at[0, :].set(now)
        ey = ey.at[1:, :].add(-0.5 * (hz[1:, :] - hz[:-1, :]))
        ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
        curl = ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]
        return (ex, ey, hz.at[:-1, :-1].add(-0.7 * curl)), None

    (_, _, hz), _ = scan(step, (ex, ey, hz), pulse)
    return np.sum(hz * hz)


def heat_3d(A, steps):
    def half(A):
        inside = A[1:-1, 1:-1, 1:-1]
        return (
            0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * inside + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * inside + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * inside + A[1:-1, 1:-1, :-2])
            + inside
        )

    def step(_, A):
        B = A.at[1:-1, 1:-1, 1:-1].set(half(A))
        return A.at[1:-1, 1:-1, 1:-1].set(half(B))

    A = fori_loop(0, steps, step, A)
    return np.sum(A * A)


def jacobi_1d(A, steps):
    def step(_, A):
        B = A.at[1:-1].set(0.33333 * (A[:-2] + A[1:-1] + A[2:]))
        return A.at[1:-1].set(0.33333 * (B[:-2] + B[1:-1] + B[2:]))

    A = fori_loop(0, steps, step, A)
    return np.sum(A * A)


def jacobi_2d(A, steps):
    def half(A):
        return 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])

    def step(_, A):
        B = A.at[1:-1, 1:-1].set(half(A))
        return A.at[1:-1, 1:-1].set(half(B))

    A = fori_loop(0, steps, step, A)
    return np.sum(A * A)


def seidel_2d(A, steps):
    def along(left, rest):
        value = (left + rest) / 9.0
        return value, value

    def row(above, rows):
        now, below = rows
        rest = now[1:-1] + now[2:]
        rest += above[:-2] + above[1:-1] + above[2:] + below[:-2] + below[1:-1] + below[2:]
        _, inside = scan(along, now[0], rest)
        now = now.at[1:-1].set(inside)
        return now, now

    def step(_, A):
        _, inside = scan(row, A[0], (A[1:-1], A[2:]))
        return A.at[1:-1].set(inside)

    return np.sum(fori_loop(0, steps, step, A))


def adi(u, steps):
    n = u.shape[0]
    mul1 = 2.0 / steps * n * n
    mul2 = 1.0 / steps * n * n

    def sweep(right, low, diagonal):
        """Solve the tridiagonal systems of all lines; `right` has a row for each place inside a line."""

        def down(state, r):
            p, q = state
            below = low * p + diagonal
            state = (-low / below, (r - low * q) / below)
            return state, state

        start = (np.zeros(n - 2), np.ones(n - 2))
        _, (p, q) = scan(down, start, right)

        def up(after, pq):
            value = pq[0] * after + pq[1]
            return value, value

        _, inside = scan(up, np.ones(n - 2), (p, q), reverse=True)
        return np.concatenate((np.ones((1, n - 2)), inside, np.ones((1, n - 2))))

    def step(_, u):
        a, d = -mul1 / 2.0, -mul2 / 2.0
        right = -d * u[1:-1, :-2] + (1.0 + 2.0 * d) * u[1:-1, 1:-1] - d * u[1:-1, 2:]
        v = sweep(right, a, 1.0 + mul1)
        v = np.zeros_like(u).at[:, 1:-1].set(v)
        right = -a * v[:-2, 1:-1] + (1.0 + 2.0 * a) * v[1:-1, 1:-1] - a * v[2:, 1:-1]
        return u.at[1:-1, :].set(sweep(right.T, d, 1.0 + mul2).T)

    u = fori_loop(0, steps, step, u)
    return np.sum(u * u)


def deriche(image, alpha):
    decay = np.exp(-alpha)
    k = (1.0 - decay) * (1.0 - decay) / (1.0 + 2.0 * alpha * decay - np.exp(2.0 * alpha))
    b1, b2 = 2.0 ** (-alpha), -decay * decay

    def filtered(lines):
        """Both ways along the first axis."""
        none = np.zeros(lines.shape[1])

        def forth(state, x):
            x1, y1, y2 = state
            y = k * x + k * decay * (alpha - 1.0) * x1 + b1 * y1 + b2 * y2
            return (x, y, y1), y

        def back(state, x):
            x1, x2, y1, y2 = state
            y = k * decay * (alpha + 1.0) * x1 - k * decay * decay * x2 + b1 * y1 + b2 * y2
            return (x, x1, y, y1), y

        _, first = scan(forth, (none, none, none), lines)
        _, second = scan(back, (none, none, none, none), lines, reverse=True)
        return first + second

    out = filtered(filtered(image.T).T)
    return np.sum(out * out)


KERNELS = {
    "four-scalars": four_scalars, "rosenbrock": rosenbrock, "recurrence": recurrence, "pendulum": pendulum,
    "predator-prey": predator_prey, "mlp": mlp, "barrier-option": barrier_option, "gemm": gemm, "gemver": gemver,
    "gesummv": gesummv, "symm": symm, "syr2k": syr2k, "syrk": syrk, "trmm": trmm, "2mm": two_mm, "3mm": three_mm,
    "atax": atax, "bicg": bicg, "doitgen": doitgen, "mvt": mvt, "cholesky": cholesky, "durbin": durbin,
    "gramschmidt": gramschmidt, "lu": lu, "ludcmp": ludcmp, "trisolv": trisolv, "correlation": correlation,
    "covariance": covariance, "fdtd-2d": fdtd_2d, "heat-3d": heat_3d, "jacobi-1d": jacobi_1d,
    "jacobi-2d": jacobi_2d, "seidel-2d": seidel_2d, "adi": adi, "deriche": deriche,
}  # fmt: skip
