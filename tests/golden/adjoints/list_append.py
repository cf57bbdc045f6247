def list_append_gradients(x, n, value_bar=1.0):
    values = []
    for k in range(n):
        values.append(x * k)
    values_bar = [0.0] * len(values)
    for v in range(len(values) - 1, -1, -1):
        values_bar[v] = values_bar[v] + 2.0 * (values[v] * value_bar)
    x_bar = 0.0
    for k in range(n - 1, -1, -1):
        # values.append(x * k)
        t = values_bar.pop()
        x_bar += k * t
    return x_bar
