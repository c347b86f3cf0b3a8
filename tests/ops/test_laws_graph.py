"""What must hold for every op in a graph, checked on every sample.

However much tracing knows of the shapes, a traced call that is interpreted gives what the eager
call gives; so does its gradient, be it taken by a tape around the call, through the backward graph,
or by `tf.gradients` in the graph. So does the gradient of the gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core import dispatch
from tapeflow._src.core.registry import OPS, Op
from tests.ops.graph_side import BLANKS, TracedCall, told
from tests.ops.harness import Sample
from tests.ops.running import (
    DIFFERENTIABLE,
    FINITE,
    SAMPLES,
    as_list,
    as_tensors,
    assert_close,
    flat,
    of_each_op,
    readonly,
    seeds_for,
    smooth,
    tape_gradients,
)

# What has no seed or no results is tested by itself: NonDeterministicInts, PrintV2, Assert.
VALUED = [s for s in SAMPLES if OPS[s.op].effect != "io"]


@pytest.fixture(autouse=True)
def unseeded() -> Iterator[None]:
    """Other tests find no seed set."""
    yield
    tf.random.set_seed(None)


def _call(op: Op, sample: Sample) -> Callable[..., list[Any]]:
    return lambda *inputs: as_list(op(*inputs, **sample.attrs))


def _seeded(op: Op, sample: Sample) -> bool:
    """Whether two runs give the same: random ops without a seed do not."""
    return op.effect != "random" or bool(sample.attrs.get("seed") or sample.attrs.get("seed2"))


def _assert_same(actual: Any, expected: Any) -> None:
    """Equal to the bit, which rules out that a NaN or the sign of a zero got lost."""
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    if actual.dtype == object:
        np.testing.assert_array_equal(actual, expected)
    elif actual.tobytes() != expected.tobytes():
        np.testing.assert_array_equal(actual, expected)
        raise AssertionError("values differ in sign or NaN payload only")


@of_each_op(VALUED, always=1)
def test_interpreted_is_eager(sample: Sample) -> None:
    op = OPS[sample.op]
    inputs = [readonly(i) for i in sample.inputs]
    tensors = [as_tensors(i) for i in inputs]
    tf.random.set_seed(5)
    expected = as_list(op(*tensors, **sample.attrs))
    for blank in BLANKS:
        with told(blank):
            traced = TracedCall(op, inputs, blank, _call(op, sample))
            tf.random.set_seed(5)
            results = traced(*tensors)
            for symbolic, tensor, exact in zip(
                traced.concrete.outputs, results, expected, strict=True
            ):
                assert symbolic.dtype is tensor.dtype is exact.dtype
                assert symbolic.shape.is_compatible_with(tensor.shape)
                if _seeded(op, sample):
                    _assert_same(tensor._array, exact._array)
                else:
                    assert tensor.shape == exact.shape


GRADED = [s for s in DIFFERENTIABLE if _seeded(OPS[s.op], s)]


def _refused(sample: Sample, blank: str) -> bool:
    """Whether there is no gradient unless tracing knows the sizes."""
    if blank == "nothing":
        return False
    if sample.op in ("Qr", "Svd"):
        # Which of the vectors are arbitrary depends on the sizes. TensorFlow needs them always.
        return bool(sample.attrs.get("full_matrices"))
    # With no segments there are no rows to take: TensorFlow refuses that even eagerly.
    return sample.op == "UnsortedSegmentProd" and sample.inputs[2] == 0


def _compare(actual: list[Any], expected: list[Any], sample: Sample) -> None:
    for a, e in zip(actual, expected, strict=True):
        if e is None:
            assert a is None
        else:
            assert_close(a, e, sample)


@of_each_op(GRADED, always=1)
def test_gradient_of_a_traced_call(sample: Sample) -> None:
    op = OPS[sample.op]
    inputs = [readonly(i) for i in sample.inputs]
    seeds = seeds_for(op, sample, inputs)
    tf.random.set_seed(5)
    expected = tape_gradients(partial(op, **sample.attrs), inputs, seeds)
    for blank in BLANKS:
        if _refused(sample, blank):
            continue
        with told(blank):
            traced = TracedCall(op, inputs, blank, _call(op, sample))
            tf.random.set_seed(5)
            _compare(tape_gradients(traced, inputs, seeds), expected, sample)


@of_each_op(GRADED, always=1)
def test_gradient_in_the_graph(sample: Sample) -> None:
    op = OPS[sample.op]
    inputs = [readonly(i) for i in sample.inputs]
    seeds = seeds_for(op, sample, inputs)
    tf.random.set_seed(5)
    by_tape = tape_gradients(partial(op, **sample.attrs), inputs, seeds)
    expected = [g for g, t in zip(by_tape, flat(inputs), strict=True) if g is not None]

    def gradients(*tensors: Any) -> list[Any]:
        outputs = _call(op, sample)(*tensors)
        sources = smooth([t for t in flat(list(tensors)) if not hasattr(t, "_array")])
        found = tf.gradients(smooth(outputs), sources, grad_ys=[tf.constant(s) for s in seeds])
        return [dispatch.convert(g) for g in found if g is not None]

    for blank in BLANKS:
        if _refused(sample, blank):
            continue
        with told(blank):
            traced = TracedCall(op, inputs, blank, gradients)
            tf.random.set_seed(5)
            tensors = [as_tensors(i) for i in inputs]
            _compare([t._array for t in traced(*tensors)], expected, sample)


# They find the places that won by trying all, and have to know how many there are.
_TRYING = ("Dilation2D", "FractionalMaxPool")
SECOND = [
    s
    for s in FINITE
    if s in GRADED and s.law.order2 and s.op not in _TRYING and not _refused(s, "sizes")
]


@of_each_op(SECOND, always=1)
def test_second_gradient_in_the_graph(sample: Sample) -> None:
    op = OPS[sample.op]
    inputs = [readonly(i) for i in sample.inputs]
    seeds = [tf.constant(s) for s in seeds_for(op, sample, inputs)]

    def second(*tensors: Any) -> list[Any]:
        sources = smooth(flat(list(tensors)))
        with tf.GradientTape() as outer:
            outer.watch(sources)
            with tf.GradientTape() as inner:
                inner.watch(sources)
                outputs = smooth(_call(op, sample)(*tensors))
            found = inner.gradient(outputs, sources, output_gradients=seeds)
            terms = [
                tf.reduce_sum(tf.cast(tf.convert_to_tensor(g) * tf.cos(x), tf.float64))
                for g, x in zip(found, sources, strict=True)
                if g is not None
            ]
            total = tf.add_n(terms) if terms else None
        gradients = [] if total is None else outer.gradient(total, sources)
        return [tf.convert_to_tensor(g) for g in gradients if g is not None]

    tensors = [as_tensors(i) for i in inputs]
    traced = TracedCall(op, inputs, "sizes", second)(*tensors)
    for a, e in zip(traced, second(*tensors), strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["Qr", "Svd"])
def test_a_gradient_that_needs_sizes_says_so(name: str) -> None:
    op = OPS[name]
    matrix = [np.eye(3, dtype=np.float32)]
    call = partial(op, full_matrices=True)
    traced = TracedCall(op, matrix, "sizes", lambda x: list(call(x)))
    seeds = [t._array for t in smooth(traced(*map(as_tensors, matrix)))]
    with pytest.raises(NotImplementedError, match=rf"{name}: .*full_matrices=True"):
        tape_gradients(traced, matrix, seeds)
