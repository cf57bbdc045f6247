def newton_sqrt_gradients(a, value_bar=1.0):
    x_saved = []
    x = a
    while abs(x * x - a) > 1e-12:
        x_saved.append(x)
        x = 0.5 * (x + a / x)
    x_bar = value_bar
    a_bar = 0.0
    for k in range(len(x_saved) - 1, -1, -1):
        # x = 0.5 * (x + a / x)
        t_bar = 0.5 * x_bar
        x = x_saved[k]
        a_bar += t_bar / x
        x_bar = t_bar - 0.5 * (x_bar * (a / x)) / x
    a_bar += x_bar
    return a_bar
