import numpy as np


def float32_gradients(x, w, rate, value_bar=np.float32(1.0)):
    t = np.tanh(x * w)
    rate1 = np.float32(rate)
    # return np.sum(np.tanh(x * w) * rate)
    rate_bar = float(np.sum(t * value_bar))
    t_bar = (np.float32(1.0) - t * t) * (rate1 * value_bar)
    x_bar = w * t_bar
    w_bar = x * t_bar
    return x_bar, w_bar, rate_bar
