"""Tuples, lists and dicts as arguments, local values and results."""

import math

import numpy as np

from . import program


@program(args=((1.5, 0.5),))
def tuple_argument(pair):
    return pair[0] * pair[1] * pair[0]


@program(args=([1.5, 0.5, 2.0],))
def list_argument(values):
    s = 0.0
    for v in values:
        s = s * v + v
    return s


@program(args=([np.array([1.0, 2.0]), np.array([0.5])],))
def list_of_arrays_argument(arrays):
    return np.sum(arrays[0]) * np.sum(arrays[1] ** 2)


@program(args=({"w": np.array([1.0, -1.0]), "b": 0.5}, np.array([2.0, 3.0])))
def dict_argument(params, x):
    return np.sum(params["w"] * x) ** 2 + params["b"] * x[0]


@program(args=({"layers": [(np.array([[0.5, 1.0]]), 0.1), (np.array([[0.2], [0.3]]), -0.2)]},))
def nested_argument(model):
    h = np.array([1.0])
    for w, b in model["layers"]:
        h = np.tanh(h @ w + b)
        if w.shape[0] == 1:
            h = h * 1.5
    return np.sum(h)


@program(args=((1.5, 3, "x", np.array([1, 2])),))
def argument_with_constants(record):
    return record[0] ** record[1] * record[3][1]


@program(args=(1.5, 0.5))
def tuple_result(x, y):
    return x * y, x + y


@program(args=(1.5, np.array([1.0, 2.0])))
def dict_result(x, v):
    return {"scaled": x * v, "norm": np.sum(v * v), "name": "result"}


@program(args=(1.5, 0.5))
def nested_result(x, y):
    return [x * y, (x, {"y": y * y})]


@program(args=(1.5, 0.5))
def local_tuple(x, y):
    t = (x, y, x * y)
    u = t + (x / y,)
    return u[0] * u[-1] + u[2] * len(u)


@program(args=(1.5, 0.5))
def local_dict(x, y):
    d = {"a": x, "b": x * y}
    d["c"] = d["a"] + d["b"]
    d["a"] = d["c"] * y
    return d["a"] * d["c"]


@program(args=(1.5, 0.5))
def local_list(x, y):
    items = [x, y]
    items = items + [x * y]
    a = items[1:]
    return a[0] * a[1] + items[0] * len(items)


@program(args=(0.7, 5), wrt=(0,), smoke=True)
def append_then_read(x, n):
    values = [x]
    for i in range(n):
        values.append(math.sin(values[i]) + x)
    return values[-1] * values[2]


@program(args=(0.7,))
def append_then_loop(x):
    values = []
    t = x
    while t < 5.0:
        values.append(t * t)
        t = t * 1.7
    s = 0.0
    for v in values:
        s = s * 0.5 + v
    return s * len(values)


@program(args=(np.array([0.5, -0.2]),))
def append_arrays_then_stack(x):
    states = []
    for k in range(4):
        x = np.tanh(x) * 1.1
        states.append(x)
    history = np.stack(states)
    return np.sum(history * history)


@program(args=(0.7,))
def appended_backwards_and_sum(x):
    values = []
    for i in range(4):
        values.append(x**i)
    return sum(values) * max(values) + min(values)


@program(args=(0.7,))
def list_store(x):
    values = [0.0, 0.0, 0.0]
    values[0] = x
    values[1] = values[0] * x
    values[2] = values[1] * values[0]
    values[0] = values[2] + 1.0
    return values[0] * values[1]


@program(args=(0.7,))
def list_store_in_loop(x):
    values = [x] * 4
    for i in range(1, 4):
        values[i] = values[i - 1] * x + 0.5
    return values[3] * values[1]


@program(args=(0.7, 1.2))
def tuple_carried_by_loop(x, y):
    state = (x, y)
    for _ in range(3):
        state = (state[1], math.sin(state[0]) + state[1] * 0.2)
    return state[0] * state[1]


@program(args=(0.7, 1.2))
def same_container_twice(x, y):
    t = [x, y]
    u = t
    return t[0] * u[1] + u[0]


@program(args=(0.7, 1.2))
def tuple_chosen_by_branch(x, y):
    if x > y:
        t = (x, y)
    else:
        t = (y, x * x)
    return t[0] * t[1] * t[1]


@program(args=(0.7,))
def dict_of_functions_and_values(x):
    model = {"f": math.sin, "scale": x}
    return model["f"](x) * model["scale"]


