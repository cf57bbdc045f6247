import math

import numpy as np


def break_loop_gradients(x, limit, value_bar=1.0):
    t_saved = []
    total = 0.0
    for v in range(x.shape[0]):
        v1 = x[v]
        t = math.sin(v1)
        t_saved.append(t)
        total += t * v1
        if total > limit:
            break
    # return total * total
    t = total * value_bar
    x_bar = np.zeros_like(x)
    for v in range(len(t_saved)):
        # total += math.sin(v) * v
        v1 = x[v]
        v_bar = 2.0 * (t_saved[v] * t)
        v_bar += 2.0 * (math.cos(v1) * (v1 * t))
        x_bar[v] += v_bar
    return x_bar
