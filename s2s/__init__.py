"""s2s: gradients of Python functions, from their source.

    import s2s

    w = s2s.Variable(2.0)

    @s2s.implicit_value_and_gradients
    def loss(x, y):
        return (w * x - y) ** 2

    value, [(gradient, variable)] = loss(3.0, 1.0)
"""

from s2s.api.custom import custom_gradient, stop_gradient
from s2s.api.functions import (
    grad,
    gradients_function,
    implicit_gradients,
    implicit_value_and_gradients,
    value_and_grad,
    value_and_gradients_function,
)
from s2s.api.short import checkpoint, hessian, hvp, jacobian, jvp, linearize, vjp
from s2s.api.whole import function
from s2s.errors import (
    CompilationError,
    NoRuleError,
    ReplayError,
    S2SError,
    ShapeError,
    SourceError,
    UnsupportedSyntaxError,
)
from s2s.rules.user import rule
from s2s.tape.cells import load_ipython_extension
from s2s.tape.tape import GradientTape
from s2s.testing.grads import check_grads
from s2s.variable import Tensor, Variable, constant

__version__ = "0.1.0"

__all__ = [
    "CompilationError",
    "GradientTape",
    "NoRuleError",
    "ReplayError",
    "S2SError",
    "ShapeError",
    "SourceError",
    "Tensor",
    "UnsupportedSyntaxError",
    "Variable",
    "check_grads",
    "checkpoint",
    "constant",
    "custom_gradient",
    "function",
    "grad",
    "gradients_function",
    "hessian",
    "hvp",
    "implicit_gradients",
    "implicit_value_and_gradients",
    "jacobian",
    "jvp",
    "linearize",
    "load_ipython_extension",
    "rule",
    "stop_gradient",
    "value_and_grad",
    "value_and_gradients_function",
    "vjp",
]
