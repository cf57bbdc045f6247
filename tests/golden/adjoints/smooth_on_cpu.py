import numpy as np


def smooth_on_cpu_gradients(a, steps, value_bar=1.0):
    a1 = np.copy(a)
    for _ in range(steps):
        b = np.copy(a1)
        for i in range(a.shape[0] - 2):
            a1[i + 1] = 0.5 * b[i + 1] + 0.25 * (b[i] + b[i + 2])
    # return np.sum(a * a)
    a_bar = 2.0 * value_bar * a1
    for _ in range(steps - 1, -1, -1):
        # a[1:-1] = 0.5 * b[1:-1] + 0.25 * (b[:-2] + b[2:])
        b_bar = np.empty_like(a1)
        if a.shape[0] - 2 > 1:
            for i in range(2):
                b_bar[i] = 0.25 * a_bar[i + 1]
            b_bar[1] += 0.5 * a_bar[1]
            for i in range(a.shape[0] - 4):
                b_bar[i + 2] = 0.25 * a_bar[i + 1] + 0.25 * a_bar[i + 3] + 0.5 * a_bar[i + 2]
            for i in range(2):
                b_bar[a.shape[0] - 4 + i + 2] = 0.25 * a_bar[a.shape[0] - 4 + i + 1]
            b_bar[a.shape[0] - 2] += 0.5 * a_bar[a.shape[0] - 2]
        else:
            b_bar[...] = 0.0
            for i in range(a.shape[0] - 2):
                t = a_bar[i + 1]
                t_bar = 0.25 * t
                b_bar[i + 2] += t_bar
                b_bar[i] += t_bar
                b_bar[i + 1] += 0.5 * t
        for i in range(a.shape[0] - 2):
            a_bar[i + 1] = 0.0
        for i in range(a.shape[0]):
            # b = a.copy()
            a_bar[i] += b_bar[i]
    return a_bar
