import numpy as np


def heat_3d_gradients(A, steps, value_bar=1.0):
    A = np.copy(A)
    B = np.copy(A)
    for t in range(steps):
        t1 = A[1:-1, 1:-1, 1:-1]
        B[1:-1, 1:-1, 1:-1] = t1 + 0.125 * (A[2:, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1] + A[1:-1, 2:, 1:-1] + A[1:-1, :-2, 1:-1] + A[1:-1, 1:-1, 2:] + A[1:-1, 1:-1, :-2] - 6.0 * t1)
        A[1:-1, 1:-1, 1:-1] = B[1:-1, 1:-1, 1:-1]
    # return np.sum(A * A)
    A_bar = 2.0 * value_bar * A
    B_bar = np.zeros_like(B)
    for t in range(steps - 1, -1, -1):
        # A[1:-1, 1:-1, 1:-1] = B[1:-1, 1:-1, 1:-1]
        t_bar = A_bar[1:-1, 1:-1, 1:-1]
        t1 = np.copy(t_bar)
        A_bar[1:-1, 1:-1, 1:-1] = 0.0
        t_bar1 = B_bar[1:-1, 1:-1, 1:-1]
        t_bar1 += t1
        # B[1:-1, 1:-1, 1:-1] = A[1:-1, 1:-1, 1:-1] + 0.125 * (A[2:, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1] + A[1:-1, 2:, 1:-1] + A[1:-1, :-2, 1:-1] + A[1:-1, 1:-1, 2:] + A[1:-1, 1:-1, :-2] - 6.0 * A[1:-1, 1:-1, 1:-1])
        t_bar1 = np.copy(t_bar1)
        B_bar[1:-1, 1:-1, 1:-1] = 0.0
        t_bar += t_bar1
        t_bar2 = 0.125 * t_bar1
        t_bar -= 0.75 * t_bar1
        A_bar[1:-1, 1:-1, :-2] += t_bar2
        A_bar[1:-1, 1:-1, 2:] += t_bar2
        A_bar[1:-1, :-2, 1:-1] += t_bar2
        A_bar[1:-1, 2:, 1:-1] += t_bar2
        A_bar[2:, 1:-1, 1:-1] += t_bar2
        A_bar[:-2, 1:-1, 1:-1] += t_bar2
    # B = A.copy()
    A_bar += B_bar
    return A_bar
