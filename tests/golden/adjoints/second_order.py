import math


def second_order_gradients(x, value_bar=1.0):
    t_bar = math.sin(x)
    # return x ** 3 * math.sin(x)
    t = math.cos(x)
    t1 = x ** 2
    x_bar = 6.0 * x * (t_bar * value_bar)
    x_bar -= t_bar * (x ** 3 * value_bar)
    x_bar += 3.0 * t * (t1 * value_bar)
    x_bar += 3.0 * t1 * (t * value_bar)
    return x_bar
