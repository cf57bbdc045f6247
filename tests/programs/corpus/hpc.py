"""Programs of high-performance computing, as they are written for NumPy: solvers, stencils, networks, spectra.

Slices, stores in place, functions that write into their arguments and return nothing.
"""

import numpy as np

from . import program

rng = np.random.default_rng(20240229)


def real(*shape):
    return rng.random(shape)


def cplx(*shape):
    return rng.random(shape) + 1j * rng.random(shape)


# Flow in a cavity: the pressure is relaxed in place, then the velocities take a step.


def divergence(b, rho, dt, u, v, dx, dy):
    ux = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)
    vy = (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)
    b[1:-1, 1:-1] = rho * ((ux + vy) / dt - ux ** 2 - vy ** 2
                           - 2 * (u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * dy) * (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * dx))


def relax(p, b, dx, dy, sweeps):
    old = np.empty_like(p)
    for _ in range(sweeps):
        old = p.copy()
        p[1:-1, 1:-1] = ((old[1:-1, 2:] + old[1:-1, :-2]) * dy ** 2 + (old[2:, 1:-1] + old[:-2, 1:-1]) * dx ** 2
                         - dx ** 2 * dy ** 2 * b[1:-1, 1:-1]) / (2 * (dx ** 2 + dy ** 2))
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0


def carried(c, u, v, dt, dx, dy, nu):
    """How `c` moves with the flow, and spreads."""
    return (c[1:-1, 1:-1] - u[1:-1, 1:-1] * dt / dx * (c[1:-1, 1:-1] - c[1:-1, :-2])
            - v[1:-1, 1:-1] * dt / dy * (c[1:-1, 1:-1] - c[:-2, 1:-1])
            + nu * dt * ((c[1:-1, 2:] - 2 * c[1:-1, 1:-1] + c[1:-1, :-2]) / dx ** 2
                         + (c[2:, 1:-1] - 2 * c[1:-1, 1:-1] + c[:-2, 1:-1]) / dy ** 2))


def cavity_steps(steps, sweeps, u, v, p, dt, dx, dy, rho, nu):
    b = np.zeros(p.shape)
    for _ in range(steps):
        un, vn = u.copy(), v.copy()
        divergence(b, rho, dt, u, v, dx, dy)
        relax(p, b, dx, dy, sweeps)
        u[1:-1, 1:-1] = carried(un, un, vn, dt, dx, dy, nu) - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, :-2])
        v[1:-1, 1:-1] = carried(vn, un, vn, dt, dx, dy, nu) - dt / (2 * rho * dy) * (p[2:, 1:-1] - p[:-2, 1:-1])
        u[0, :] = 0
        u[:, 0] = 0
        u[:, -1] = 0
        u[-1, :] = 1
        v[0, :] = v[-1, :] = 0
        v[:, 0] = v[:, -1] = 0


@program(args=(2, 2, real(5, 4), real(5, 4), real(5, 4), 0.01, 0.5, 0.4, 1.0, 0.1), wrt=(2, 3, 4, 5, 9))
def cavity_flow(steps, sweeps, u, v, p, dt, dx, dy, rho, nu):
    cavity_steps(steps, sweeps, u, v, p, dt, dx, dy, rho, nu)
    return np.sum(u * v) + np.sum(p * p)


@program(args=(np.zeros((4, 5)), real(4, 5), 0.1, 1.3), wrt=(0, 1, 3))
def channel_flow(u, p, dt, force):
    change = 1
    steps = 0
    while change > 0.3:
        un = u.copy()
        p[1:-1, 0] = p[1:-1, -1] + un[1:-1, 1]
        p[-1, :] = p[-2, :]
        u[1:-1, 1:-1] = un[1:-1, 1:-1] + dt * (un[1:-1, :-2] - p[1:-1, 2:] * un[2:, 1:-1]) + force * dt
        u[1:-1, -1] = un[1:-1, -1] - dt * (un[1:-1, -1] - un[1:-1, -2]) + force * dt
        u[0, :] = 0
        change = (np.sum(u) - np.sum(un)) / np.sum(u)
        steps += 1
    return np.sum(u) * steps


# Bodies that attract each other.


def accelerations(pos, mass, softening):
    x, y = pos[:, 0:1], pos[:, 1:2]
    dx, dy = x.T - x, y.T - y
    weight = dx ** 2 + dy ** 2 + softening ** 2
    np.power(weight, -1.5, out=weight, where=weight > 0)
    return np.hstack(((dx * weight) @ mass, (dy * weight) @ mass))