@program(args=([[1.0, 2.0], [3.0, 4.0]],))
def nested_list_of_numbers(m):
    a = np.array(m)
    return np.sum(a @ a)


@program(args=(0.7, 1.2))
def star_of_list_in_call(x, y):
    def f(a, b, c):
        return a * b + c

    parts = [x, y]
    return f(*parts, x * y)


@program(args=((0.7, 1.2), [2.0]))
def len_and_zip_of_arguments(a, b):
    s = 0.0
    for u, v in zip(a, list(b) * 2):
        s = s + u * u * v
    return s * len(a)


@program(args=(2.0,), order=2)
def rows_one_list_twice(x):
    table = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            table[i][j] = x * i + j
    twice = [[0.0] * 2] * 2
    twice[0][0] = x
    return sum(sum(row) for row in table) + twice[1][0] * table[1][2]


@program(args=([0.7, 0.4, 1.2],))
def sorted_both_ways(items):
    up, down = sorted(items), sorted(items, reverse=True)
    by_key = sorted(items, key=lambda v: -v)
    return up[0] + 2.0 * up[1] + down[0] ** 2 + by_key[1] ** 3


@program(args=([0.7, 0.4, 1.2],))
def sorted_by_known_keys(items):
    rows = sorted(zip([3, 1, 2], items, strict=True), key=lambda row: row[0])
    return rows[0][1] * rows[1][1] ** 2


@program(args=(np.array([0.8, 1.7, 0.4]),))
def sorted_array_reversed(x):
    s = sorted(x, reverse=True)
    return s[0] + 2.0 * s[1] + s[2] ** 2


@program(args=([0.7, 0.4, 1.2],))
def least_by_key(items):
    return min(items, key=lambda v: (v - 1.0) ** 2) * items[0] + max(items, key=abs)


@program(args=([0.7, 0.4, 1.2],))
def least_of_nothing(items):
    return min([], default=items[0]) * max(items, default=0.0)


@program(args=(np.array([0.8, 1.7, 0.4]),))
def popped_until_empty(x):
    stack = []
    for v in x:
        stack.append(v * v)
    t = 0.0
    while len(stack) > 0:
        v = stack.pop()
        t = t * 0.5 + v
    return t


@program(args=([0.7, 0.4, 1.2],))
def popped_from_the_front(items):
    rest = list(items)
    t = 0.0
    while rest:
        t = t * 0.5 + rest.pop(0) ** 2
    return t


@program(args=(0.7, 0.4))
def linked_list(a, b):
    head = None
    for v in (a, b, a * b):
        head = (v, head)
    t = 0.0
    while head is not None:
        v, head = head
        t = t * 0.5 + v * v
    return t


@program(args=([0.7, 0.4, 1.2, 2.0],))
def changed_lists(items):
    items = items.copy()
    items[1:3] = [items[0], items[3] * 2.0]
    items[:0] = [2.0]
    del items[-1]
    items.insert(0, items[1] * 2.0)
    items.reverse()
    items.sort()
    return items[0] * items[1] + items[2] * items[3] + items.index(max(items))


@program(args=([(0.7, 1.0), (0.4, 2.0), (1.2, 3.0)],))
def sorted_pairs(rows):
    s = sorted(rows, key=lambda row: row[0])
    return s[0][1] + s[1][1] * s[1][0] * 2.0 + s[2][1] ** 2 + min(rows, key=lambda row: row[1])[0]


@program(args=(0.7,))
def merged_dicts(x):
    d = {"a": x}
    d |= {"b": x * x}
    e = d | {"c": 3.0}
    key, v = e.popitem()
    return v * sum(d[k] for k in d) + dict(zip("ab", [x, 2.0], strict=True))["a"] * len(key)


@program(args=(0.7,))
def sets_of_keys(x):
    seen = {k % 3 for k in range(7)}
    seen.add(5)
    seen |= {7}
    return x ** len(seen) * sum(k * x for k in seen - {7})


@program(args=(np.array([0.3, -0.7, 1.1]), 3), wrt=(0,))
def state_in_a_dict_made_each_time(x, n):
    s = {"x": x[0], "v": x[1]}
    for k in range(n):
        s = {"x": s["x"] + 0.1 * s["v"], "v": s["v"] * x[k]}
    return s["x"] * s["v"]


@program(args=(np.array([0.3, -0.7, 1.1]), 3), wrt=(0,))
def state_in_a_list_of_arrays(x, n):
    s = [1.0 * x, x[::-1]]
    for k in range(n):
        s = [np.sin(s[1]), s[0] * x[k]]
    return np.sum(s[0] * s[1])


