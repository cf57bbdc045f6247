import math

import numpy as np


def pendulum_gradients(theta, omega, length, drag, steps, dt, value_bar=1.0):
    t = len(range(steps))
    omega_saved = np.empty(t)
    theta_saved = np.empty(t)
    for k in range(steps):
        omega_saved[k] = omega
        theta_saved[k] = theta
        accel = -9.81 / length * math.sin(theta) - drag * omega * abs(omega)
        theta = theta + dt * omega
        omega = omega + dt * accel
    # return theta * theta
    theta_bar = 2.0 * theta * value_bar
    omega_bar = 0.0
    length_bar = 0.0
    drag_bar = 0.0
    for k in range(steps - 1, -1, -1):
        # omega = omega + dt * accel
        accel_bar = dt * omega_bar
        # theta = theta + dt * omega
        omega_bar += dt * theta_bar
        # accel = -9.81 / length * math.sin(theta) - drag * omega * abs(omega)
        omega = omega_saved[k]
        t1 = abs(omega) * accel_bar
        omega_bar -= drag * omega * accel_bar * np.sign(omega)
        drag_bar -= omega * t1
        omega_bar -= drag * t1
        theta = theta_saved[k]
        t1 = -9.81 / length
        theta_bar += math.cos(theta) * (t1 * accel_bar)
        length_bar -= math.sin(theta) * accel_bar * t1 / length
    return theta_bar, omega_bar, length_bar, drag_bar
