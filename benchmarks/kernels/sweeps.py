"""Recurrences that sweep an image or a grid forth and back: adi, deriche."""

from __future__ import annotations

import numpy as np

from benchmarks.kernel import Kernel, rng


def adi(u, steps):
    u = u.copy()
    n = u.shape[0]
    v = np.zeros_like(u)
    p = np.zeros_like(u)
    q = np.zeros_like(u)
    mul1 = 2.0 / steps * n * n
    mul2 = 1.0 / steps * n * n
    a = -mul1 / 2.0
    b = 1.0 + mul1
    d = -mul2 / 2.0
    e = 1.0 + mul2
    for t in range(steps):
        for i in range(1, n - 1):
            v[0, i] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = v[0, i]
            for j in range(1, n - 1):
                p[i, j] = -a / (a * p[i, j - 1] + b)
                q[i, j] = (-d * u[j, i - 1] + (1.0 + 2.0 * d) * u[j, i] - d * u[j, i + 1] - a * q[i, j - 1]) / (
                    a * p[i, j - 1] + b
                )
            v[n - 1, i] = 1.0
            for j in range(n - 2, 0, -1):
                v[j, i] = p[i, j] * v[j + 1, i] + q[i, j]
        for i in range(1, n - 1):
            u[i, 0] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = u[i, 0]
            for j in range(1, n - 1):
                p[i, j] = -d / (d * p[i, j - 1] + e)
                q[i, j] = (-a * v[i - 1, j] + (1.0 + 2.0 * a) * v[i, j] - a * v[i + 1, j] - d * q[i, j - 1]) / (
                    d * p[i, j - 1] + e
                )
            u[i, n - 1] = 1.0
            for j in range(n - 2, 0, -1):
                u[i, j] = p[i, j] * u[i, j + 1] + q[i, j]
    return np.sum(u * u)