def energies(pos, vel, mass):
    kinetic = 0.5 * np.sum(mass * vel ** 2)
    dx, dy = pos[:, 0:1].T - pos[:, 0:1], pos[:, 1:2].T - pos[:, 1:2]
    inverse = np.sqrt(dx ** 2 + dy ** 2)
    np.divide(1.0, inverse, out=inverse, where=inverse > 0)
    return kinetic, np.sum(np.sum(np.triu(-(mass * mass.T) * inverse, 1)))


@program(args=(real(3, 1), real(3, 2), real(3, 2), 2, 0.1, 0.2), wrt=(0, 1, 2, 4))
def nbody(mass, pos, vel, steps, dt, softening):
    vel -= np.mean(mass * vel, axis=0) / np.mean(mass)
    acc = accelerations(pos, mass, softening)
    ke = np.ndarray(steps + 1, dtype=np.float64)
    pe = np.ndarray(steps + 1, dtype=np.float64)
    ke[0], pe[0] = energies(pos, vel, mass)
    t = 0.0
    for i in range(steps):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = accelerations(pos, mass, softening)
        vel += acc * dt / 2.0
        t += dt
        ke[i + 1], pe[i + 1] = energies(pos, vel, mass)
    return np.sum(ke) + 0.3 * np.sum(pe) + t


# Networks.


def convolved(image, weights):
    k = weights.shape[0]
    high, wide = image.shape[1] - k + 1, image.shape[2] - k + 1
    out = np.empty((image.shape[0], high, wide, weights.shape[3]), dtype=image.dtype)
    for i in range(high):
        for j in range(wide):
            out[:, i, j, :] = np.sum(image[:, i:i + k, j:j + k, :, np.newaxis] * weights[np.newaxis, :, :, :],
                                     axis=(1, 2, 3))
    return out


def pooled(x):
    out = np.empty([x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]], dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            out[:, i, j, :] = np.max(x[:, 2 * i:2 * i + 2, 2 * j:2 * j + 2, :], axis=(1, 2))
    return out


def rectified(x):
    return np.maximum(x, 0)


def normalised(x, eps=1e-5):
    mean = np.mean(x, axis=0, keepdims=True)
    return (x - mean) / np.sqrt(np.std(x, axis=0, keepdims=True) + eps)


@program(args=(real(2, 3, 4, 2), real(2, 2, 2, 3), real(3)))
def conv2d_bias(image, weights, bias):
    return convolved(image, weights) + bias


@program(args=(real(2, 5, 5, 1), real(2, 2, 1, 2), real(2), real(8, 3), real(3)))
def lenet(image, kernel, kernel_bias, dense, dense_bias):
    x = pooled(rectified(convolved(image, kernel) + kernel_bias))
    x = np.reshape(x, (image.shape[0], 8))
    return rectified(x @ dense + dense_bias)


@program(args=(real(3, 3, 3, 2), real(1, 1, 2, 2), real(2, 2, 2, 2)), rtol=1e-5)
def resnet_block(image, narrow, wide):
    padded = np.zeros((image.shape[0], image.shape[1] + 1, image.shape[2] + 1, narrow.shape[3]))
    padded[:, :-1, :-1, :] = convolved(image, narrow)
    padded[:, -1, :, 0] = image[:, 0, 0, :1]
    x = normalised(convolved(rectified(padded), wide))
    return rectified(x + image)


@program(args=(real(2, 2, 3),))
def softmax(x):
    shifted = np.exp(x - np.max(x, axis=-1, keepdims=True))
    p = shifted / np.sum(shifted, axis=-1, keepdims=True)
    return np.sum(p * p)


# Weather.


@program(args=(real(6, 7, 2), np.zeros((2, 3, 2)), real(2, 3, 2)), wrt=(0, 2))
def horizontal_diffusion(field, out, coefficient):
    n, m = out.shape[0], out.shape[1]
    lap = 4.0 * field[1:n + 3, 1:m + 3, :] - (field[2:n + 4, 1:m + 3, :] + field[0:n + 2, 1:m + 3, :]
                                              + field[1:n + 3, 2:m + 4, :] + field[1:n + 3, 0:m + 2, :])
    res = lap[1:, 1:m + 1, :] - lap[:-1, 1:m + 1, :]
    flux_x = np.where(res * (field[2:n + 3, 2:m + 2, :] - field[1:n + 2, 2:m + 2, :]) > 0, 0, res)
    res = lap[1:n + 1, 1:, :] - lap[1:n + 1, :-1, :]
    flux_y = np.where(res * (field[2:n + 2, 2:m + 3, :] - field[2:n + 2, 1:m + 2, :]) > 0, 0, res)
    out[:, :, :] = field[2:n + 2, 2:m + 2, :] - coefficient[:, :, :] * (
        flux_x[1:, :, :] - flux_x[:-1, :, :] + flux_y[:, 1:, :] - flux_y[:, :-1, :])
    return out


