"""Derivatives of SciPy. Each file is imported when a program first meets its part of SciPy, and not before.

FAMILY: rules, where a file has them. WRITTEN: functions in the language that s2s differentiates, which stand for
those of SciPy. REFUSED: functions that have none, with the reason.
"""
