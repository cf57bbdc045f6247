"""Lists and deques that grow in a loop: their parts and methods, orders by a key, and what is joined of them."""

import collections

import numpy as np

from . import program

X = np.array([0.5, 1.2, 0.8, 0.3])


@program(args=(X,), order=2)
def parts_of_a_list(x):
    s = [x[0]]
    for v in x:
        s.append(s[-1] * v)
    return sum(a * b for a, b in zip(s[1:], s[:-1])) + s[-2:][0] + s[::-1][0] + sum(s[::2]) + sum(s[3:0:-2])


@program(args=(X,), order=2)
def returns_put_in_front(x):
    out = []
    r = 0.0
    for v in reversed(x):
        r = v * v + 0.9 * r
        out.insert(0, r)
    return np.sum(np.array(out) * x)


@program(args=(X,))
def returns_of_a_deque(x):
    out = collections.deque()
    r = 0.0
    for v in x[::-1]:
        r = v * v + 0.9 * r
        out.appendleft(r)
    return np.sum(np.array(out) * x)


@program(args=(X,), order=2)
def window_of_a_list(x):
    s = []
    for v in x:
        s.append(v * v)
        if len(s) > 2:
            s.pop(0)
    return s[0] + 2.0 * s[1]


@program(args=(X,))
def window_by_stores(x):
    s = []
    for v in x:
        s.append(v * v)
        if len(s) > 2:
            s[0] = s[1]
            s[1] = s[2]
            s.pop()
    return s[0] + 2.0 * s[1]


@program(args=(X,), order=2)
def window_of_a_deque(x):
    window = collections.deque(maxlen=2)
    total = 0.0
    for v in np.tile(x, 2):
        window.append(v * 1.5)
        if len(window) == 2:
            total += window[0] * window[1]
    return total


@program(args=(X,))
def deque_of_a_greatest_length_from_the_left(x):
    q = collections.deque(maxlen=3)
    for v in x:
        q.appendleft(v * v)
    return q[0] + 2.0 * q[1] + 3.0 * q[2] + len(q)


@program(args=(X,))
def queue_of_work(x):
    q = collections.deque()
    total = 0.0
    for v in x:
        q.append(v * v)
        while len(q) > 2:
            total += q.popleft() * v
    return total + q[0]


@program(args=(X,))
def stack_of_work(x):
    stack, n, total = [x[0]], 0, 0.0
    while stack and n < 6:
        v = stack.pop()
        total += v * v
        n += 1
        if v > 0.15:
            stack.insert(0, v * 0.5)
            stack.append(v * 0.4)
    return total


@program(args=(X,))
def arrays_inserted_and_reversed(x):
    q = []
    for v in x:
        q.insert(1, x * v)
    q.reverse()
    return np.sum(q[0] * q[1]) + np.sum(q[-1] ** 2 * q[2])


@program(args=(X,))
def list_methods_after_a_loop(x):
    q = []
    for v in x:
        q.append(v * v)
    q.remove(q[1])
    first = q.index(q[2]) + q.count(q[0])
    q.sort(reverse=True)
    total = q[0] * 3.0 + q[1] * q[2] * first
    del q[0]
    total += q[0]
    q.clear()
    return total + len(q)


@program(args=(X,), order=2)
def order_of_indices_by_a_key(x):
    order = sorted(range(len(x)), key=lambda i: -x[i])
    top = order[:2]
    return np.sum(x[order] * np.arange(4)) + sum(x[i] for i in top)


@program(args=(X,))
def elements_by_a_key(x):
    best = sorted(x, key=lambda v: abs(v - 0.7))[:2]
    return best[0] * 2.0 + best[1]


@program(args=(X,))
def pairs_sorted_by_a_key(x):
    pairs = []
    for v in x:
        pairs.append((v, v * v))
    pairs.sort(key=lambda pair: -pair[1])
    return pairs[0][0] + 3.0 * pairs[1][1]


@program(args=(X,), order=2)
def parts_of_different_lengths_joined(x):
    parts = []
    for k in range(len(x)):
        parts.append(x[k:] * x[0])
    return np.sum(np.concatenate(parts) ** 2) + np.sum(np.hstack(parts[1:]) * 2.0)


@program(args=(X,))
def rows_joined(x):
    rows = []
    for v in x:
        rows.append(np.outer(x[:2], x) * v)
    return np.sum(np.vstack(rows)[1:] ** 2) + np.sum(np.concatenate(rows[:-1]))


@program(args=(X,), order=2)
def unpacked(x):
    s = []
    for v in x:
        s.append(v * v)
    a, b = s[:2]
    c, *middle, d = s
    *first, last = s
    [p, q, r, t] = s
    return a * b + c * sum(middle) * d + sum(first) * last + p * t + q * r
