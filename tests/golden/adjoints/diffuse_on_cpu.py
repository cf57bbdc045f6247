import numpy as np


def diffuse_on_cpu_gradients(a, steps, value_bar=1.0):
    a1 = np.copy(a)
    for _ in range(steps):
        b = np.copy(a1)
        for i in range(a.shape[0] - 2):
            for j in range(a.shape[1] - 2):
                a1[i + 1, j + 1] = 0.6 * b[i + 1, j + 1] + 0.1 * (b[i, j + 1] + b[i + 2, j + 1] + b[i + 1, j] + b[i + 1, j + 2])
    # return np.sum(a * a)
    a_bar = 2.0 * value_bar * a1
    for _ in range(steps - 1, -1, -1):
        # a[1:-1, 1:-1] = 0.6 * b[1:-1, 1:-1] + 0.1 * (b[:-2, 1:-1] + b[2:, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:])
        b_bar = np.empty_like(a1)
        rows = np.zeros((3, a.shape[1] + 2))
        for i in range(a.shape[0]):
            row = i % 3
            row1 = (i + 2) % 3
            row2 = (i + 1) % 3
            if i < a.shape[0] - 2:
                for j in range(a.shape[1] - 2):
                    t = a_bar[i + 1, j + 1]
                    a_bar[i + 1, j + 1] = 0.0
                    rows[row, j + 2] = t
            else:
                for j in range(a.shape[1] - 2):
                    rows[row, j + 2] = 0.0
            for j in range(a.shape[1]):
                t = 0.1 * rows[row1, j] + 0.1 * rows[row1, j + 2] + 0.1 * rows[row2, j + 1]
                b_bar[i, j] = t + 0.1 * rows[row, j + 1] + 0.6 * rows[row1, j + 1]
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                # b = a.copy()
                a_bar[i, j] += b_bar[i, j]
    return a_bar
