"""`tf.experimental.numpy` gives what TensorFlow gave: eagerly, traced without sizes, compiled.

The results were recorded with NumPy's behaviour enabled, which TensorFlow's functions need.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.experimental_numpy.cases import ARRAYS, GROUPS, describe, names, run

RECORDED = json.loads(
    (Path(__file__).parents[1] / "golden" / "experimental_numpy.json").read_text(encoding="utf-8")
)

# What is not as recorded, with the reason.
_REASONS = {
    "TensorFlow looks for a dtype on what has none, or has one answer for all integers": [
        f"tnp.{name}({value})"
        for name in ("isinf", "isneginf", "isposinf")
        for value in ("I", "L", "U", "C", "B", "P", "3", "-2.5", "True", "[1, 2]", "[0.5]")
    ],
    "a Python number is no array to TensorFlow": [
        *(f"tnp.rad2deg({value})" for value in ("3", "-2.5", "True", "[1, 2]", "[0.5]")),
        "tnp.linspace(D, [1, 2, 3], 2, axis=-1)",
    ],
    "the place of NaN among sorted numbers is nobody's promise": ["tnp.sort(N)", "tnp.argsort(N)"],
    "TensorFlow loses the dtype": [
        "tnp.linspace(0, 10, 4, dtype=np.int32)",
        "tnp.logspace(0, 2, 3, dtype=np.float32)",
        "tnp.var(F, ddof=1)",
    ],
    "a list, as with several arrays": ["tnp.broadcast_arrays(P)"],
    "a size may be one number": ["tnp.random.random(3).dtype"],
    "a range to True is one to 1": ["tnp.arange(True)"],
    "the kernel is missing: another class says so": [
        *("tnp.around(C)", "tnp.round(C)", "tnp.argsort(C)", "tnp.argsort(True)"),
        *("tnp.divmod(C, D)", "tnp.divmod(L, 2j)"),
        *("tnp.floor_divide(C, D)", "tnp.floor_divide(L, 2j)"),
        *(f"tnp.reciprocal({value})" for value in ("I", "L", "P", "3", "[1, 2]")),
    ],
}
DEPARTURES = {case: reason for reason, cases in _REASONS.items() for case in cases}


def by_function() -> dict[str, list[str]]:
    found = defaultdict(list)
    for group, cases in GROUPS.items():
        for case in cases:
            name = case.partition("(")[0].removeprefix("tnp.") if "tnp." in case[:4] else group
            found[name].append(case)
    return found


FUNCTIONS = by_function()
every_function = pytest.mark.parametrize("name", FUNCTIONS)


def close(actual: Any, recorded: Any, tolerance: float = 2e-5) -> bool:
    """Whether two descriptions agree, numbers up to a tolerance."""
    if isinstance(recorded, list) and isinstance(actual, list):
        if len(actual) != len(recorded):
            return False
        if recorded[:1] == ["float16"]:
            tolerance = 2e-3
        return all(close(a, r, tolerance) for a, r in zip(actual, recorded, strict=True))
    if actual == recorded or not (isinstance(actual, str) and isinstance(recorded, str)):
        return bool(actual == recorded)
    try:
        pairs = list(zip(map(float, actual.split()), map(float, recorded.split()), strict=True))
    except ValueError:
        return False
    return all(
        (math.isnan(a) and math.isnan(r)) or a == r or abs(a - r) <= tolerance * max(abs(r), 1e-2)
        for a, r in pairs
    )


@every_function
def test_eager(name: str, enable: Callable[..., None]) -> None:
    enable()
    given = names(tf)
    wrong = []
    for case in FUNCTIONS[name]:
        found = run(case, given)
        if not close(found, RECORDED[case]) and case not in DEPARTURES:
            wrong.append(f"{case} gives {found}, recorded is {RECORDED[case]}")
    assert not wrong, "\n" + "\n".join(wrong)


def test_departures_depart(enable: Callable[..., None]) -> None:
    enable()
    given = names(tf)
    stale = [c for c in DEPARTURES if close(run(c, given), RECORDED[c])]
    assert stale == []


def traced_results(cases: list[str], blank: bool, **options: Any) -> list[Any]:
    """The descriptions of what cases give in one function, to which the arrays are arguments."""
    signature = [
        tf.TensorSpec([None] * array.ndim if blank else array.shape, array.dtype)
        for array in ARRAYS.values()
    ]
    structures: list[Any] = []

    @tf.function(input_signature=signature, autograph=False, **options)
    def function(*tensors: Any) -> list[Any]:
        structures.clear()
        given = {**names(tf), **dict(zip(ARRAYS, tensors, strict=True))}
        structures.extend(eval(case, given) for case in cases)
        return [leaf for leaf in tf.nest.flatten(structures) if tf.is_tensor(leaf)]

    results = iter(function(*(tf.constant(array) for array in ARRAYS.values())))
    filled = [next(results) if tf.is_tensor(s) else s for s in tf.nest.flatten(structures)]
    return [describe(value) for value in tf.nest.pack_sequence_as(structures, filled)]


# What a trace cannot know of arrays whose sizes it does not know.
NEEDS_SIZES = {"cross", "empty_like", "polyval", "random.uniform", "shape", "size"}
NO_VALUES = {"random", "random.seed", "random.randint", "promotion"}


def succeeding(name: str) -> list[str]:
    return [
        case
        for case in FUNCTIONS[name]
        if not isinstance(RECORDED[case], dict) and case not in DEPARTURES
    ]


@every_function
@pytest.mark.parametrize("blank", [False, True], ids=["known", "unknown"])
def test_traced(name: str, blank: bool, enable: Callable[..., None]) -> None:
    if name in NO_VALUES or (blank and name in NEEDS_SIZES):
        pytest.skip("its result is made when it is traced")
    enable()
    cases = succeeding(name)
    found = traced_results(cases, blank)
    wrong = [
        f"{case} gives {result}, recorded is {RECORDED[case]}"
        for case, result in zip(cases, found, strict=True)
        if not close(result, RECORDED[case])
    ]
    assert not wrong, "\n" + "\n".join(wrong)


_COMPILED = (
    "sin log10 around cbrt sinc angle signbit add true_divide floor_divide power gcd lcm hypot "
    "logaddexp heaviside clip maximum bitwise_and equal isclose array_equal sum mean var std "
    "average nanmean cumsum argmax sort argsort diff arange linspace geomspace eye tri vander full "
    "meshgrid reshape moveaxis rot90 roll tile pad tril concatenate stack hstack split matmul dot "
    "inner einsum kron cross polyval diagonal trace take take_along_axis where select ix_"
)


@pytest.mark.parametrize("name", _COMPILED.split())
def test_compiled(name: str, enable: Callable[..., None]) -> None:
    enable()
    cases = [case for case in succeeding(name) if case not in NOT_COMPILED][:6]
    found = traced_results(cases, blank=False, jit_compile=True)
    for case, result in zip(cases, found, strict=True):
        assert close(result, RECORDED[case], 1e-4), case


# How many there are depends on values.
NOT_COMPILED = {"tnp.where(B)", "tnp.ix_([True, False, True], P)"}


def test_every_function_is_recorded() -> None:
    public = {
        name
        for name in tf.experimental.numpy.__all__
        if callable(getattr(tf.experimental.numpy, name))
        and not isinstance(getattr(tf.experimental.numpy, name), type)
    }
    # Told by other tests.
    elsewhere = {"experimental_enable_numpy_behavior", "finfo", "issubdtype"}
    assert public - set(FUNCTIONS) - elsewhere == set()


def test_without_the_behaviour_functions_promote_all_the_same() -> None:
    given = names(tf)
    # These are quotients by a float64, which operators promote to only if they promote.
    mode_dependent = ("log2", "log10", "logaddexp2")
    wrong = [
        case
        for name, cases in FUNCTIONS.items()
        if name not in mode_dependent
        for case in cases
        if case not in DEPARTURES
        and "B.T" not in case
        and not close(run(case, given), RECORDED[case])
    ]
    assert wrong == []
    assert tf.experimental.numpy.log10(np.float32(10)).dtype == tf.float32
