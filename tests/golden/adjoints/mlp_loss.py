import numpy as np


def mlp_loss_gradients(x, y, W1, b1, W2, value_bar=1.0):
    t = x @ W1
    h = np.tanh(t + b1)
    e = h @ W2 - y
    # return np.mean(e * e)
    e_bar = 2.0 * value_bar / (t.shape[0] * W2.shape[1]) * e
    # e = h @ W2 - y
    h_bar = e_bar @ W2.T
    W2_bar = h.T @ e_bar
    # h = np.tanh(x @ W1 + b1)
    t_bar = (1.0 - h * h) * h_bar
    b1_bar = np.sum(t_bar, axis=0)
    W1_bar = x.T @ t_bar
    return W1_bar, b1_bar, W2_bar
