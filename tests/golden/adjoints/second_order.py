import math


def second_order_gradients(x, value_bar=1.0):
    t = math.sin(x)
    # return x ** 3 * math.sin(x)
    t1 = math.cos(x)
    t2 = x ** 2
    x_bar = 6.0 * x * (t * value_bar)
    x_bar -= t * (x ** 3 * value_bar)
    x_bar += 3.0 * t1 * (t2 * value_bar)
    x_bar += 3.0 * t2 * (t1 * value_bar)
    return x_bar