@program(args=(real(2, 2, 4), real(2, 2, 4), real(3, 2, 5), 3.0), wrt=(0, 1, 2, 3))
def vertical_advection(stage, u, wind, dtr):
    n, m, levels = stage.shape[0], stage.shape[1], stage.shape[2]
    upper = np.ndarray((n, m, levels), dtype=stage.dtype)
    right = np.ndarray((n, m, levels), dtype=stage.dtype)
    below = np.ndarray((n, m), dtype=stage.dtype)
    for k in range(1):
        mean = 0.25 * (wind[1:, :, k + 1] + wind[:-1, :, k + 1])
        upper[:, :, k] = mean * 0.5
        inverse = 1.0 / (dtr - upper[:, :, k])
        right[:, :, k] = (dtr * u[:, :, k] + stage[:, :, k] - mean * (u[:, :, k + 1] - u[:, :, k])) * inverse
        upper[:, :, k] = upper[:, :, k] * inverse
    for k in range(1, levels):
        low = -0.25 * (wind[1:, :, k] + wind[:-1, :, k])
        if k < levels - 1:
            upper[:, :, k] = 0.125 * (wind[1:, :, k + 1] + wind[:-1, :, k + 1])
        else:
            upper[:, :, k] = 0.0
        inverse = 1.0 / (dtr - low - upper[:, :, k] - upper[:, :, k - 1] * low)
        right[:, :, k] = (dtr * u[:, :, k] + stage[:, :, k] - right[:, :, k - 1] * low) * inverse
        upper[:, :, k] *= inverse
    for k in range(levels - 1, levels - 2, -1):
        column = right[:, :, k]
        below[:] = column
        stage[:, :, k] = dtr * (column - u[:, :, k])
    for k in range(levels - 2, -1, -1):
        column = right[:, :, k] - upper[:, :, k] * below[:, :]
        below[:] = column
        stage[:, :, k] = dtr * (column - u[:, :, k])
    return stage


# Spectra and quantum transport.


@program(args=(8, 2, 3, cplx(8), np.zeros(8, complex)), wrt=(3,))
def stockham_fft(n, radix, passes, x, y):
    i, j = np.mgrid[0:radix, 0:radix]
    matrix = np.empty((radix, radix), dtype=np.complex128)
    matrix = np.exp(-2.0j * np.pi * i * j / radix)
    y[:] = x[:]
    ii, jj = np.mgrid[0:radix, 0:radix ** passes]
    for k in range(passes):
        left, rest = radix ** k, radix ** (passes - k - 1)
        turned = np.transpose(np.reshape(y, (left, radix, rest)), axes=(1, 0, 2))
        twiddle = np.empty((radix, left, rest), dtype=np.complex128)
        factors = np.exp(-2.0j * np.pi * ii[:, :left] * jj[:, :left] / radix ** (k + 1))
        twiddle[:] = np.repeat(np.reshape(factors, (radix, left, 1)), rest, axis=2)
        y[:] = np.reshape(matrix @ np.reshape(turned * twiddle, (radix, radix ** (passes - 1))), (n,))
    return np.sum(np.abs(y) * np.arange(n))


def contour(rows, columns, blocks, points, right):
    first = np.zeros((rows, columns), dtype=np.complex128)
    second = np.zeros((rows, columns), dtype=np.complex128)
    for z in points:
        total = np.zeros((rows, rows), dtype=np.complex128)
        for n in range(blocks.shape[0]):
            total += np.power(z, 1 - n) * blocks[n]
        if rows == columns:
            x = np.linalg.inv(total)
        else:
            x = np.linalg.solve(total, right)
        if abs(z) < 1.0:
            x = -x
        first += x
        second += z * x
    return first, second


@program(args=(2, 1, cplx(3, 2, 2), cplx(3) * 1.5, cplx(2, 1)), wrt=(2, 3, 4))
def contour_integral(rows, columns, blocks, points, right):
    first, second = contour(rows, columns, blocks, points, right)
    return np.sum(np.abs(first)) + np.sum(np.abs(second))


