import math

import numpy as np


def break_loop_gradients(x, limit, value_bar=1.0):
    total = 0.0
    count = 0
    for k in range(x.shape[0]):
        v = x[k]
        total += math.sin(v) * v
        count += 1
        if total > limit:
            break
    # return total * total
    t = total * value_bar
    x_bar = np.zeros_like(x)
    for k in range(count):
        # total += math.sin(v) * v
        v = x[k]
        v_bar = 2.0 * math.sin(v) * t
        v_bar += 2.0 * math.cos(v) * (v * t)
        x_bar[k] += v_bar
    return x_bar
