import math


def branch_gradients(x, y, value_bar=1.0):
    t = x > y
    if t:
        z = x * y
    elif x > 0.0:
        z = math.exp(x)
        z1 = z
    else:
        z = y
    # return z * z
    t1 = z * value_bar
    z_bar = 2.0 * t1
    if t:
        # z = x * y
        x_bar = 2.0 * y * t1
        y_bar = 2.0 * x * t1
    elif x > 0.0:
        # z = math.exp(x)
        x_bar = 2.0 * z1 * t1
        y_bar = 0.0
    else:
        x_bar = 0.0
        y_bar = z_bar
    return x_bar, y_bar
