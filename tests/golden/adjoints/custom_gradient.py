import math


def custom_gradient_gradients(x, y, value_bar=1.0):
    e = math.exp(x * y)
    t = 1.0 + e
    # return log1pexp(x * y) * y
    y_bar = math.log(t) * value_bar
    t_bar = y * value_bar * (1.0 - 1.0 / t)
    x_bar = y * t_bar
    y_bar += x * t_bar
    return x_bar, y_bar
