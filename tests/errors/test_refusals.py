# ruff: noqa: E501 - the texts are as long as they are
"""The full text of what s2s refuses, as a user sees it: what, place, source line, caret, why, what to do."""

from __future__ import annotations

import linecache
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import s2s

pytestmark = pytest.mark.filterwarnings("ignore::SyntaxWarning")

HEAD = """\
import contextlib
import json

import numpy as np

import s2s

"""


@dataclass(frozen=True)
class Refusal:
    """A program, how it is called, the class of the error, and its text. Lines count from that of the program."""

    name: str
    source: str
    error: type[s2s.S2SError]
    text: str
    call: str = "s2s.grad(f)(2.0)"

    def __str__(self) -> str:
        return self.name


ARRAY = "s2s.grad(f)(np.ones(3))"
CPU = 's2s.grad(f, target="cpu")(2.0)'
REFUSALS = [
    Refusal("generator", """
        def values(x):
            yield x * x

        def f(x):
            return values(x)
        """, s2s.UnsupportedSyntaxError, """
        the function returns a generator or another iterator
          File "FILE", line 5, in f
            return values(x)
            ^^^^^^^^^^^^^^^^
        its values are handed out one at a time, after the function
        return a list or an array of them
        """),
    Refusal("iterator that a loop has left", """
        def f(x):
            items = iter([x, 2.0 * x, 3.0 * x])
            for v in items:
                if v > 0.5:
                    break
            return sum(items)
        """, s2s.UnsupportedSyntaxError, """
        this is an iterator that a loop may have left before its end
          File "FILE", line 6, in f
            return sum(items)
                   ^^^^^^^^^^
        the derivative needs one kind of value here
        give it the same type on every path
        """),
    Refusal("one of two lists, changed by its own name", """
        def f(x):
            a, b = [x], [2.0 * x]
            c = a if x > 1.0 else b
            a[0] = 3.0
            return c[0]
        """, s2s.UnsupportedSyntaxError, """
        this container is one of two, depending on a condition, and one of those has been changed
          File "FILE", line 5, in f
            return c[0]
                   ^
        which one it is, is not known
        change them before the condition, or copy them
        """),
    Refusal("list that is another one each time, the first changed", """
        def f(x, n):
            a, b = [x], [2.0 * x]
            for _ in range(n):
                a, b = b, a
                a[0] = a[0] * x
            return a[0]
        """, s2s.UnsupportedSyntaxError, """
        'b' is another container each time, and the first one is changed
          File "FILE", line 3, in f
            for _ in range(n):
            ^^^^^^^^^^^^^^^^^^
        which of them that is, is not known
        make a copy of it before the loop
        """, "s2s.grad(f)(2.0, 3)"),
    Refusal("next of a generator whose values changed", """
        def f(x):
            y = x
            items = (y * k for k in (1.0, 2.0))
            a = next(items)
            y = 5.0
            return a * next(items)
        """, s2s.UnsupportedSyntaxError, """
        next() of a generator that reads what has changed since the next() before
          File "FILE", line 6, in f
            return a * next(items)
                       ^^^^^^^^^^^
        its values are all computed at the first next()
        loop over it
        """),
    Refusal("generator without end", """
        import itertools

        def f(x):
            return x * len(list(itertools.count()))
        """, s2s.UnsupportedSyntaxError, """
        all items of an iterator that never ends are taken
          File "FILE", line 4, in f
            return x * len(list(itertools.count()))
                           ^^^^^^^^^^^^^^^^^^^^^^^
        Python would not come back
        take the first ones with itertools.islice, or leave the loop with `break`
        """),
    Refusal("coroutine", """
        async def f(x):
            return x * x
        """, s2s.UnsupportedSyntaxError, """
        a coroutine has no gradient
          File "FILE", line 1, in f
            async def f(x):
            ^^^^^^^^^^^^^^^
        its value is there only when it is awaited
        make it an ordinary function
        """),
    Refusal("coroutine inside", """
        def f(x):
            async def g():
                return x
            return g()
        """, s2s.UnsupportedSyntaxError, """
        `async def` is not supported in a differentiated function
          File "FILE", line 2, in f
            async def g():
            ^^^^^^^^^^^^^^
        make it an ordinary function
        """),
    Refusal("class inside", """
        def f(x):
            class Half:
                factor = 0.5
            return Half.factor * x
        """, s2s.UnsupportedSyntaxError, """
        a class that is defined here is not supported in a differentiated function
          File "FILE", line 2, in f
            class Half:
            ^^^^^^^^^^^
        define the class outside of the function
        """),
    Refusal("try", """
        def f(x):
            try:
                return np.log(x)
            except FloatingPointError:
                return 0.0
        """, s2s.UnsupportedSyntaxError, """
        try/except around what may raise at a time that is not known before it runs
          File "FILE", line 2, in f
            try:
            ^^^^
        np.log cannot be tested beforehand: which statements ran would have to be recorded
        test for the condition with `if`, or catch the exception around the call
        """),
    Refusal("changed before it fails", """
        def f(x):
            total = [0.0]

            def add(v):
                total[0] += v
                if v > 0.5:
                    raise ValueError

            try:
                add(0.3 * x)
                add(x)
            except ValueError:
                pass
            return total[0]
        """, s2s.UnsupportedSyntaxError, """
        this is changed in a `try` that was left before or after that
          File "FILE", line 14, in f
            return total[0]
            ^^^^^^^^^^^^^^^
        the derivative needs one kind of value here
        give it the same type on every path
        """),
    Refusal("chosen by a function left alone", """
        import random

        def f(items):
            return random.choice(items)
        """, s2s.NoRuleError, """
        the result of choice is returned
          File "FILE", line 4, in f
            return random.choice(items)
                   ^^^^^^^^^^^^^^^^^^^^
        there is no derivative rule for choice, and s2s cannot look into it
        compute it before the function and pass it in as an argument, or give it a derivative with s2s.custom_gradient
        """, "s2s.grad(f)([2.0, 3.0])"),
    Refusal("context manager", """
        def f(x):
            with open(__file__):
                x = x * 2.0
            return x
        """, s2s.UnsupportedSyntaxError, """
        this context manager is not supported in a differentiated function
          File "FILE", line 2, in f
            with open(__file__):
                 ^^^^^^^^^^^^^^
        s2s does not know what it does on entry and exit
        use it around the call
        """),
    Refusal("starred list of unknown length", """
        def f(x):
            found = []
            for _ in range(int(x)):
                found.append(x)
            return max(*found)
        """, s2s.UnsupportedSyntaxError, """
        the number of starred values is not known before the function runs
          File "FILE", line 5, in f
            return max(*found)
                       ^^^^^^
        it decides which code is generated
        pass the list or array itself
        """),
    Refusal("unpacked range of unknown length", """
        def f(x):
            a, b = range(int(x))
            return a * b * x
        """, s2s.UnsupportedSyntaxError, """
        a range is unpacked, and its length is not known before the function runs
          File "FILE", line 2, in f
            a, b = range(int(x))
            ^^^^
        how many names it fills decides which code is generated
        read its elements by index: a, b = x[0], x[1]
        """),
    Refusal("keywords unknown", """
        def g(x, scale=1.0):
            return x * scale

        def f(x):
            return g(x, **json.loads("{}"))
        """, s2s.UnsupportedSyntaxError, """
        the keys of the result of loads() are not known before the function runs
          File "FILE", line 5, in f
            return g(x, **json.loads("{}"))
                          ^^^^^^^^^^^^^^^^
        they decide which code is generated
        pass the keywords one by one
        """),
    Refusal("object of unknown class", """
        class Unknown:
            __slots__ = ()

        def f(x):
            return Unknown() + x
        """, s2s.UnsupportedSyntaxError, """
        a Unknown is used as a number
          File "FILE", line 5, in f
            return Unknown() + x
                   ^^^^^^^^^^^^^
        only numbers and arrays have derivatives
        use a number or an array here
        """),
    Refusal("two types", """
        def f(x):
            if x > 1.0:
                y = x
            else:
                y = (x, x)
            return y
        """, s2s.UnsupportedSyntaxError, """
        this is a float on one path and a tuple on the other
          File "FILE", line 6, in f
            return y
            ^^^^^^^^
        the derivative needs one kind of value here
        give it the same type on every path
        """),
    Refusal("array on one path, number on the other", """
        def f(x):
            if x[0] > 1.0:
                y = x
            else:
                y = 1.0
            return np.sum(y * x)
        """, s2s.UnsupportedSyntaxError, """
        this is an array of float64 on one path and a float on the other
          File "FILE", line 6, in f
            return np.sum(y * x)
                          ^^^^^
        the derivative needs one kind of value here
        give it the same type on every path
        """, ARRAY),
    Refusal("type that changes in a loop", """
        def f(x):
            y = 0.0
            for _ in range(3 + int(x)):
                y = (y, x)
            return x
        """, s2s.UnsupportedSyntaxError, """
        a variable changes its type from one iteration to the next
          File "FILE", line 3, in f
            for _ in range(3 + int(x)):
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^
        the derivative needs one type for each variable of a loop
        give it one type before the loop
        """),
    Refusal("store into a long global list", """
        TABLE = [0.0] * 300

        def f(x):
            TABLE[0] = x
            return TABLE[0] * x
        """, s2s.UnsupportedSyntaxError, """
        a store into a list, which exists outside the function
          File "FILE", line 4, in f
            TABLE[0] = x
            ^^^^^^^^
        each of its items would be a value of the program
        use an array, or work on a copy and return what is to be differentiated
        """),
    Refusal("out=", """
        def f(x):
            y = np.zeros(3, dtype=int)
            np.multiply(x, x, out=y)
            return np.sum(y)
        """, s2s.UnsupportedSyntaxError, """
        a result of float64 is stored in place into an array of int64
          File "FILE", line 3, in f
            np.multiply(x, x, out=y)
            ^^^^^^^^^^^^^^^^^^^^^^^^
        NumPy would raise UFuncTypeError
        make the array of the wider dtype
        """, ARRAY),
    Refusal("where=", """
        def f(x):
            return np.sum(np.sin(x, where=x > 0.0))
        """, s2s.NoRuleError, """
        the argument 'where' of np.sin is not supported
          File "FILE", line 2, in f
            return np.sum(np.sin(x, where=x > 0.0))
                          ^^^^^^^^^^^^^^^^^^^^^^^^
        its derivative is not known for that
        choose with np.where(condition, f(x), y)
        """, ARRAY),
    Refusal("array changed by an unknown call", """
        def f(x):
            y = 2.0 * x
            np.random.shuffle(y)
            return y[0]
        """, s2s.NoRuleError, """
        numpy.random.shuffle() gets a value that is differentiated
          File "FILE", line 3, in f
            np.random.shuffle(y)
            ^^^^^^^^^^^^^^^^^^^^
        s2s has no derivative rule for it and cannot look into it; it may change an array that it gets
        give it a derivative with s2s.custom_gradient, pass it a copy (np.copy), or write it with functions that have a rule
        """, ARRAY),
    Refusal("no rule, returned", """
        import math

        def f(x):
            return math.frexp(x)
        """, s2s.NoRuleError, """
        the result of math.frexp is returned
          File "FILE", line 4, in f
            return math.frexp(x)
                   ^^^^^^^^^^^^^
        there is no derivative rule for math.frexp, and s2s cannot look into it
        compute it before the function and pass it in as an argument, or give it a derivative with s2s.custom_gradient
        """),
    Refusal("no rule, used", """
        import math

        def f(x):
            return np.exp(math.frexp(x))
        """, s2s.NoRuleError, """
        the result of math.frexp is used as a number
          File "FILE", line 4, in f
            return np.exp(math.frexp(x))
                   ^^^^^^^^^^^^^^^^^^^^^
        there is no derivative rule for math.frexp, and s2s cannot look into it
        compute it before the function and pass it in as an argument, or give it a derivative with s2s.custom_gradient
        """),
    Refusal("unknown method", """
        def f(x):
            return x.byteswap()
        """, s2s.NoRuleError, """
        byteswap() of an array of float64 has no derivative rule
          File "FILE", line 2, in f
            return x.byteswap()
                   ^^^^^^^^^^^^
        s2s knows the derivatives of the methods that docs/functions.md lists
        write it with those, or give it a derivative with s2s.custom_gradient
        """, ARRAY),
    Refusal("misspelt function", """
        def f(x):
            return np.sinn(x)
        """, s2s.UnsupportedSyntaxError, """
        the module numpy has no attribute 'sinn' that s2s knows
          File "FILE", line 2, in f
            return np.sinn(x)
                   ^^^^^^^
        correct its spelling, or read it before the function and pass it in as an argument
        """),
    Refusal("unknown form", """
        def f(x):
            return np.sum(x, axis=2)
        """, s2s.NoRuleError, """
        This form of np.sum is not covered.
          File "FILE", line 2, in f
            return np.sum(x, axis=2)
                   ^^^^^^^^^^^^^^^^^
        axis 2 is not one of an array with 1 axis.
        Pass an axis from -1 to 0.
        """, ARRAY),
    Refusal("axis from a computation", """
        def f(x):
            return np.sum(x, axis=int(x[0]))
        """, s2s.UnsupportedSyntaxError, """
        the argument 'axis' is not known before the function runs
          File "FILE", line 2, in f
            return np.sum(x, axis=int(x[0]))
                   ^^^^^^^^^^^^^^^^^^^^^^^^^
        it decides which code is generated
        pass it as an argument, or write it as a constant
        """, ARRAY),
    Refusal("product of numbers", """
        def f(x):
            return x @ x
        """, s2s.NoRuleError, """
        This form of np.matmul is not covered.
          File "FILE", line 2, in f
            return x @ x
                   ^^^^^
        A number has no matrix product.
        Write x * y.
        """),
    Refusal("name not bound", """
        def f(x):
            return x * sclae
        """, s2s.UnsupportedSyntaxError, """
        the name 'sclae' is not bound here
          File "FILE", line 2, in f
            return x * sclae
                       ^^^^^
        Python would raise NameError
        assign it before this line, or correct its spelling
        """),
    Refusal("dict key unknown", """
        def f(x):
            table = {"a": x, "b": x * x}
            return table["c"]
        """, s2s.UnsupportedSyntaxError, """
        the dict has no key 'c'
          File "FILE", line 3, in f
            return table["c"]
                   ^^^^^^^^^^
        Python would raise KeyError; its keys are: 'a', 'b'
        use one of these keys, or store this one first
        """),
    Refusal("dict key computed", """
        def f(x):
            table = {}
            table[x] = x
            return table[x]
        """, s2s.UnsupportedSyntaxError, """
        the key of a dict is not known before the function runs
          File "FILE", line 3, in f
            table[x] = x
            ^^^^^^^^
        it decides which code is generated
        pass it as an argument, or write it as a constant
        """),
    Refusal("list index", """
        def f(x):
            return [x, x][5]
        """, s2s.UnsupportedSyntaxError, """
        list index out of range
          File "FILE", line 2, in f
            return [x, x][5]
                   ^^^^^^^^^
        Python would raise IndexError
        there are 2 elements; use an int below that as the index
        """),
    Refusal("tuple of kinds", """
        def f(x):
            return (x, np.ones(3))[int(x) - 1]
        """, s2s.UnsupportedSyntaxError, """
        the index is not known before the function runs
          File "FILE", line 2, in f
            return (x, np.ones(3))[int(x) - 1]
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^
        the elements of this container are of different kinds, so it decides which code is generated
        choose with `if`, or give the elements one type
        """),
    Refusal("too many indices", """
        def f(x):
            return x[0, 0]
        """, s2s.UnsupportedSyntaxError, """
        too many indices: 2 for an array of 1 dimensions
          File "FILE", line 2, in f
            return x[0, 0]
                   ^^^^^^^
        NumPy would raise IndexError
        use 1 or fewer
        """, ARRAY),
    Refusal("float index", """
        def f(x):
            return x[x[0]]
        """, s2s.UnsupportedSyntaxError, """
        an array is indexed with a float64
          File "FILE", line 2, in f
            return x[x[0]]
                   ^^^^^^^
        an index is an int, a slice, or an array of int or bool
        convert it with int(...)
        """, ARRAY),
    Refusal("attribute missing", """
        class Model:
            pass

        model = Model()

        def f(x):
            return model.weight * x
        """, s2s.UnsupportedSyntaxError, """
        Model object has no attribute 'weight'
          File "FILE", line 7, in f
            return model.weight * x
                   ^^^^^^^^^^^^
        Python would raise AttributeError
        set it before the call, or correct its spelling
        """),
    Refusal("number called", """
        def f(x):
            return x(3.0)
        """, s2s.UnsupportedSyntaxError, """
        a float is called, and is not a function
          File "FILE", line 2, in f
            return x(3.0)
                   ^^^^^^
        call a function, or leave out the parentheses
        """),
    Refusal("text read back", """
        def f(x):
            return float(str(x))
        """, s2s.UnsupportedSyntaxError, """
        a number is read back from text
          File "FILE", line 2, in f
            return float(str(x))
                   ^^^^^^^^^^^^^
        the derivative does not go through text
        use the number itself
        """),
    Refusal("text and number", """
        def f(x):
            return "a" + x
        """, s2s.UnsupportedSyntaxError, """
        'a' is used as a number
          File "FILE", line 2, in f
            return "a" + x
                   ^^^^^^^
        only numbers and arrays have derivatives
        use a number or an array here
        """),
    Refusal("eval", """
        def f(x):
            return eval("x * x")
        """, s2s.UnsupportedSyntaxError, """
        eval() is not supported in a differentiated function
          File "FILE", line 2, in f
            return eval("x * x")
                   ^^^^^^^^^^^^^
        the code that it runs is text, not part of the function's source
        write the code out
        """),
    Refusal("locals", """
        def f(x):
            return locals()["x"]
        """, s2s.UnsupportedSyntaxError, """
        locals() is not supported in a differentiated function
          File "FILE", line 2, in f
            return locals()["x"]
                   ^^^^^^^^
        the generated function has names of its own
        use the names themselves
        """),
    Refusal("truth of an array", """
        def f(x):
            return x if x > 0 else -x
        """, s2s.UnsupportedSyntaxError, """
        the truth of an array with more than one element is ambiguous
          File "FILE", line 2, in f
            return x if x > 0 else -x
                        ^^^^^
        NumPy raises here too
        use .any() or .all(), or np.where
        """, ARRAY),
    Refusal("iteration over a number", """
        def f(x):
            for a in x:
                x = x + a
            return x
        """, s2s.UnsupportedSyntaxError, """
        s2s cannot iterate over a float
          File "FILE", line 2, in f
            for a in x:
                     ^
        the items are not known before the function runs
        loop over a range, an array, a list or a tuple
        """),
    Refusal("set of computed values", """
        def f(x):
            return sum({x, x * x})
        """, s2s.UnsupportedSyntaxError, """
        an element of a set is not known before the function runs
          File "FILE", line 2, in f
            return sum({x, x * x})
                        ^
        it decides which code is generated
        pass it as an argument, or write it as a constant
        """),
    Refusal("returns a function", """
        def f(x):
            return lambda y: y * x
        """, s2s.UnsupportedSyntaxError, """
        the function returns a function
          File "FILE", line 2, in f
            return lambda y: y * x
            ^^^^^^^^^^^^^^^^^^^^^^
        it has no derivative
        return numbers, arrays, or containers of them
        """),
    Refusal("wrong call", """
        def g(x, y):
            return x * y

        def f(x):
            return g(x)
        """, s2s.UnsupportedSyntaxError, """
        g() misses the argument 'y'
          File "FILE", line 5, in f
            return g(x)
                   ^^^^
        Python would raise TypeError
        correct the call
        """),
    Refusal("recursion that writes", """
        SEEN = np.zeros(1)

        def f(x):
            SEEN[0] = 1.0
            if x < 1.0:
                return x
            return f(x * 0.5) * x
        """, s2s.UnsupportedSyntaxError, """
        a recursive function that writes into memory from outside it
          File "FILE", line 3, in f
            def f(x):
            ^^^^^^^^^
        the gradient evaluates it again, and that would happen twice
        let it return what it computes
        """),
    Refusal("recursion without end", """
        def f(x):
            return f(x * 0.5)
        """, s2s.UnsupportedSyntaxError, """
        this function calls itself on every path
          File "FILE", line 1, in f
            def f(x):
            ^^^^^^^^^
        Python would raise RecursionError: no path returns without another call
        add a case that returns without calling it
        """),
    Refusal("inner gradient, wrong number", """
        def f(x):
            return s2s.grad(lambda a: a * a, argnums=2)(x) * x
        """, s2s.UnsupportedSyntaxError, """
        the inner function is not given the argument 2 to differentiate
          File "FILE", line 2, in f
            return s2s.grad(lambda a: a * a, argnums=2)(x) * x
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        it is called with 1 positional argument
        correct argnums or params
        """),
    Refusal("inner gradient, no Variable", """
        def f(x):
            return s2s.implicit_gradients(lambda a: a * a)(x)[0][0] * x
        """, s2s.UnsupportedSyntaxError, """
        no trainable Variable is read by the inner function
          File "FILE", line 2, in f
            return s2s.implicit_gradients(lambda a: a * a)(x)[0][0] * x
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        so there is nothing to differentiate
        read a Variable in it, or use s2s.gradients_function
        """),
    Refusal("inner Jacobian, wrong number", """
        def f(x):
            return s2s.jacobian(lambda a: a * a, argnums=1)(x) * x
        """, s2s.UnsupportedSyntaxError, """
        the inner function is not given the argument 1 to differentiate
          File "FILE", line 2, in f
            return s2s.jacobian(lambda a: a * a, argnums=1)(x) * x
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        it is called with 1 positional argument
        correct argnums
        """),
    Refusal("inner Jacobian of an int", """
        def f(x):
            return s2s.jacobian(lambda a: a * a)(3) * x
        """, s2s.UnsupportedSyntaxError, """
        the Jacobian with respect to an int
          File "FILE", line 2, in f
            return s2s.jacobian(lambda a: a * a)(3) * x
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        it holds no float and no array of floats
        differentiate with respect to floats
        """),
    Refusal("inner gradient that stores outside", """
        def f(x):
            a = np.zeros(2)
            def g(t):
                a[0] = t
                return t * t
            return s2s.grad(g)(x) + a[0]
        """, s2s.UnsupportedSyntaxError, """
        the inner function changes 'a', which belongs to the function around it
          File "FILE", line 4, in f
            a[0] = t
            ^^^^^^^^
        it is differentiated in its own place, and what it changes would be lost
        return what it computes, or change a copy
        """),
    Refusal("inner gradient that appends outside", """
        def f(x):
            seen = []
            def g(t):
                seen.append(t)
                return t * t
            return s2s.jvp(g, (x,), (1.0,))[1] + seen[0]
        """, s2s.UnsupportedSyntaxError, """
        the inner function changes the list 'seen', which belongs to the function around it
          File "FILE", line 6, in f
            return s2s.jvp(g, (x,), (1.0,))[1] + seen[0]
                   ^^^^^^^^^^^^^^^^^^^^^^^^
        it is differentiated in its own place, and what it changes would be lost
        return what it computes, or change a copy
        """),
    Refusal("inner gradient that assigns outside", """
        def f(x):
            last = 0.0
            def g(t):
                nonlocal last
                last = t
                return t * t
            return s2s.grad(g)(x) + last
        """, s2s.UnsupportedSyntaxError, """
        the inner function changes 'last', which belongs to the function around it
          File "FILE", line 7, in f
            return s2s.grad(g)(x) + last
                   ^^^^^^^^^^^^^^
        it is differentiated in its own place, and what it changes would be lost
        return what it computes, or change a copy
        """),
    Refusal("global that an inner gradient assigns, read afterwards", """
        factor = 0.5

        def g(t):
            global factor
            factor = t * factor
            return t * t

        def f(x):
            return s2s.grad(g)(x) * factor
        """, s2s.UnsupportedSyntaxError, """
        this is what an inner function, which is differentiated, has assigned to 'factor'
          File "FILE", line 9, in f
            return s2s.grad(g)(x) * factor
                   ^^^^^^^^^^^^^^^^^^^^^^^
        the derivative needs one kind of value here
        give it the same type on every path
        """),
    Refusal("custom gradient without gradient", """
        @s2s.custom_gradient
        def g(x):
            return x * x

        def f(x):
            return g(x) * 2.0
        """, s2s.UnsupportedSyntaxError, """
        a function under s2s.custom_gradient returns a float
          File "FILE", line 6, in f
            return g(x) * 2.0
                   ^^^^
        it has to return the value and a function that gives its derivative
        end it with `return value, grad`, where grad(dy) gives one gradient for each argument
        """),
    Refusal("custom gradient with too many", """
        @s2s.custom_gradient
        def g(x):
            def grad(dy):
                return dy, dy
            return x * x, grad

        def f(x):
            return g(x) * 2.0
        """, s2s.UnsupportedSyntaxError, """
        grad of a function under s2s.custom_gradient returns 2 gradients, and has 1 to return
          File "FILE", line 8, in f
            return g(x) * 2.0
                   ^^^^
        each float argument, and each array of floats, has a gradient of its own
        return one for each, in their order
        """),
    Refusal("print of a computed text on cpu", """
        def f(x):
            for k in range(3):
                x = x * x
                print(f"{k}: {x:.2f}")
            return x
        """, s2s.CompilationError, """
        print with a computed text cannot be compiled for target='cpu'
          File "FILE", line 4, in f
            print(f"{k}: {x:.2f}")
            ^^^^^^^^^^^^^^^^^^^^^^
        numba cannot run it exactly as Python does
        take it out of the function, or use target='python'
        """, CPU),
    Refusal("attribute assigned on cpu", """
        class Model:
            last = 0.0

        model = Model()

        def f(x):
            model.last = x * 2.0
            return x * x
        """, s2s.CompilationError, """
        the assignment to the attribute 'last' cannot be compiled for target='cpu'
          File "FILE", line 7, in f
            model.last = x * 2.0
            ^^^^^^^^^^^^^^^^^^^^
        numba cannot run it exactly as Python does
        take it out of the function, or use target='python'
        """, CPU),
    Refusal("built-in", """
        import zlib

        f = zlib.crc32
        """, s2s.SourceError, """
        'crc32' has no Python source: it is a builtin_function_or_method, not a Python function.
        s2s differentiates source code, and has no derivative rule for it.
        Wrap it in a Python function whose derivative s2s.custom_gradient gives.
        """),
    Refusal("made by exec", """
        namespace = {}
        exec("def made(x):\\n    return x * x", namespace)

        def f(x):
            return namespace["made"](x) * 2.0
        """, s2s.SourceError, """
        The source of 'made' cannot be found.
          File "<string>", line 1, in made
        There is no source text at that place: the function was made by exec or eval, typed where the text is not kept, or its file is gone.
        Define it in a file or a notebook cell; or, if it is made by a program, put its text into linecache.cache under a file name of its own.
        """),
    Refusal("file edited", """
        def f(x):
            return x * x
        """, s2s.SourceError, """
        The source found for 'f' is not that of the function that runs.
          File "FILE", line 1, in f
            def f(x):
        Compiling this source does not give the code that runs: the file was edited after it was imported, the code was rewritten by a tool, or it was made by exec under the name of this file.
        Import the module again, or define the function where its text stays as it is.
        """, 'edited(f)'),
]


