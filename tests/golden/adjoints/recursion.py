import math


def recursion(x, n):
    if n == 0:
        return 1.0
    return math.sin(x) * recursion(x, n - 1)


def recursion_gradients1(x, n, value_bar=1.0):
    t = n == 0
    if not t:
        t1 = recursion(x, n - 1)
    if t:
        x_bar = 0.0
    else:
        # return math.sin(x) * recursion(x, n - 1)
        x_bar = recursion_gradients1(x, n - 1, math.sin(x) * value_bar)
        x_bar += math.cos(x) * (t1 * value_bar)
    return x_bar


def recursion_gradients(x, n, value_bar=1.0):
    x_bar = recursion_gradients1(x, n, value_bar)
    return x_bar
