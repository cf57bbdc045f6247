import numpy as np


def trisolv_gradients(L, b, value_bar=1.0):
    n = b.shape[0]
    x = np.zeros(n)
    for i in range(n):
        acc = b[i]
        for j in range(i):
            acc -= L[i, j] * x[j]
        x[i] = acc / L[i, i]
    # return np.sum(x)
    x_bar = np.full_like(x, value_bar)
    b_bar = np.zeros_like(b)
    L_bar = np.zeros_like(L)
    for i in range(n - 1, -1, -1):
        # x[i] = acc / L[i, i]
        t_bar = x_bar[i]
        x_bar[i] = 0.0
        t = L[i, i]
        acc_bar = t_bar / t
        L_bar[i, i] -= t_bar * x[i] / t
        for j in range(i):
            # acc -= L[i, j] * x[j]
            x_bar[j] -= L[i, j] * acc_bar
            L_bar[i, j] -= x[j] * acc_bar
        # acc = b[i]
        b_bar[i] += acc_bar
    return L_bar, b_bar
