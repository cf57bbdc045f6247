import numpy as np


def seidel_gradients(A, steps, value_bar=1.0):
    A = np.copy(A)
    n = A.shape[0]
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = (A[i - 1, j] + A[i, j - 1] + A[i, j] + A[i, j + 1] + A[i + 1, j]) / 5.0
    # return np.sum(A * A)
    A_bar = 2.0 * value_bar * A
    for t in range(steps - 1, -1, -1):
        for i in range(n - 2, 0, -1):
            for j in range(n - 2, 0, -1):
                # A[i, j] = (A[i - 1, j] + A[i, j - 1] + A[i, j] + A[i, j + 1] + A[i + 1, j]) / 5.0
                t_bar = A_bar[i, j] / 5.0
                A_bar[i, j] = t_bar
                A_bar[i, j - 1] += t_bar
                A_bar[i + 1, j] += t_bar
                A_bar[i - 1, j] += t_bar
                A_bar[i, j + 1] += t_bar
    return A_bar
