import math


def custom_gradient_gradients(x, y, value_bar=1.0):
    e = math.exp(x * y)
    t = 1.0 + e
    # return log1pexp(x * y) * y
    y_bar = math.log(t) * value_bar
    t1 = y * value_bar * (1.0 - 1.0 / t)
    x_bar = y * t1
    y_bar += x * t1
    return x_bar, y_bar