def adi_arrays(u, steps):
    u = u.copy()
    n = u.shape[0]
    v = np.zeros_like(u)
    p = np.zeros_like(u)
    q = np.zeros_like(u)
    mul1 = 2.0 / steps * n * n
    mul2 = 1.0 / steps * n * n
    a = -mul1 / 2.0
    b = 1.0 + mul1
    d = -mul2 / 2.0
    e = 1.0 + mul2
    for t in range(steps):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            p[1:-1, j] = -a / (a * p[1:-1, j - 1] + b)
            right = -d * u[j, :-2] + (1.0 + 2.0 * d) * u[j, 1:-1] - d * u[j, 2:]
            q[1:-1, j] = (right - a * q[1:-1, j - 1]) / (a * p[1:-1, j - 1] + b)
        v[n - 1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        u[1:-1, 0] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = u[1:-1, 0]
        for j in range(1, n - 1):
            p[1:-1, j] = -d / (d * p[1:-1, j - 1] + e)
            right = -a * v[:-2, j] + (1.0 + 2.0 * a) * v[1:-1, j] - a * v[2:, j]
            q[1:-1, j] = (right - d * q[1:-1, j - 1]) / (d * p[1:-1, j - 1] + e)
        u[1:-1, n - 1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]
    return np.sum(u * u)


def make_adi(size):
    n, steps = {"tiny": (6, 2), "bench": (120, 20)}[size]
    return {"u": rng(51).uniform(-1.0, 1.0, (n, n)), "steps": steps}


def deriche(image, alpha):
    w, h = image.shape
    y1 = np.zeros_like(image)
    y2 = np.zeros_like(image)
    out = np.zeros_like(image)
    decay = np.exp(-alpha)
    k = (1.0 - decay) * (1.0 - decay) / (1.0 + 2.0 * alpha * decay - np.exp(2.0 * alpha))
    a1 = k
    a2 = k * decay * (alpha - 1.0)
    a3 = k * decay * (alpha + 1.0)
    a4 = -k * decay * decay
    b1 = 2.0 ** (-alpha)
    b2 = -decay * decay
    for i in range(w):
        ym1 = 0.0
        ym2 = 0.0
        xm1 = 0.0
        for j in range(h):
            y1[i, j] = a1 * image[i, j] + a2 * xm1 + b1 * ym1 + b2 * ym2
            xm1 = image[i, j]
            ym2 = ym1
            ym1 = y1[i, j]
    for i in range(w):
        yp1 = 0.0
        yp2 = 0.0
        xp1 = 0.0
        xp2 = 0.0
        for j in range(h - 1, -1, -1):
            y2[i, j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2
            xp2 = xp1
            xp1 = image[i, j]
            yp2 = yp1
            yp1 = y2[i, j]
    for i in range(w):
        for j in range(h):
            out[i, j] = y1[i, j] + y2[i, j]
    for j in range(h):
        tm1 = 0.0
        ym1 = 0.0
        ym2 = 0.0
        for i in range(w):
            y1[i, j] = a1 * out[i, j] + a2 * tm1 + b1 * ym1 + b2 * ym2
            tm1 = out[i, j]
            ym2 = ym1
            ym1 = y1[i, j]
    for j in range(h):
        tp1 = 0.0
        tp2 = 0.0
        yp1 = 0.0
        yp2 = 0.0
        for i in range(w - 1, -1, -1):
            y2[i, j] = a3 * tp1 + a4 * tp2 + b1 * yp1 + b2 * yp2
            tp2 = tp1
            tp1 = out[i, j]
            yp2 = yp1
            yp1 = y2[i, j]
    for i in range(w):
        for j in range(h):
            out[i, j] = y1[i, j] + y2[i, j]
    return np.sum(out * out)


def deriche_arrays(image, alpha):
    w, h = image.shape
    y1 = np.zeros_like(image)
    y2 = np.zeros_like(image)
    decay = np.exp(-alpha)
    k = (1.0 - decay) * (1.0 - decay) / (1.0 + 2.0 * alpha * decay - np.exp(2.0 * alpha))
    a1 = k
    a2 = k * decay * (alpha - 1.0)
    a3 = k * decay * (alpha + 1.0)
    a4 = -k * decay * decay
    b1 = 2.0 ** (-alpha)
    b2 = -decay * decay
    y1[:, 0] = a1 * image[:, 0]
    y1[:, 1] = a1 * image[:, 1] + a2 * image[:, 0] + b1 * y1[:, 0]
    for j in range(2, h):
        y1[:, j] = a1 * image[:, j] + a2 * image[:, j - 1] + b1 * y1[:, j - 1] + b2 * y1[:, j - 2]
    y2[:, -1] = 0.0
    y2[:, -2] = a3 * image[:, -1]
    for j in range(h - 3, -1, -1):
        y2[:, j] = a3 * image[:, j + 1] + a4 * image[:, j + 2] + b1 * y2[:, j + 1] + b2 * y2[:, j + 2]
    out = y1 + y2
    y1[0, :] = a1 * out[0, :]
    y1[1, :] = a1 * out[1, :] + a2 * out[0, :] + b1 * y1[0, :]
    for i in range(2, w):
        y1[i, :] = a1 * out[i, :] + a2 * out[i - 1, :] + b1 * y1[i - 1, :] + b2 * y1[i - 2, :]
    y2[-1, :] = 0.0
    y2[-2, :] = a3 * out[-1, :]
    for i in range(w - 3, -1, -1):
        y2[i, :] = a3 * out[i + 1, :] + a4 * out[i + 2, :] + b1 * y2[i + 1, :] + b2 * y2[i + 2, :]
    out = y1 + y2
    return np.sum(out * out)


def make_deriche(size):
    w, h = {"tiny": (5, 6), "bench": (240, 200)}[size]
    return {"image": rng(52).uniform(-1.0, 1.0, (w, h)), "alpha": 0.25}


KERNELS = (
    Kernel("adi", ("u",), make_adi, adi, adi_arrays),
    Kernel("deriche", ("image", "alpha"), make_deriche, deriche, deriche_arrays),
)