@program(args=(0.7, 5), wrt=(0,))
def new_list_each_iteration(x, n):
    row = [x, x * x, 2.0]
    for _ in range(n):
        row = [row[1], row[2] * 0.5, row[0] + row[1]]
    return row[0] * row[1] + row[2]


@program(args=(0.7, 5), wrt=(0,))
def shrinking_list(x, n):
    values = [x * j for j in range(n + 1)]
    for i in range(n - 1, -1, -1):
        values = [0.5 * values[j] + x * values[j + 1] for j in range(i + 1)]
    return values[0]


@program(args=(0.7,))
def unpacked_comprehension(x):
    a, b, c = [x**k for k in range(1, 4)]
    return a * b + c + math.hypot(*[x * k for k in range(2)])


@program(args=(1.3, 3), wrt=(0,))
def first_of_the_lists_changed(x, n):
    a = [x]
    first = a
    for _ in range(n):
        first[0] = a[0] * x
        a = [a[0] * 2.0]
    return a[0] + first[0]


@program(args=(2.0, 3), wrt=(0,), order=2)
def list_that_is_another_one_each_time(x, n):
    a = [x]
    first = a
    for _ in range(n):
        first[0] = a[0] * x
        a = [a[0] * 2.0]
    return a[0] + first[0]


@program(args=(np.array([0.8, 1.7, 0.4, 1.1]),))
def loop_over_a_list_that_grows(x):
    queue = [(0, 1.0)]
    t = 0.0
    for k, w in queue:
        t += x[k] * w
        if k < 3:
            queue.append((k + 1, w * 0.5))
    return t


@program(args=([0.7, 0.4, 1.2],))
def loop_over_a_list_that_changes(items):
    a = list(items)
    t = 0.0
    for k, v in enumerate(a):
        t += v * v
        if k == 0:
            a[2] = a[2] * 3.0
    return t


@program(args=(np.array([0.8, 1.7, 0.4, 1.1]),))
def repeated_list_by_a_varying_index(x):
    sums = [0.0] * 3
    for i, v in enumerate(x):
        sums[i % 3] = sums[i % 3] * v + v
    return sums[0] * sums[1] - sums[2]


@program(args=([0.7, 0.4, 1.2],))
def greatest_by_its_index(items):
    k = max(range(len(items)), key=items.__getitem__)
    return items[k] ** 2 + k


@program(args=(1.5,))
def counted_in_a_loop(x):
    counts = {}
    for _ in range(3):
        counts["a"] = counts.get("a", 0) + 1
    return x ** counts["a"]


@program(args=(1.5, 3), wrt=(0,))
def counted_in_a_loop_of_unknown_length(x, n):
    total = {}
    for k in range(n):
        total["s"] = total.get("s", 0.5) * x + k
    return total.get("s", 0.0) ** 2


@program(args=(1.5, 0), wrt=(0,))
def counted_in_a_loop_that_never_runs(x, n):
    total = {}
    for k in range(n):
        total["s"] = total.get("s", 0.5) * x + k
    return total.get("s", x) ** 2


@program(args=(1.5, 3), wrt=(0,))
def put_into_a_dict_while(x, n):
    powers = {}
    while n > 0:
        powers["p"] = powers.get("p", 1.0) * x
        n -= 1
    return powers.get("p", 0.0)


@program(args=(1.5, 4), wrt=(0,))
def keys_that_are_the_index(x, n):
    powers = {0: 1.0}
    for k in range(n):
        powers[k + 1] = powers[k] * x + k
    return sum(powers.values())


@program(args=(1.5, 3), wrt=(0,))
def taken_out_in_a_loop(x, n):
    once = {"a": x, "b": 2.0 * x}
    for k in range(n):
        if "b" in once:
            x = x + once.pop("b")
    return x * once["a"]


@program(args=(1.5, 3), wrt=(0,))
def lists_that_grew_are_concatenated(x, n):
    values = [x]
    for k in range(n):
        values.append(x * k)
    values = values + [x, 3.0]
    values = [x * 5.0] + values + values
    return sum(values) + len(values) * values[0]


@program(args=(1.5, 0, 1), wrt=("x",))
@program(args=(1.5, 2, 2), wrt=("x",), name="added_in_a_nest_that_runs")
def added_in_a_nest_that_may_not_run(x, n, m):
    held = {"b": 0.2}
    for _ in range(m):
        for k in range(n):
            held["c"] = x * k
    return sum(held.values()) * x
