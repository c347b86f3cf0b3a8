"""Small programs, each run in every way there is: eagerly, interpreted and compiled.

A program is a function of the module under test, which makes everything anew and gives back a
Python function and the calls to make of it. The same text runs under TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

# A reason to be left to the host, but with `jit_compile=True`: that compiles once per value.
SIZES_BY_ARGUMENT = "sizes that an argument decides"

Made = tuple[Callable[..., Any], list[tuple[Any, ...]]]


@dataclass(frozen=True)
class Program:
    """What to run. `host`: why XLA cannot run all of it. `gradient`: whether to differentiate."""

    name: str
    make: Callable[[Any], Made]
    host: str
    gradient: bool


PROGRAMS: dict[str, Program] = {}


def program(host: str = "", gradient: bool = True) -> Callable[[Any], Any]:
    """Register a program under the name of its function."""

    def register(make: Callable[[Any], Made]) -> Callable[[Any], Made]:
        name = make.__name__
        if name in PROGRAMS:
            raise ValueError(f"There are two programs {name}.")
        PROGRAMS[name] = Program(name, make, host, gradient)
        return make

    return register


@dataclass(frozen=True)
class Outcome:
    """Of one call: the results and gradients as arrays, or the class of the error."""

    error: str
    values: tuple[Any, ...] = ()
    gradients: tuple[Any, ...] = ()


def run(tf: Any, chosen: Program, wrap: Callable[[Any], Any], times: int = 1) -> list[Outcome]:
    """What each of the program's calls, made so many times, gives: its function in `wrap`."""
    function, calls = chosen.make(tf)
    wrapped = wrap(function)
    return [
        _call(tf, wrapped, arguments, chosen.gradient) for arguments in calls for _ in range(times)
    ]


def _call(tf: Any, function: Any, arguments: tuple[Any, ...], differentiate: bool) -> Outcome:
    tensors = [tf.constant(a) if isinstance(a, (float, np.ndarray, list)) else a for a in arguments]
    floats = [t for t in tensors if getattr(getattr(t, "dtype", None), "is_floating", False)]
    try:
        if not differentiate or not floats:
            return Outcome("", _arrays(tf, function(*tensors)))
        with tf.GradientTape() as tape:
            tape.watch(floats)
            result = function(*tensors)
            scalars = [
                tf.reduce_sum(tf.cast(t, tf.float64))
                for t in tf.nest.flatten(result)
                if hasattr(t, "dtype") and t.dtype.is_floating
            ]
            target = tf.add_n(scalars) if scalars else tf.constant(0.0)
        gradients = tape.gradient(target, floats)
        return Outcome("", _arrays(tf, result), _arrays(tf, gradients))
    except Exception as error:
        return Outcome(error_class(error))


# They are one thing to users: bad values, met while tracing or while running.
_SAME = {
    "InvalidArgumentError": "Invalid",
    "ValueError": "Invalid",
    # It is one, and more (see tapeflow._src.core.errors).
    "ListIndexError": "OutOfRangeError",
}


def error_class(error: Exception) -> str:
    name = type(error).__name__
    return _SAME.get(name, name)


def _arrays(tf: Any, structure: Any) -> tuple[Any, ...]:
    flat = tf.nest.flatten(structure, expand_composites=True)
    return tuple(None if t is None else np.asarray(tf.convert_to_tensor(t)) for t in flat)


def differences(ours: list[Outcome], theirs: list[Outcome], tolerance: float) -> list[str]:
    """In what two runs of a program differ; nothing if they agree."""
    found = []
    for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if a.error != b.error:
            found.append(f"call {i}: error {a.error or 'none'} against {b.error or 'none'}")
            continue
        for what, left, right in (
            ("result", a.values, b.values),
            ("gradient", a.gradients, b.gradients),
        ):
            found += [
                f"call {i}: {what} {j}: {x!r} against {y!r}"
                for j, (x, y) in enumerate(zip(left, right, strict=True))
                if not _agree(x, y, tolerance)
            ]
    return found


def _agree(a: Any, b: Any, tolerance: float) -> bool:
    if a is None or b is None:
        # A branch that was not taken gives zeros in a graph, and nothing eagerly: so in TensorFlow.
        return all(x is None or not np.any(x) for x in (a, b))
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind not in "fc":
        return bool(np.array_equal(a, b))
    return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True))
