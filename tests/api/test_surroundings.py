"""What a function changes around it: later calls notice it, and where it would be lost, it is refused."""

from __future__ import annotations

import pytest

import s2s


class Part:
    def __init__(self, scale):
        self.scale = scale


part = Part(1.0)
owner = Part(1.0)
owner.part = part
weight = s2s.Variable(2.0)


def by_two_paths(x):
    part.scale = x
    return owner.part.scale * x


def test_objects_with_two_names_are_told_apart_at_each_call():
    g = s2s.grad(by_two_paths)
    owner.part = part
    assert float(g(1.5)) == 3.0
    owner.part = Part(5.0)
    assert float(g(1.5)) == 5.0
    owner.part = part
    assert float(g(1.5)) == 3.0


def test_assignments_of_a_variable_remain():
    def f(x):
        weight.assign(weight * x)
        weight.assign_add(1.0)
        return weight * x

    weight.assign(2.0)
    value, [(gradient, variable)] = s2s.implicit_value_and_gradients(f)(3.0)
    assert (float(value), float(gradient), variable) == (21.0, 9.0, weight)
    assert float(weight) == 7.0


def changes_a_name(x, n):
    total = 0.0

    def go(v, k):
        nonlocal total
        if k == 0:
            return 0.0
        total += v
        return go(v * x, k - 1)

    return go(x, n) + total


def changes_a_list(x, n):
    total = [0.0]

    def go(v, k):
        if k == 0:
            return 0.0
        total[0] = total[0] + v
        return go(v * x, k - 1)

    return go(x, n) + total[0]


def changes_an_attribute(x, n):
    own = Part(0.0)

    def go(v, k):
        if k > 0:
            own.scale += v
            go(v * x, k - 1)

    go(x, n)
    return own.scale


def changes_its_argument(x, n):
    def go(pair, k):
        if k == 0:
            return 0.0
        pair[0] = pair[0] * pair[1]
        return go(pair, k - 1)

    given = [x, x]
    return go(given, n) + given[0]


def grows_its_argument(x, n):
    def go(seen, v, k):
        if k == 0:
            return seen
        seen.append(v)
        return go(seen, v * x, k - 1)

    return sum(go([], x, n))


@pytest.mark.parametrize("f", [changes_a_name, changes_a_list, changes_an_attribute, changes_its_argument,
                               grows_its_argument])
def test_recursion_that_changes_what_is_around_it_is_refused(f):
    with pytest.raises(s2s.UnsupportedSyntaxError, match="go"):
        s2s.grad(f)(1.5, 3)
