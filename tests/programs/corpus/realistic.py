"""Programs as people write them: pricing, filters, networks, simulations, dynamic programming, interpreters."""

import functools
import itertools
import math
import operator
from dataclasses import dataclass

import numpy as np

from . import program

rng = np.random.default_rng(0)

X = np.array([0.8, 1.7, 0.4, 1.1])


@program(
    args=(
        100.0,
        95.0,
        0.05,
        0.2,
        1.0,
        8,
    ),
    wrt=(0, 1, 2, 3, 4),
)
def option_tree(S, K, r, sigma, T, n):
    dt = T / n
    u = math.exp(sigma * math.sqrt(dt))
    d = 1 / u
    q = (math.exp(r * dt) - d) / (u - d)
    disc = math.exp(-r * dt)
    values = [max(S * u**j * d ** (n - j) - K, 0.0) for j in range(n + 1)]
    for i in range(n - 1, -1, -1):
        values = [disc * (q * values[j + 1] + (1 - q) * values[j]) for j in range(i + 1)]
        values = [max(v, S * u**j * d ** (i - j) - K) for j, v in enumerate(values)]
    return values[0]


@dataclass
class KState:
    x: np.ndarray
    P: np.ndarray


class Kalman:
    def __init__(self, F, H, Q, R):
        self.F, self.H, self.Q, self.R = F, H, Q, R

    def predict(self, s):
        return KState(self.F @ s.x, self.F @ s.P @ self.F.T + self.Q)

    def update(self, s, z):
        y = z - self.H @ s.x
        S = self.H @ s.P @ self.H.T + self.R
        K = s.P @ self.H.T / S[0, 0]
        return KState(s.x + K @ y, (np.eye(len(s.x)) - K @ self.H) @ s.P), 0.5 * (
            y @ y / S[0, 0] + np.log(S[0, 0])
        )


@program(
    args=(
        0.1,
        0.5,
        rng.normal(size=(6, 1)),
    )
)
def kalman(q, r, zs):
    kf = Kalman(np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]]), q * np.eye(2), r * np.eye(1))
    s = KState(np.zeros(2), np.eye(2))
    nll = 0.0
    for z in zs:
        s = kf.predict(s)
        s, l = kf.update(s, z)
        nll += l
    return nll


class RNN:
    def __init__(self, Wx, Wh, b):
        self.Wx = Wx
        self.Wh = Wh
        self.b = b

    def __call__(self, h, x):
        return np.tanh(self.Wx @ x + self.Wh @ h + self.b)


@program(
    args=(
        rng.normal(size=(3, 2)) * 0.3,
        rng.normal(size=(3, 3)) * 0.3,
        np.zeros(3),
        rng.normal(size=(5, 2)),
    )
)
def rnn(Wx, Wh, b, xs):
    cell = RNN(Wx, Wh, b)
    h = np.zeros(3)
    loss = 0.0
    for t, x in enumerate(xs):
        h = cell(h, x)
        if t % 2 == 0:
            loss += np.sum(h**2)
    return loss


@program(
    args=(
        rng.normal(size=(2, 2)),
        np.array([1.0, 0.5]),
    )
)
def neural_ode(A, y0):
    def f(y, t):
        return np.tanh(A @ y) - 0.1 * y * t

    def rk4(f, y, t, h):
        k1 = f(y, t)
        k2 = f(y + h / 2 * k1, t + h / 2)
        k3 = f(y + h / 2 * k2, t + h / 2)
        k4 = f(y + h * k3, t + h)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    y, t, h = y0, 0.0, 0.1
    traj = [y]
    while t < 1.0 - 1e-9:
        y = rk4(f, y, t, h)
        t += h
        traj.append(y)
    return sum(np.sum(v**2) for v in traj) / len(traj)


class Particle:
    __slots__ = ("pos", "vel", "mass")

    def __init__(s, pos, vel, mass=1.0):
        s.pos, s.vel, s.mass = list(pos), list(vel), mass

    def kinetic(s):
        return 0.5 * s.mass * sum(v * v for v in s.vel)


class World:
    def __init__(s, ps, g=9.8):
        s.ps = ps
        s.g = g
        s.t = 0.0

    def forces(s):
        F = [[0.0, -s.g * q.mass] for q in s.ps]
        for i, j in itertools.combinations(range(len(s.ps)), 2):
            a, b = s.ps[i], s.ps[j]
            d = [b.pos[k] - a.pos[k] for k in range(2)]
            r = math.hypot(*d)
            f = 2.0 * (r - 1.0)
            for k in range(2):
                F[i][k] += f * d[k] / r
                F[j][k] -= f * d[k] / r
        return F

    def step(s, dt):
        for q, f in zip(s.ps, s.forces()):
            for k in range(2):
                q.vel[k] += dt * f[k] / q.mass
                q.pos[k] += dt * q.vel[k]
        s.t += dt


@program(
    args=(
        0.3,
        1.5,
        1.0,
    )
)
def springs(x, v, m):
    w = World(
        [Particle((0.0, 0.0), (v, 0.0)), Particle((x, 1.0), (0.0, 0.0), m), Particle((1.0, x), (0.0, v))],
        g=1.0,
    )
    for _ in range(5):
        w.step(0.05)
    return sum(q.kinetic() for q in w.ps) + w.ps[0].pos[1]


class PID:
    def __init__(s, kp, ki, kd):
        s.kp, s.ki, s.kd = kp, ki, kd
        s.i = 0.0
        s.prev = None

    def __call__(s, e, dt):
        s.i += e * dt
        d = 0.0 if s.prev is None else (e - s.prev) / dt
        s.prev = e
        u = s.kp * e + s.ki * s.i + s.kd * d
        return max(-5.0, min(5.0, u))