def plain(text: str) -> str:
    return textwrap.dedent(text).strip("\n")


def load(path: Path, source: str) -> dict[str, Any]:
    """The names of a program that is written to `path`, `edited` among them: a call after its file has changed."""
    text = f"{HEAD}{source}\n"
    path.write_text(text)
    module = ModuleType("program")
    exec(compile(text, str(path), "exec"), module.__dict__)

    def edited(f: Any) -> Any:
        path.write_text(text.replace("x * x", "x + x"))
        linecache.checkcache()
        return s2s.grad(f)(2.0)
    return {**module.__dict__, "edited": edited}


def shown(error: BaseException, path: Path) -> str:
    """The message with FILE for its file, and its lines counted from the first of the program."""
    before = HEAD.count("\n")
    return re.sub(r'(File "FILE", line )(\d+)', lambda m: f"{m[1]}{int(m[2]) - before}",
                  str(error).replace(str(path), "FILE"))


@pytest.mark.parametrize("case", REFUSALS, ids=str)
def test_text(case: Refusal, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    names = load(path, plain(case.source))
    with pytest.raises(s2s.S2SError) as caught:
        eval(case.call, names)
    assert type(caught.value) is case.error
    assert shown(caught.value, path).rstrip() == plain(case.text).rstrip()


def test_texts_have_no_words_of_the_compiler() -> None:
    for case in REFUSALS:
        assert not re.search(r"\bbox\b|\bIR\b|lowered|weak |closure|0x|<function|<class|adjoint", case.text), case.name


def test_numba_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(s2s.CompilationError) as caught:
        s2s.grad(lambda x: x * x, target="cpu")(2.0)
    assert str(caught.value) == plain("""
        target="cpu" needs numba, which cannot be imported here.
        Install it with: pip install "s2s-ad[numba]"
        target="python" runs the same code without numba.
        """)


def test_a_fault_of_s2s_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from s2s.lower import statements
    handlers = statements._STATEMENTS
    kind = next(k for k in handlers if k.__name__ == "Pass")
    # The innermost frame says whose fault it is: this one is in a file of s2s.
    code = compile("def broken(ctx, node):\n    raise KeyError('lost')\n", statements.__file__, "exec")
    names: dict[str, Any] = {}
    exec(code, names)
    monkeypatch.setitem(handlers, kind, names["broken"])

    def f(x: float) -> float:
        pass
        return x * x
    with pytest.raises(s2s.S2SError) as caught:
        s2s.grad(f)(2.0)
    assert str(caught.value) == plain("""
        f cannot be differentiated: KeyError: 'lost'
        This is a fault of s2s, not of your function.
        Please report it with the function; other statements for the same thing may work.
        """)
    assert isinstance(caught.value.__cause__, KeyError)


def test_shape_error_of_arrays() -> None:
    with pytest.raises(s2s.ShapeError) as caught:
        s2s.gradients_function(lambda x: x * x)(np.ones(3), dy=np.ones((2, 3)))
    assert str(caught.value) == plain("""
        dy has shape (2, 3); the value has 1 dimensions
        Pass one weight for each element of the value.
        """)
