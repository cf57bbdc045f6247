import numpy as np


def lu_gradients(A, value_bar=1.0):
    A = np.copy(A)
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[k, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            for k in range(i):
                A[i, j] -= A[i, k] * A[k, j]
    # return np.sum(A)
    A_bar = np.full_like(A, value_bar)
    for i in range(n - 1, -1, -1):
        for j in range(i, n):
            for k in range(i):
                # A[i, j] -= A[i, k] * A[k, j]
                t_bar = A_bar[i, j]
                A_bar[k, j] -= A[i, k] * t_bar
                A_bar[i, k] -= A[k, j] * t_bar
        for j in range(i - 1, -1, -1):
            # A[i, j] /= A[j, j]
            t_bar = A_bar[i, j]
            t = A[j, j]
            A_bar[i, j] = t_bar / t
            A_bar[j, j] -= t_bar * A[i, j] / t
            for k in range(j):
                # A[i, j] -= A[i, k] * A[k, j]
                t_bar = A_bar[i, j]
                A_bar[k, j] -= A[i, k] * t_bar
                A_bar[i, k] -= A[k, j] * t_bar
    return A_bar
