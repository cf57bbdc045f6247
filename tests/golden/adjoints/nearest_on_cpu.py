import numpy as np


def nearest_on_cpu_gradients(points, centers, value_bar=1.0):
    t_saved = np.empty(centers.shape[0], dtype=np.bool_)
    centers_bar = np.zeros_like(centers)
    for i in range(points.shape[0]):
        best = 1e+300
        for c in range(centers.shape[0]):
            s = 0.0
            for j in range(points.shape[1]):
                s += (points[i, j] - centers[c, j]) ** 2
            t = s < best
            t_saved[c] = t
            if t:
                best = s
        best_bar = value_bar
        for c in range(centers.shape[0] - 1, -1, -1):
            if t_saved[c]:
                for j in range(points.shape[1]):
                    # s += (points[i, j] - centers[c, j]) ** 2
                    centers_bar[c, j] -= 2.0 * ((points[i, j] - centers[c, j]) * best_bar)
                best_bar = 0.0
    return centers_bar
