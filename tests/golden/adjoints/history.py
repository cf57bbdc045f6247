import math

import numpy as np


def history_gradients(x0, steps, value_bar=1.0):
    xs = np.empty(steps + 1)
    xs[0] = x0
    for k in range(steps):
        t = xs[k]
        xs[k + 1] = t * math.cos(t)
    # return np.sum(xs * xs)
    xs_bar = 2.0 * value_bar * xs
    for k in range(steps - 1, -1, -1):
        # xs[k + 1] = xs[k] * math.cos(xs[k])
        t_bar = xs_bar[k + 1]
        xs_bar[k + 1] = 0.0
        t = xs[k]
        xs_bar[k] += math.cos(t) * t_bar - math.sin(t) * (t * t_bar)
    # xs[0] = x0
    x0_bar = xs_bar[0]
    xs_bar[0] = 0.0
    return x0_bar