@program(
    args=(
        2.0,
        0.5,
        0.1,
    )
)
def pid(kp, ki, kd):
    c = PID(kp, ki, kd)
    x = v = 0.0
    cost = 0.0
    dt = 0.05
    for k in range(40):
        e = 1.0 - x
        u = c(e, dt)
        v += dt * (u - v)
        x += dt * v
        cost += e * e * dt
    return cost


@program(
    args=(
        rng.normal(size=(4, 3)),
        rng.normal(size=(3, 3)),
    )
)
def viterbi(emit, trans):
    n, k = emit.shape
    score = emit[0]
    for t in range(1, n):
        score = np.array([max(score[i] + trans[i, j] for i in range(k)) + emit[t, j] for j in range(k)])
    return score.max()


def lcs_memo(a, b):
    @functools.lru_cache(None)
    def go(i, j):
        if i == 0 or j == 0:
            return 0.0
        return go(i - 1, j - 1) * 0.5 + a * i + b * j

    return go(4, 3)


@program(
    args=(
        0.7,
        0.4,
    )
)
def memo_recursion(a, b):
    return lcs_memo(a, b)


class Table:
    def __init__(s, xs, ys):
        s.xs = xs
        s.ys = ys

    def __call__(s, x):
        if x <= s.xs[0]:
            return s.ys[0]
        for (x0, y0), (x1, y1) in zip(zip(s.xs, s.ys), zip(s.xs[1:], s.ys[1:])):
            if x < x1:
                return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
        return s.ys[-1]


@program(
    args=(
        1.3,
        [1.0, 3.0, 2.0],
    )
)
def table(x, ys):
    return Table([0.0, 1.0, 2.0], ys)(x) ** 2


class Leaf_:
    def __init__(s, v):
        s.v = v


class Split:
    def __init__(s, t, l, r):
        s.t, s.l, s.r = t, l, r


def soft(node, x):
    if isinstance(node, Leaf_):
        return node.v
    g = 1 / (1 + math.exp(-(x - node.t)))
    return g * soft(node.r, x) + (1 - g) * soft(node.l, x)


@program(
    args=(
        0.3,
        0.5,
        1.0,
        2.0,
    )
)
def soft_tree(x, t, a, b):
    return soft(Split(t, Leaf_(a), Split(t * 2, Leaf_(b), Leaf_(a * b))), x)


@program(args=({("a", "b"): 1.0, ("b", "c"): 2.0, ("a", "c"): 4.0, ("c", "d"): 0.5},))
def shortest(w):
    nodes = ["a", "b", "c", "d"]
    dist = {n: (0.0 if n == "a" else math.inf) for n in nodes}
    for _ in range(len(nodes) - 1):
        for (u, v), c in w.items():
            if dist[u] + c < dist[v]:
                dist[v] = dist[u] + c
    return dist["d"] ** 2


@program(
    args=(
        0.1,
        0.9,
    )
)
def adam_inner(lr, beta):
    w = 3.0
    m = 0.0
    v = 0.0
    for t in range(1, 8):
        g = 2 * (w - 1.0)
        m = beta * m + (1 - beta) * g
        v = 0.99 * v + 0.01 * g * g
        w = w - lr * (m / (1 - beta**t)) / (math.sqrt(v / (1 - 0.99**t)) + 1e-8)
    return (w - 1) ** 2


@program(
    args=(
        0.3,
        0.6,
    )
)
def sir(beta, gamma):
    S, I, R = 0.99, 0.01, 0.0
    peak = 0.0
    day = 0
    for d in range(30):
        new = beta * S * I
        rec = gamma * I
        S, I, R = S - new, I + new - rec, R + rec
        if I > peak:
            peak, day = I, d
    return peak * 100 + R


@program(args=(np.array([[1.0, 2.0], [3.0, 4.0]]),))
def lu_det(A):
    A = A.copy()
    n = len(A)
    det = 1.0
    for k in range(n):
        piv = max(range(k, n), key=lambda i: abs(A[i, k]))
        if piv != k:
            A[[k, piv]] = A[[piv, k]]
            det = -det
        det *= A[k, k]
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            A[i, k:] -= f * A[k, k:]
    return det


@program(args=(0.7,))
def calc(x):
    tokens = ["x", 2.0, "*", "x", "sin", "+"]
    st = []
    fn = {"sin": math.sin, "cos": math.cos}
    op = {"+": operator.add, "*": operator.mul}
    for t in tokens:
        if t in op:
            b = st.pop()
            a = st.pop()
            st.append(op[t](a, b))
        elif t in fn:
            st.append(fn[t](st.pop()))
        elif t == "x":
            st.append(x)
        else:
            st.append(t)
    return st.pop()


class Layer:
    def __init__(s, n, m, act=np.tanh, *, bias=True, rng=None):
        s.w = np.ones((m, n)) * 0.1
        s.b = np.zeros(m) if bias else None
        s.act = act

    def __call__(s, x):
        z = s.w @ x
        if s.b is not None:
            z = z + s.b
        return s.act(z) if s.act else z


class Seq:
    def __init__(s, *ls):
        s.ls = ls

    def __call__(s, x):
        for l in s.ls:
            x = l(x)
        return x

    def params(s):
        return [l.w for l in s.ls]


NET = Seq(Layer(4, 3), Layer(3, 3, bias=False), Layer(3, 1, act=None))


@program(args=(X,))
def network(x):
    return NET(x)[0] + 0.1 * sum(np.sum(w**2) for w in NET.params()) * x[0]
