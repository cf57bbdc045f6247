def weighted_sum_value_and_gradients(x1, x2, w1, w2, value_bar=1.0):
    # return w1 * x1 + w2 * x2
    w2_bar = x2 * value_bar
    w1_bar = x1 * value_bar
    return w1 * x1 + w2 * x2, w1_bar, w2_bar
