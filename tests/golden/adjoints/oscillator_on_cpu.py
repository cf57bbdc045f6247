import numpy as np


def oscillator_on_cpu_gradients(p, steps, value_bar=1.0):
    t = len(range(steps))
    y_1_saved = np.empty(t)
    y_0_saved = np.empty(t)
    if steps > 0:
        t1 = p[0]
        t2 = p[1]
        y_0 = 1.0
        y_1 = 0.0
        for k in range(steps):
            y_1_saved[k] = y_1
            y_0_saved[k] = y_0
            y_01 = y_0 + 0.1 * y_1
            y_1 += 0.1 * (-(t1 * y_0) - t2 * y_1)
            y_0 = y_01
    else:
        y_0 = 1.0
    # return y[0] * y[0]
    y_0_bar = 2.0 * y_0 * value_bar
    p_bar = np.zeros_like(p)
    if steps - 1 > -1:
        # y = y + 0.1 * np.array([y[1], -p[0] * y[0] - p[1] * y[1]])
        t3 = p[1]
        t4 = p[0]
        y_1_bar = 0.0
        t2 = 0.0
        t1 = 0.0
        for k in range(steps - 1, -1, -1):
            y_1_bar1 = y_1_bar + 0.1 * y_0_bar
            y_1_bar1 -= 0.1 * (t3 * y_1_bar)
            y_0_bar -= 0.1 * (t4 * y_1_bar)
            t2 -= 0.1 * (y_1_saved[k] * y_1_bar)
            t1 -= 0.1 * (y_0_saved[k] * y_1_bar)
            y_1_bar = y_1_bar1
        p_bar[1] += t2
        p_bar[0] += t1
    return p_bar
