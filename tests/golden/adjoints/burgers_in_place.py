import numpy as np


def burgers_in_place_gradients(u, c, steps, value_bar=1.0):
    u = np.copy(u)
    t_saved = np.empty((len(range(steps)), len(range(1, u.shape[0] - 1))))
    for k in range(steps):
        for i in range(1, u.shape[0] - 1):
            t = u[i]
            t_saved[k, i - 1] = t
            u[i] = t - c * t * (t - u[i - 1]) + 0.2 * u[i + 1]
    # return np.sum(u * u)
    u_bar = 2.0 * value_bar * u
    c_bar = 0.0
    for k in range(steps - 1, -1, -1):
        for i in range(u.shape[0] - 2, 0, -1):
            # u[i] = u[i] - c * u[i] * (u[i] - u[i - 1]) + 0.2 * u[i + 1]
            t = t_saved[k, i - 1]
            u[i] = t
            t_bar = u_bar[i]
            t1 = (t - u[i - 1]) * t_bar
            t_bar1 = c * t * t_bar
            c_bar -= t * t1
            u_bar[i] = t_bar - t_bar1 - c * t1
            u_bar[i - 1] += t_bar1
            u_bar[i + 1] += 0.2 * t_bar
    return u_bar, c_bar
