import numpy as np


def rosenbrock_gradients(x, value_bar=1.0):
    x_bar = np.zeros_like(x)
    for i in range(x.shape[0] - 1):
        # total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
        t = x[i]
        t1 = (x[i + 1] - t ** 2) * value_bar
        x_bar[i + 1] += 200.0 * t1
        x_bar[i] += -2.0 * (1.0 - t) * value_bar - 400.0 * (t * t1)
    return x_bar
