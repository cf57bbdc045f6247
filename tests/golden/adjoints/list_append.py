def list_append_gradients(x, n, value_bar=1.0):
    values = []
    for k in range(n):
        values.append(x * k)
    values_bar = [0.0] * len(values)
    for k in range(len(values) - 1, -1, -1):
        values_bar[k] = values_bar[k] + 2.0 * values[k] * value_bar
    x_bar = 0.0
    for k in range(n - 1, -1, -1):
        # values.append(x * k)
        t_bar = values_bar.pop()
        x_bar += k * t_bar
    return x_bar
