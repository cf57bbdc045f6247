"""Simplification: IR to equivalent, smaller IR. One pass a file; `driver.simplify` runs them all."""

from s2s.simplify.driver import simplify

__all__ = ["simplify"]
