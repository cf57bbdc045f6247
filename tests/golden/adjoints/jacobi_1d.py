import numpy as np


def jacobi_1d_gradients(A, B, steps, value_bar=1.0):
    # return np.sum(A)
    A_bar = np.full_like(A, value_bar)
    B_bar = np.zeros_like(B)
    for t in range(steps - 1, -1, -1):
        for i in range(1, A.shape[0] - 1):
            # A[i] = (B[i - 1] + B[i] + B[i + 1]) / 3.0
            t_bar = A_bar[i] / 3.0
            A_bar[i] = 0.0
            B_bar[i - 1] += t_bar
            B_bar[i] += t_bar
            B_bar[i + 1] += t_bar
        for i in range(1, A.shape[0] - 1):
            # B[i] = (A[i - 1] + A[i] + A[i + 1]) / 3.0
            t_bar = B_bar[i] / 3.0
            B_bar[i] = 0.0
            A_bar[i - 1] += t_bar
            A_bar[i] += t_bar
            A_bar[i + 1] += t_bar
    return A_bar, B_bar
