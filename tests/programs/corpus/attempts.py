"""`try`, `except`, `else` and `finally` around differentiated code."""

import math

import numpy as np

from . import program

X = np.array([0.8, 1.7, 0.4])


@program(args=(0.7,), order=2, smoke=True)
def guarded_division(x):
    try:
        y = 1.0 / x
    except ZeroDivisionError:
        y = 0.0
    return y * x * x


@program(args=(-0.7,), order=2)
def handler_taken(x):
    try:
        y = math.sqrt(x)
    except ValueError:
        y = x * x
    return y * 2.0


@program(args=(0.7,))
def several_risks(x):
    try:
        a = math.log(x)
        b = 1.0 / a
    except (ValueError, ZeroDivisionError):
        return 0.0
    return b * a * x


@program(args=(0.0, 0.7), wrt=(1,), cpu="numba cannot make an exception to print")
def several_handlers(a, b):
    try:
        y = math.log(b) / a
    except ZeroDivisionError as error:
        print(error)
        y = b * b
    except ValueError:
        y = b
    return y * b


@program(args=(0.7,))
def translated_exception(x):
    try:
        y = math.log(x)
    except ValueError as error:
        raise RuntimeError("no logarithm") from error
    return y * x


def root(v):
    if v < 0.0:
        raise ValueError("negative")
    return v**0.5


@program(args=(0.7,))
def raised_by_a_function(x):
    try:
        r = root(x)
    except ValueError:
        r = 0.0
    return r * x


@program(args=(-0.7,))
def raised_by_a_function_and_caught(x):
    try:
        r = root(x) * 3.0
    except ValueError:
        r = x * x
    return r * x


@program(args=({"a": 0.7},))
def missing_key(d):
    try:
        v = d["b"]
    except KeyError:
        v = d["a"] * 2.0
    return v * v


@program(args=([0.7, 0.4],))
def missing_element(items):
    try:
        v = items[5]
    except IndexError:
        v = items[-1]
    return v * v


@program(args=(X, 3), wrt=(0,))
def index_out_of_bounds(x, k):
    try:
        v = x[k] * 2.0
    except IndexError:
        v = x[-1]
    else:
        v = v * v
    return v * x[0]


@program(args=(0.7,))
def no_number_of_elements(x):
    try:
        n = len(x)
    except TypeError:
        n = 3
    try:
        m = x.shape
    except AttributeError:
        m = ()
    return x**n + len(m)


@program(args=(0.7,))
def name_kept_where_it_fails(x):
    y = x
    try:
        y = math.sqrt(x - 1.0)
    except ValueError:
        pass
    return y * x


@program(args=(X,))
def in_a_loop(x):
    t = 0.0
    for v in x:
        try:
            t += math.sqrt(v - 0.5) * v
        except ValueError:
            t += v * v
            continue
        finally:
            t *= 1.1
    return t


@program(args=(0.7,))
def finally_after_return(x):
    log = []
    try:
        return x * x
    finally:
        log.append(x)
        log.append(2.0)


@program(args=(0.7,))
def left_by_an_exception(x):
    s = 0.0
    for k in (0, 1, 2, 3, 4):
        try:
            if k == 3:
                raise StopIteration
            s += x * k
        except StopIteration:
            break
    return s * x


@program(args=(0.7,))
def what_ran_before_it_failed(x):
    items = []
    y = x
    try:
        items.append(x)
        y = x * x
        items.append(math.sqrt(-x))
        y = 100.0
    except ValueError:
        items.append(y * x)
    return sum(items) * y


@program(args=(X,))
def stores_before_it_failed(x):
    y = np.zeros(3)
    try:
        y[0] = x[0] ** 2
        y[1] = math.sqrt(x[1] - 5.0)
        y[2] = 100.0
    except ValueError:
        y[2] = x[2] ** 2
    return y.sum()


@program(args=(0.7,))
def fails_in_a_handler(x):
    try:
        try:
            a = 1.0 / (x - x)
        except ZeroDivisionError:
            a = math.sqrt(-x)
    except ValueError:
        a = x * x * x
    return a


@program(args=(2.0,))
@program(args=(-2.0,), name="matrix_that_is_indefinite")
def matrix_that_may_be_indefinite(x):
    try:
        L = np.linalg.cholesky(np.array([[x, 0.1], [0.1, 1.0]]))
    except np.linalg.LinAlgError:
        return x * 3.0
    return L[0, 0] + L[1, 1]


def factor(a):
    jitter = 1e-6
    for _ in range(6):
        try:
            return np.linalg.cholesky(a + jitter * np.eye(len(a)))
        except np.linalg.LinAlgError:
            jitter *= 10
    raise ValueError("not positive definite")


@program(args=(np.array([[1.0, 0.2], [0.2, 2.0]]), np.array([1.0, -0.5])))
@program(args=(np.array([[1.0, 0.05], [0.05, -0.03]]), np.array([1.0, -0.5])), name="jitter_is_needed")
def jitter_until_definite(a, y):
    l = factor(a)
    z = np.linalg.solve(l, y)
    return 0.001 * z @ z + np.sum(np.log(np.diag(l)))


@program(args=(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 2.0])))
def system_that_may_be_singular(a, b):
    try:
        y = np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        y = b
    return np.sum(y * y)


@program(args=(1.4, 0), wrt=(0,))
def what_an_inner_try_has_changed(x, n):
    s = x
    try:
        try:
            s = s * 2.0
            s = s + 1.0 / n
        except ValueError:
            s = 100.0
    except ZeroDivisionError:
        s = s + 3.0 * x
    return s