@program(args=(np.array([[0, 1], [2, 0]]), cplx(2, 2, 1, 2, 2), cplx(1, 2, 3, 2, 2), cplx(2, 2, 2), cplx(1, 2, 2, 2, 2)),
         wrt=(1, 2, 3))
def self_energies(neighbours, dh, green, phonon, sigma):
    for k in range(green.shape[0]):
        for e in range(green.shape[1]):
            for w in range(phonon.shape[0]):
                for a in range(neighbours.shape[0]):
                    for b in range(neighbours.shape[1]):
                        if e - w >= 0:
                            left = green[k, e - w, neighbours[a, b]] @ dh[a, b, 0]
                            sigma[k, e, a] += left @ (dh[a, b, 0] * phonon[w, a, b])
    return np.sum(np.abs(sigma) ** 2)


# Counting: integers decide, floats are differentiated.


def checksum(data, poly=0x8408):
    crc = 0xFFFF
    for b in data:
        byte = 0xFF & b
        for _ in range(8):
            if (crc & 0x0001) ^ (byte & 0x0001):
                crc = (crc >> 1) ^ poly
            else:
                crc >>= 1
            byte >>= 1
    crc = ~crc & 0xFFFF
    return ((crc << 8) | ((crc >> 8) & 0xFF)) & 0xFFFF


def paired(b1, b2):
    if b1 + b2 == 3:
        return 1
    else:
        return 0


@program(args=(0.5, np.array([7, 81, 200, 3])), wrt=(0,))
def scaled_checksum(x, data):
    return x * checksum(data) * 1e-4


@program(args=(0.7, np.array([0, 1, 2, 3, 1, 2])), wrt=(0,))
def scaled_pairing(x, sequence):
    n = sequence.shape[0]
    table = np.zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            table[i, j] = np.maximum(table[i, j], table[i, j - 1])
            if i + 1 < n:
                table[i, j] = np.maximum(table[i, j], table[i + 1, j])
                if i < j - 1:
                    table[i, j] = np.maximum(table[i, j], table[i + 1, j - 1] + paired(sequence[i], sequence[j]))
            for k in range(i + 1, j):
                table[i, j] = np.maximum(table[i, j], table[i, k] + table[k + 1, j])
    return x * x * table[0, n - 1] + x * np.sum(table)


@program(args=(real(12), np.linspace(0.05, 0.95, 12), 3), wrt=(0,))
def azimuthal_means(data, radius, bins):
    largest = radius.max()
    out = np.zeros(bins, dtype=np.float64)
    for i in range(bins):
        mask = np.logical_and(largest * i / bins <= radius, radius < largest * (i + 1) / bins)
        values = data[mask]
        out[i] = values.mean()
    return out * np.histogram(radius, bins, weights=data)[0] / np.histogram(radius, bins)[0]


@program(args=(-1.75, 0.3, 3, 4, 4), wrt=(0, 1), order=1)
def mandelbrot(low, high, columns, rows, most):
    xi, yi = np.mgrid[0:columns, 0:rows]
    x = np.linspace(low, high, columns, dtype=np.float64)[xi]
    y = np.linspace(-1.0, 1.05, rows, dtype=np.float64)[yi]
    c = x + y * 1j
    counts = np.zeros(c.shape, dtype=np.int64)
    kept = np.zeros(c.shape, dtype=np.complex128)
    xi.shape = yi.shape = c.shape = columns * rows
    z = np.zeros(c.shape, np.complex128)
    for i in range(most):
        if not len(z):
            break
        np.multiply(z, z, z)
        np.add(z, c, z)
        out = abs(z) > 2.0
        counts[xi[out], yi[out]] = i + 1
        kept[xi[out], yi[out]] = z[out]
        np.logical_not(out, out)
        z = z[out]
        xi, yi = xi[out], yi[out]
        c = c[out]
    return np.sum(np.abs(kept.T)) + np.sum(counts.T) + np.sum(np.abs(z) ** 2)


@program(args=(real(3, 5), real(2), 0.4), wrt=(0, 1, 2))
def many_in_one_loop(a, w, x):
    """A loop that ends by itself, with work arrays that change their roles."""
    new, old = np.zeros_like(a), a
    n = 0
    while True:
        new[:, 1:-1] = w[0] * (old[:, :-2] + old[:, 2:]) + w[1] * old[:, 1:-1]
        new[:, 0], new[:, -1] = old[:, -1], old[:, 0]
        new, old = old, new
        n += 1
        if n >= 5 or np.sum(old) > 40.0 * x:
            break
    return np.sum(old * new) * x
