import math

import numpy as np


def paths_gradients(start, drift, noise, strike, value_bar=1.0):
    t = noise.shape[1]
    t_saved = np.empty(t)
    s_saved = np.empty(t)
    # return total / noise.shape[0]
    total_bar = value_bar / noise.shape[0]
    drift_bar = np.zeros_like(drift)
    start_bar = 0.0
    for p in range(noise.shape[0]):
        s = start
        for t in range(noise.shape[1]):
            s_saved[t] = s
            t1 = math.exp(drift[t] + 0.1 * noise[p, t])
            t_saved[t] = t1
            s = s * t1
        if s > strike:
            s_bar = total_bar
            for t in range(noise.shape[1] - 1, -1, -1):
                # s = s * math.exp(drift[t] + 0.1 * noise[p, t])
                t1 = t_saved[t]
                drift_bar[t] += t1 * (s_saved[t] * s_bar)
                s_bar *= t1
        else:
            s_bar = 0.0
        start_bar += s_bar
    return start_bar, drift_bar
