"""How the laws run a sample: its body, an eager call of its op, and gradients by the tape."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
import tests.ops as samples_package
from tapeflow._src.backends import numpy as np_backend
from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import FROM_NUMPY, as_dtype
from tapeflow._src.core.registry import OPS, Op, Undeclared
from tapeflow._src.eager.tensor import EagerTensor
from tests.ops.harness import Sample


def _collect() -> list[Sample]:
    found: list[Sample] = []
    for module in pkgutil.iter_modules(samples_package.__path__):
        if module.name.startswith("samples_"):
            found += importlib.import_module(f"tests.ops.{module.name}").SAMPLES
    return found


SAMPLES = _collect()


def of_each_op(samples: list[Sample], always: int = 2) -> pytest.MarkDecorator:
    """Parametrize a test by `sample`: the first of each op always, the others only if slow is."""
    seen: Counter[str] = Counter()
    parameters = []
    for sample in samples:
        seen[sample.op] += 1
        marks = [pytest.mark.slow] if seen[sample.op] > always else []
        parameters.append(pytest.param(sample, id=str(sample), marks=marks))
    return pytest.mark.parametrize("sample", parameters)


def readonly(value: Any) -> Any:
    if isinstance(value, list):
        return [readonly(v) for v in value]
    copy = value.copy()
    copy.flags.writeable = False
    return copy


def as_tensors(value: Any) -> Any:
    return [EagerTensor(v) for v in value] if isinstance(value, list) else EagerTensor(value)


def attrs_of(op: Op, sample: Sample) -> dict[str, Any]:
    return {**op.defaults, **sample.attrs}


def counter(op: Op) -> dict[str, Any]:
    """Random ops are told where their numbers start."""
    return {"counter": np.zeros(6, np.uint32)} if op.effect == "random" else {}


def as_list(result: Any) -> list[Any]:
    if result is None:
        return []
    return list(result) if isinstance(result, (tuple, list)) else [result]


def flat(values: list[Any]) -> list[Any]:
    return [a for v in values for a in (v if isinstance(v, list) else [v])]


def run_body(op: Op, sample: Sample, inputs: list[Any]) -> list[np.ndarray]:
    token = np_backend.silence()
    try:
        kernel = op.kernels["numpy"]
        result = kernel(np_backend, *inputs, **attrs_of(op, sample), **counter(op))
    finally:
        np_backend.unsilence(token)
    return [np.asarray(r) for r in as_list(result)]


def assert_close(actual: Any, expected: Any, sample: Sample) -> None:
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    if actual.dtype == object or actual.dtype.kind in "biu":
        np.testing.assert_array_equal(actual, expected)
        return
    low_precision = actual.dtype.itemsize <= 2
    wide = np.complex128 if actual.dtype.kind == "c" else np.float64
    np.testing.assert_allclose(
        actual.astype(wide),
        expected.astype(wide),
        rtol=2e-2 if low_precision else sample.law.rtol,
        atol=1e-2 if low_precision else sample.law.atol,
    )


# -- gradients ---------------------------------------------------------------------------------


def is_float(array: Any) -> bool:
    return not isinstance(array, list) and array.dtype.kind == "f" and array.dtype.itemsize >= 4


def _differentiable(sample: Sample) -> bool:
    op = OPS.get(sample.op)
    if op is None or not sample.law.grad:
        return False
    if op.gradient_rule is None or isinstance(op.gradient_rule, Undeclared):
        return False
    return any(is_float(a) or a.dtype.kind == "c" for a in flat(list(sample.inputs)))


DIFFERENTIABLE = [s for s in SAMPLES if _differentiable(s)]
FINITE = [
    s
    for s in DIFFERENTIABLE
    if s.law.finite
    and all(is_float(a) or a.dtype.kind in "biuO" for a in flat(list(s.inputs)))
    and (OPS[s.op].dtypes is None or as_dtype("float64") in OPS[s.op].dtypes)
]


def widen(value: Any, op: Op) -> Any:
    """Floats in double precision, where the op takes them, so that differences are exact."""
    if isinstance(value, list):
        return [widen(v, op) for v in value]
    if value.dtype == np.float32 and (op.dtypes is None or as_dtype("float64") in op.dtypes):
        return value.astype(np.float64)
    if value.dtype == np.complex64 and (op.dtypes is None or as_dtype("complex128") in op.dtypes):
        return value.astype(np.complex128)
    return value


def smooth(tensors: list[Any]) -> list[Any]:
    """Those that can have a gradient."""
    return [t for t in tensors if t.dtype.is_floating or t.dtype.is_complex]


def tape_gradients(call: Callable[..., Any], inputs: list[Any], seeds: list[Any]) -> list[Any]:
    """The gradients of `call` for every flat input, as arrays, or None."""
    tensors = [as_tensors(i) for i in inputs]
    leaves = flat(tensors)
    with tf.GradientTape() as tape:
        tape.watch(smooth(leaves))
        outputs = as_list(call(*tensors))
    # The tape warns of sources without a gradient.
    sources = smooth(leaves)
    found = iter(tape.gradient(smooth(outputs), sources, output_gradients=seeds))
    gradients = [next(found) if any(t is s for s in sources) else None for t in leaves]
    return [None if g is None else np.asarray(dispatch.convert(g)) for g in gradients]


def seeds_for(op: Op, sample: Sample, inputs: list[Any]) -> list[np.ndarray]:
    generator = np.random.default_rng(7)
    seeds = []
    for result in run_body(op, sample, inputs):
        if result.dtype.kind == "f" or result.dtype.kind == "c" or result.dtype.itemsize == 2:
            seed = generator.uniform(-1, 1, result.shape)
            if result.dtype.kind == "c":
                seed = seed + 1j * generator.uniform(-1, 1, result.shape)
            if FROM_NUMPY[result.dtype].is_floating or FROM_NUMPY[result.dtype].is_complex:
                seeds.append(np.asarray(seed).astype(result.dtype))
    return seeds
