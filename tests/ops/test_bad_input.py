"""Every op against wrong ranks, sizes, dtypes, axes, NaN, empty and huge values.

A sample's call is damaged in some way. Then either the call works and its result is what the shape
rule says, or it raises an exception of `tf.errors`, a TypeError or a ValueError that names the op.
Never a crash, a hang, another exception or another shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tapeflow._src.core.dtypes import FROM_NUMPY
from tapeflow._src.core.errors import OpError
from tapeflow._src.core.registry import OPS, Op
from tapeflow._src.core.spec import Spec
from tapeflow._src.eager.tensor import EagerTensor
from tests.ops.harness import Sample
from tests.ops.running import SAMPLES, of_each_op

# Results larger than this are not computed: that they are refused or allowed is enough.
LARGEST = 10_000_000
DTYPES = (np.float32, np.float64, np.float16, np.int32, np.int64, np.uint8, np.bool_, np.complex64)


def _add_axis(array: np.ndarray, draw: Any) -> np.ndarray:
    return array[None]


def _drop_axis(array: np.ndarray, draw: Any) -> np.ndarray:
    if not array.ndim or not array.shape[0]:
        return array.reshape(-1)[:0]
    return np.asarray(array[0], array.dtype)


def _resize(array: np.ndarray, draw: Any) -> np.ndarray:
    if not array.ndim:
        return np.resize(array, (3,))
    axis = draw(st.integers(0, array.ndim - 1))
    size = draw(st.integers(0, 5))
    return np.resize(array, (*array.shape[:axis], size, *array.shape[axis + 1 :]))


def _empty(array: np.ndarray, draw: Any) -> np.ndarray:
    return array.reshape(-1)[:0].reshape((0, *array.shape[1:]) if array.ndim else (0,))


def _retype(array: np.ndarray, draw: Any) -> np.ndarray:
    if array.dtype == object:
        return np.zeros(array.shape, np.float32)
    target = np.dtype(draw(st.sampled_from(DTYPES)))
    with np.errstate(all="ignore"):
        return (array if target.kind == "c" else array.real).astype(target)


def _not_a_number(array: np.ndarray, draw: Any) -> np.ndarray:
    if array.dtype.kind not in "fc":
        return array
    return np.full_like(array, draw(st.sampled_from([np.nan, np.inf, -np.inf])))


def _huge(array: np.ndarray, draw: Any) -> np.ndarray:
    if array.dtype.kind in "iu":
        limits = np.iinfo(array.dtype)
        return np.full_like(array, draw(st.sampled_from([limits.min, limits.max, limits.max // 2])))
    if array.dtype.kind == "f":
        return np.full_like(array, draw(st.sampled_from([-1, 1])) * np.finfo(array.dtype).max)
    return array


def _small_integers(array: np.ndarray, draw: Any) -> np.ndarray:
    if array.dtype.kind not in "iu":
        return array
    low = 0 if array.dtype.kind == "u" else -7
    flat = [draw(st.integers(low, 7)) for _ in range(min(array.size, 8))]
    return np.resize(np.array(flat or [0], array.dtype), array.shape)


DAMAGE = (
    _add_axis,
    _drop_axis,
    _resize,
    _empty,
    _retype,
    _not_a_number,
    _huge,
    _small_integers,
)


@st.composite
def damaged(draw: Any, sample: Sample) -> tuple[list[Any], dict[str, Any]]:
    """The inputs and attributes of a sample with one to three of them damaged."""
    inputs = [list(i) if isinstance(i, list) else i for i in sample.inputs]
    for _ in range(draw(st.integers(1, 3))):
        if not inputs:
            break
        place = draw(st.integers(0, len(inputs) - 1))
        change = draw(st.sampled_from(DAMAGE))
        value = inputs[place]
        if isinstance(value, list):
            if value:
                item = draw(st.integers(0, len(value) - 1))
                value[item] = change(value[item], draw)
        else:
            inputs[place] = change(value, draw)
    attrs = dict(sample.attrs)
    for name, value in attrs.items():
        if type(value) is int and draw(st.booleans()):
            attrs[name] = draw(st.integers(-9, 9))
    return inputs, attrs


def _spec(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_spec(v) for v in value)
    return Spec(value.shape, FROM_NUMPY[value.dtype], value)


def _too_large(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> bool:
    """Whether the shape rule promises a result too large to compute here."""
    try:
        specs = op.infer_outputs(tuple(_spec(i) for i in inputs), {**op.defaults, **attrs})
    except Exception:  # such as a wrong dtype, which the call will refuse
        return False
    return any(s.is_static and np.prod([float(n) for n in s.shape]) > LARGEST for s in specs)


def _tensor(value: Any) -> Any:
    return [EagerTensor(v) for v in value] if isinstance(value, list) else EagerTensor(value)


@of_each_op(SAMPLES, always=1)
@settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_bad_input_is_answered(sample: Sample, data: Any) -> None:
    op = OPS[sample.op]
    inputs, attrs = data.draw(damaged(sample))
    if _too_large(op, inputs, attrs):
        return
    try:
        result = op(*(_tensor(i) for i in inputs), **attrs)
    except (OpError, TypeError, ValueError) as error:
        assert op.name in str(error), f"the message does not name {op.name}: {error}"
        return
    results = result if isinstance(result, tuple) else () if result is None else (result,)
    inferred = op.infer_outputs(tuple(_spec(i) for i in inputs), {**op.defaults, **attrs})
    assert len(inferred) == len(results)
    for spec, tensor in zip(inferred, results, strict=True):
        assert spec.dtype is tensor.dtype
        if spec.shape is not None:
            assert len(spec.shape) == tensor.ndim
            assert all(n is None or n == m for n, m in zip(spec.shape, tensor.shape, strict=True))
