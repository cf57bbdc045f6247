"""The kernels, one file a family. `KERNELS` has them by name.

Those named as in PolyBench compute what it defines, with well-conditioned inputs. Each takes arrays, leaves them as
they are and returns one number, in plain Python and NumPy that numba compiles too.
"""

from __future__ import annotations

from benchmarks.kernel import Kernel
from benchmarks.kernels import blas, models, products, solvers, statistics, stencils, sweeps

FAMILIES = (models, blas, products, solvers, statistics, stencils, sweeps)

KERNELS: dict[str, Kernel] = {kernel.name: kernel for family in FAMILIES for kernel in family.KERNELS}
