import numpy as np


def float32_gradients(x, w, rate, value_bar=np.float32(1.0)):
    t = np.tanh(x * w)
    rate1 = np.float32(rate)
    # return np.sum(np.tanh(x * w) * rate)
    rate_bar = float(np.sum(t * value_bar))
    t1 = (np.float32(1.0) - t * t) * (rate1 * value_bar)
    x_bar = w * t1
    w_bar = x * t1
    return x_bar, w_bar, rate_bar
