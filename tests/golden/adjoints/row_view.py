import numpy as np


def row_view_gradients(A, v, value_bar=1.0):
    A_bar = np.zeros_like(A)
    v_bar = np.zeros_like(v)
    for i in range(A.shape[0]):
        row = A[i]
        # total += np.dot(row, v) * row[0]
        t_bar = row[0] * value_bar
        row_bar = A_bar[i]
        row_bar[0] += np.dot(row, v) * value_bar
        row_bar += t_bar * v
        v_bar += t_bar * row
    return A_bar, v_bar
