"""Generators of random numbers: the state they had when a block was entered, and copies that draw from it."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np

LEGACY: Any = np.random.mtrand._rand  # what np.random.normal and its kind draw from
PYTHON: Any = random._inst  # what random.random and its kind draw from
GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)


def owner(v: Any) -> Any:
    """The generator that a value is, or is a method of; None for other values."""
    if isinstance(v, GENERATORS):
        return v
    held = getattr(v, "__self__", None)
    return held if isinstance(held, GENERATORS) else None


def state_of(generator: Any) -> Any:
    """What a generator draws next from."""
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator.state
    return generator.getstate() if isinstance(generator, random.Random) else generator.get_state(legacy=False)


def replica(generator: Any, state: Any) -> Any:
    """A generator of the same kind that draws what `generator` drew in `state`."""
    if isinstance(generator, np.random.Generator):
        bits = type(generator.bit_generator)()
        bits.state = state
        return np.random.Generator(bits)
    if isinstance(generator, np.random.RandomState):
        made = np.random.RandomState()
        made.set_state(state)
        return made
    again = copy.copy(generator) if type(generator) is not random.Random else random.Random()
    again.setstate(state)
    return again


def in_place_of(v: Any, states: dict[int, tuple[Any, Any]], made: dict[int, Any]) -> Any:
    """A replica of the generator `v`, or its method of the same name; `made` keeps one for each generator."""
    generator = owner(v)
    if id(generator) not in made:
        made[id(generator)] = replica(generator, states[id(generator)][1])
    again = made[id(generator)]
    return again if v is generator else getattr(again, v.__name__)
