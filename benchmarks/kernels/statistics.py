"""Statistics of the columns of a table: correlation, covariance."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.kernel import Kernel, rng


def correlation(data):
    data = data.copy()
    n, m = data.shape
    mean = np.zeros(m, data.dtype)
    stddev = np.zeros(m, data.dtype)
    corr = np.zeros((m, m), data.dtype)
    for j in range(m):
        for i in range(n):
            mean[j] += data[i, j]
        mean[j] /= n
    for j in range(m):
        for i in range(n):
            stddev[j] += (data[i, j] - mean[j]) * (data[i, j] - mean[j])
        stddev[j] = math.sqrt(stddev[j] / n)
        if stddev[j] <= 0.1:
            stddev[j] = 1.0
    for i in range(n):
        for j in range(m):
            data[i, j] -= mean[j]
            data[i, j] /= math.sqrt(n) * stddev[j]
    for i in range(m - 1):
        corr[i, i] = 1.0
        for j in range(i + 1, m):
            for k in range(n):
                corr[i, j] += data[k, i] * data[k, j]
            corr[j, i] = corr[i, j]
    corr[m - 1, m - 1] = 1.0
    return np.sum(corr)


def correlation_arrays(data):
    n, m = data.shape
    mean = np.sum(data, axis=0) / n
    centred = data - mean
    stddev = np.sqrt(np.sum(centred * centred, axis=0) / n)
    stddev[stddev <= 0.1] = 1.0
    scaled = centred / (math.sqrt(n) * stddev)
    corr = scaled.T @ scaled
    for i in range(m):
        corr[i, i] = 1.0
    return np.sum(corr)


def make_correlation(size):
    n, m = {"tiny": (6, 4), "bench": (140, 120)}[size]
    r = rng(31)
    return {"data": r.uniform(-1.0, 1.0, (n, m)) * np.linspace(0.5, 2.0, m)}


def covariance(data):
    data = data.copy()
    n, m = data.shape
    mean = np.zeros(m, data.dtype)
    cov = np.zeros((m, m), data.dtype)
    for j in range(m):
        for i in range(n):
            mean[j] += data[i, j]
        mean[j] /= n
    for i in range(n):
        for j in range(m):
            data[i, j] -= mean[j]
    for i in range(m):
        for j in range(i, m):
            for k in range(n):
                cov[i, j] += data[k, i] * data[k, j]
            cov[i, j] /= n - 1.0
            cov[j, i] = cov[i, j]
    return np.sum(cov)


def covariance_arrays(data):
    n, m = data.shape
    cov = np.zeros((m, m), data.dtype)
    centred = data - np.sum(data, axis=0) / n
    for i in range(m):
        cov[i, i:] = centred[:, i] @ centred[:, i:] / (n - 1.0)
        cov[i:, i] = cov[i, i:]
    return np.sum(cov)


def make_covariance(size):
    n, m = {"tiny": (6, 4), "small": (24, 20), "bench": (140, 120)}[size]
    return {"data": rng(32).uniform(-1.0, 1.0, (n, m)) + np.linspace(0.5, 2.0, m)}


KERNELS = (
    Kernel("correlation", ("data",), make_correlation, correlation, correlation_arrays),
    Kernel("covariance", ("data",), make_covariance, covariance, covariance_arrays),
)
