import numpy as np


def capped_on_cpu_gradients(x, y, cap, value_bar=1.0):
    # t = np.exp(x * y)
    x_bar = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        t1 = x[i]
        t2 = y[i]
        t = np.exp(t1 * t2)
        t3 = t > cap
        u = 0.5 * t1
        if t3:
            u = t
        # return np.sum(u * u) + np.sum(t)
        t1 = 2.0 * value_bar * u
        # u = np.where(t > cap, t, 0.5 * x)
        x_bar1 = 0.5 * (0.0 if t3 else t1)
        # t = np.exp(x * y)
        x_bar1 += t2 * (t * (value_bar + (t1 if t3 else 0.0)))
        x_bar[i] = x_bar1
    return x_bar
