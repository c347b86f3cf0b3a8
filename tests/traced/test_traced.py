"""Calls of the public API give the same traced as eagerly, also if shapes are not known.

Values and gradients are compared; where a function needs to know ranks or sizes, it says so when
it is traced.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core.dtypes import FROM_NUMPY
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.function.concrete import ConcreteFunction
from tapeflow._src.function.tracing import trace
from tests.traced import calls_arrays, calls_linalg, calls_math, calls_nn
from tests.traced.call import Call

CALLS = [*calls_arrays.CALLS, *calls_math.CALLS, *calls_linalg.CALLS, *calls_nn.CALLS]
BLANKS = ("nothing", "sizes", "ranks")
every_call = pytest.mark.parametrize("call", CALLS, ids=str)


@pytest.fixture(autouse=True)
def unseeded() -> Iterator[None]:
    """Other tests find no seed set."""
    yield
    tf.random.set_seed(None)


def _dims(array: np.ndarray, blank: str) -> Any:
    if blank == "ranks":
        return None
    return (None,) * array.ndim if blank == "sizes" else array.shape


def traced(call: Call, blank: str) -> ConcreteFunction:
    """The call as a graph that was told as much of its inputs."""

    def arguments(graph: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return tuple(
            graph.argument(FROM_NUMPY[array.dtype], _dims(array, blank), name)
            for name, array in call.inputs.items()
        ), {}

    return ConcreteFunction(*trace(call, arguments, "call"))


def _flat(result: Any) -> list[Any]:
    leaves = tf.nest.flatten(result, expand_composites=True)
    return [t if t is None else tf.convert_to_tensor(t) for t in leaves]


def _assert_close(actual: list[Any], expected: list[Any]) -> None:
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected, strict=True):
        if e is None:
            assert a is None
            continue
        assert a.dtype is e.dtype
        assert a.shape == e.shape
        if e.dtype is tf.string:
            assert a.numpy().tolist() == e.numpy().tolist()
        else:
            # Another order of summation, at most.
            np.testing.assert_allclose(a._array, e._array, rtol=2e-5, atol=2e-6)


def _refused(call: Call, blank: str) -> bool:
    return bool(
        (blank == "ranks" and (call.rank or call.sizes)) or (blank == "sizes" and call.sizes)
    )


@every_call
def test_traced_is_eager(call: Call) -> None:
    inputs = [EagerTensor(a) for a in call.inputs.values()]
    tf.random.set_seed(3)
    expected = _flat(call(*inputs))
    for blank in BLANKS:
        if _refused(call, blank):
            with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
                traced(call, blank).call_flat(inputs)
            continue
        concrete = traced(call, blank)
        tf.random.set_seed(3)
        results = _flat(concrete.call_flat(inputs))
        _assert_close(results, expected)
        known = [t for t in concrete.outputs if t is not None]
        for symbolic, tensor in zip(known, [t for t in results if t is not None], strict=True):
            assert symbolic.shape.is_compatible_with(tensor.shape)


def _differentiable(call: Call) -> bool:
    return any(array.dtype.kind == "f" for array in call.inputs.values())


def _gradients(function: Any, inputs: list[Any]) -> list[Any]:
    sources = [t for t in inputs if t.dtype.is_floating]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        outputs = [t for t in _flat(function(inputs)) if t is not None and t.dtype.is_floating]
        weighted = [tf.reduce_sum(tf.cos(t + 0.3) * t) for t in outputs]
        total = tf.add_n([tf.cast(t, tf.float64) for t in weighted]) if weighted else None
    if total is None:
        return []
    found = tape.gradient(total, sources)
    return [g if g is None else tf.convert_to_tensor(g) for g in found]


# The gradient needs sizes, or there is none.
_WITHOUT = ("full_matrices=True", "bincount", "adjust_contrast")


@pytest.mark.parametrize(
    "call",
    [c for c in CALLS if _differentiable(c) and not any(w in c.text for w in _WITHOUT)],
    ids=str,
)
def test_gradients_traced_are_eager(call: Call) -> None:
    inputs = [EagerTensor(a) for a in call.inputs.values()]
    tf.random.set_seed(3)
    expected = _gradients(lambda given: call(*given), inputs)
    for blank in ("nothing", "sizes"):
        if _refused(call, blank):
            continue
        concrete = traced(call, blank)
        tf.random.set_seed(3)
        _assert_close(_gradients(concrete.call_flat, inputs), expected)


def test_parallel_stack_is_for_graphs_alone() -> None:
    x = tf.constant([1.0, 2.0])
    with pytest.raises(RuntimeError, match="works in graphs only"):
        tf.parallel_stack([x, x])
    stacked = traced(Call("tf.parallel_stack([x, x])", {"x": x.numpy()}), "nothing")
    assert stacked.call_flat([x]).numpy().tolist() == [[1, 2], [1, 2]]


def test_axes_of_tensordot_must_be_known() -> None:
    call = Call("tf.tensordot(x, x, n)", {"x": np.eye(2, dtype="f"), "n": np.array(1)})
    with pytest.raises(ValueError, match="`axes` must be known"):
        traced(call, "nothing")
