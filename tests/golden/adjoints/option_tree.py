import numpy as np


def option_tree_gradients(prices, p, steps, value_bar=1.0):
    s = 2.0 * prices
    t = 1.0 - s
    v = np.maximum(t, 0.0)
    t_saved = []
    t_saved1 = []
    v_saved = []
    s_saved = []
    for _ in range(steps):
        v_saved.append(v)
        s_saved.append(s)
        s = s[1:]
        t1 = p * v[1:] + (1.0 - p) * v[:-1]
        t_saved.append(t1)
        t2 = 1.0 - s
        t_saved1.append(t2)
        v = np.maximum(t1, t2)
    # return v[0]
    v_bar = np.zeros_like(v)
    v_bar[0] += value_bar
    s_bar = np.zeros_like(s)
    p_bar = 0.0
    for k in range(steps - 1, -1, -1):
        # v = np.maximum(p * v[1:] + (1.0 - p) * v[:-1], 1.0 - s)
        t1 = t_saved[k]
        t2 = t_saved1[k]
        t_bar = (t1 >= t2) * v_bar
        t_bar1 = (t1 < t2) * v_bar
        v = v_saved[k]
        t1 = v[:-1] * t_bar
        v_bar = np.zeros_like(v)
        v_bar[:-1] += (1.0 - p) * t_bar
        p_bar -= np.sum(t1)
        p_bar += np.sum(v[1:] * t_bar)
        v_bar[1:] += p * t_bar
        # s = s[1:]
        s_bar1 = np.zeros_like(s_saved[k])
        s_bar1[1:] += s_bar - t_bar1
        s_bar = s_bar1
    # s = prices * 2.0
    prices_bar = 2.0 * (s_bar - (t >= 0.0) * v_bar)
    return prices_bar, p_bar
