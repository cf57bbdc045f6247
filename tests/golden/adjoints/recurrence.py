import numpy as np


def recurrence_gradients(x, value_bar=1.0):
    x1 = np.copy(x)
    for i in range(1, x1.shape[0]):
        x1[i] = np.sin(x1[i - 1]) * x1[i]
    # return x[-1]
    x_bar = np.zeros_like(x1)
    x_bar[-1] += value_bar
    for i in range(x1.shape[0] - 1, 0, -1):
        # x[i] = np.sin(x[i - 1]) * x[i]
        t_bar = x_bar[i]
        t = x1[i - 1]
        x_bar[i] = np.sin(t) * t_bar
        x_bar[i - 1] += np.cos(t) * (x[i] * t_bar)
    return x_bar
