"""What must hold for every op, checked on every sample.

- The body runs on read-only arrays, and gives what the shape rule says; also when the rule is told
  less (sizes and values blanked out).
- Under `jax.jit` the same body gives the same values.
- An eager call gives the body's result.
- The tape's gradient is the one of `jax.vjp` of the body, and the one finite differences give, at
  the first and the second order.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import FROM_NUMPY
from tapeflow._src.core.registry import OPS, UNDECLARED, Op
from tapeflow._src.core.spec import Spec
from tests.ops.harness import Sample
from tests.ops.jax_side import body_under_jit, vjp_under_jit
from tests.ops.running import (
    DIFFERENTIABLE,
    FINITE,
    SAMPLES,
    as_list,
    as_tensors,
    assert_close,
    attrs_of,
    counter,
    flat,
    is_float,
    of_each_op,
    readonly,
    run_body,
    seeds_for,
    tape_gradients,
    widen,
)
from tests.ops.samples_io import PILLOW

# What only graphs have: `tests/graph` holds what is asked of it.
GRAPH_ONLY = {"Const", "NoOp", "Placeholder", "VarHandleOp"}
# What holds functions, the graph's or Python's: `tests/test_control_flow.py` holds what is asked.
WITH_FUNCTIONS = {
    *("If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile"),
    *("EagerPyFunc", "PyFunc", "PyFuncStateless", "XlaCallModule", "XlaLaunch", "_JaxCall"),
    # Of replicas: they need a mesh, and `keras/test_replicated_training.py` trains on one.
    *("_OnReplicas", "_ReplicaGather", "_ReplicaIndex", "_ReplicaSelect", "_ReplicaSum"),
    # Of workers: they need several processes, and `tests/distribute_workers` starts them.
    *("_WorkerBroadcast", "_WorkerConcat", "_WorkerGather", "_WorkerSum"),
}
# What is traced but has no kernel for a CPU: `test_cudnn.py`.
GPU_ONLY = {name for name in OPS if name.startswith("CudnnRNN")}
every_sample = pytest.mark.parametrize("sample", SAMPLES, ids=str)


# -- the declaration is complete ---------------------------------------------------------------


def test_every_op_has_samples_a_shape_rule_and_a_declared_gradient() -> None:
    sampled = {s.op for s in SAMPLES}
    stateful = {name for name, op in OPS.items() if "Resource" in op.kinds}
    # Lists are no arrays: `test_tensor_list.py` holds what is asked of them.
    lists = {name for name in OPS if "TensorList" in name}
    # Neither are datasets and optionals: `tests/data`.
    datasets = {n for n in OPS if "Dataset" in n or "Iterator" in n or n.startswith("Optional")}
    datasets.add("GetElementAtIndex")
    handles = {"DummySeedGenerator", "DummyMemoryCache", "DummyIterationCounter"}
    handles |= {"RaggedTensorToVariant", "RaggedTensorFromVariant"}
    # No two readings of the clock are the same: `tests/test_stamps.py`.
    handles |= {"Timestamp"}
    # Their layouts need a mesh of devices: `tests/dtensor`.
    handles |= {"Relayout", "RelayoutLike"}
    # Tables that SavedModels make: `tests/saved_model/test_tables.py`.
    handles |= {"HashTableV2", "MutableHashTableV2", "MutableHashTableOfTensorsV2"}
    unsampled = set(OPS) - sampled - stateful - lists - datasets - handles
    unsampled -= GRAPH_ONLY | WITH_FUNCTIONS | GPU_ONLY | PILLOW
    assert sorted(unsampled) == [], "ops without a sample"
    assert sorted(n for n, op in OPS.items() if op.infer_rule is None) == [], "without a shape rule"
    undeclared = sorted(n for n, op in OPS.items() if op.gradient_rule is UNDECLARED)
    assert undeclared == [], "neither differentiable nor declared otherwise"


def test_samples_name_declared_ops() -> None:
    assert sorted({s.op for s in SAMPLES} - set(OPS)) == []


# -- values and shapes -------------------------------------------------------------------------


def _specs(op: Op, inputs: list[Any], blank: str) -> tuple[Any, ...]:
    """What the shape rule is told: everything, no sizes, no ranks, or no values."""

    def spec(array: Any, kind: str) -> Spec:
        static = kind.startswith("Static")
        shape: Any = array.shape
        if blank == "sizes" and not static:
            shape = (None,) * array.ndim
        if blank == "ranks" and not static:
            shape = None
        known = blank == "" or (static and blank != "values")
        return Spec(shape, FROM_NUMPY[array.dtype], array if known else None)

    return tuple(
        tuple(spec(a, kind) for a in value) if isinstance(value, list) else spec(value, kind)
        for value, kind in zip(inputs, op.kinds, strict=True)
    )


def _fits(inferred: Spec, result: np.ndarray) -> bool:
    if inferred.dtype is not FROM_NUMPY[result.dtype]:
        return False
    shape = inferred.shape
    return shape is None or (
        len(shape) == result.ndim
        and all(a is None or a == b for a, b in zip(shape, result.shape, strict=True))
    )


@every_sample
def test_body_agrees_with_the_shape_rule(sample: Sample) -> None:
    op = OPS[sample.op]
    inputs = [readonly(i) for i in sample.inputs]
    results = run_body(op, sample, inputs)
    inferred = op.infer_outputs(_specs(op, inputs, ""), attrs_of(op, sample))
    assert len(inferred) == len(results)
    for spec, result in zip(inferred, results, strict=True):
        assert _fits(spec, result), f"{spec} does not describe {result.dtype}{result.shape}"
        if op.host is None:
            assert spec.is_static, (
                f"the shape is determined by the inputs, but the rule says {spec}"
            )


@every_sample
def test_shape_rule_told_less_stays_true(sample: Sample) -> None:
    op = OPS[sample.op]
    inputs = [readonly(i) for i in sample.inputs]
    results = run_body(op, sample, inputs)
    for blank in ("sizes", "ranks", "values"):
        inferred = op.infer_outputs(_specs(op, inputs, blank), attrs_of(op, sample))
        for spec, result in zip(inferred, results, strict=True):
            assert _fits(spec, result), (
                f"without {blank}: {spec} does not describe {result.dtype}{result.shape}"
            )


@every_sample
def test_eager_call_is_the_body(sample: Sample) -> None:
    op = OPS[sample.op]
    expected = run_body(op, sample, [readonly(i) for i in sample.inputs])
    result = op(*(as_tensors(readonly(i)) for i in sample.inputs), **sample.attrs)
    results = as_list(result)
    assert len(results) == len(expected)
    for tensor, array in zip(results, expected, strict=True):
        assert tensor.shape == array.shape
        assert tensor.dtype is FROM_NUMPY[array.dtype]
        if op.effect != "random":
            assert_close(np.asarray(tensor), array, sample)


JITTED = [
    s
    for s in SAMPLES
    if s.op in OPS
    and OPS[s.op].host is None
    and s.law.jit
    and not any(np.asarray(i).dtype == object for i in s.inputs if not isinstance(i, list))
]


@of_each_op(JITTED, always=1)
def test_jit_agrees(sample: Sample) -> None:
    op = OPS[sample.op]
    inputs = [readonly(i) for i in sample.inputs]
    expected = run_body(op, sample, inputs)
    actual = body_under_jit(op, inputs, attrs_of(op, sample) | counter(op))
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected, strict=True):
        assert_close(a, e, sample)


# -- gradients ---------------------------------------------------------------------------------


@of_each_op([s for s in DIFFERENTIABLE if s in JITTED], always=1)
def test_gradient_is_that_of_the_body(sample: Sample) -> None:
    op = OPS[sample.op]
    inputs = [widen(i, op) for i in sample.inputs]
    seeds = seeds_for(op, sample, inputs)
    actual = tape_gradients(partial(op, **sample.attrs), inputs, seeds)
    expected = vjp_under_jit(op, inputs, attrs_of(op, sample) | counter(op), seeds)
    for a, e in zip(actual, expected, strict=True):
        if e is None:
            continue
        if a is None:
            np.testing.assert_allclose(e, np.zeros_like(e), atol=sample.law.atol)
            continue
        assert a.dtype == e.dtype
        np.testing.assert_allclose(a, e, rtol=max(sample.law.rtol, 1e-5), atol=sample.law.atol)


def _directional(value: Any, generator: np.random.Generator) -> Any:
    if is_float(value):
        return generator.uniform(-1, 1, value.shape)
    return np.zeros(value.shape)


def _objective(op: Op, sample: Sample, inputs: list[Any], seeds: list[Any]) -> Any:
    """The sum of the outputs, each weighted by its seed: a scalar function of the inputs."""
    outputs = [o for o in as_list(op(*inputs, **sample.attrs)) if o.dtype.is_floating]
    total: Any = tf.constant(0.0, tf.float64)
    for output, seed in zip(outputs, seeds, strict=True):
        weighted = output * tf.constant(seed)
        axes = tf.constant(list(range(len(weighted.shape))), tf.int32)
        total = total + OPS["Cast"](OPS["Sum"](weighted, axes), DstT=tf.float64)
    return total


def _shift(inputs: list[Any], direction: list[Any], step: float) -> list[Any]:
    moved = []
    flat = iter(direction)
    for value in inputs:
        if isinstance(value, list):
            moved.append([(v + step * next(flat)).astype(v.dtype) for v in value])
        else:
            d = next(flat)
            moved.append((value + step * d).astype(value.dtype) if is_float(value) else value)
    return moved


@of_each_op(FINITE)
def test_gradient_is_the_slope(sample: Sample) -> None:
    op = OPS[sample.op]
    inputs = [widen(i, op) for i in sample.inputs]
    generator = np.random.default_rng(11)
    seeds = seeds_for(op, sample, inputs)
    direction = [_directional(a, generator) for a in flat(inputs)]
    step = 1e-5

    def slope(moved: list[Any]) -> Any:
        """The derivative along `direction`, by the tape."""
        tensors = [as_tensors(i) for i in moved]
        leaves = [t for t in flat(tensors) if t.dtype.is_floating]
        ways = [d for d, a in zip(direction, flat(moved), strict=True) if is_float(a)]
        with tf.GradientTape() as tape:
            tape.watch(leaves)
            value = _objective(op, sample, tensors, seeds)
        gradients = tape.gradient(value, leaves, unconnected_gradients="zero")
        return float(
            sum(
                np.sum(np.asarray(dispatch.convert(g)) * w)
                for g, w in zip(gradients, ways, strict=True)
            )
        )

    def value_at(offset: float) -> float:
        moved = _shift(inputs, direction, offset)
        return float(_objective(op, sample, [as_tensors(i) for i in moved], seeds))

    first = (value_at(step) - value_at(-step)) / (2 * step)
    np.testing.assert_allclose(slope(inputs), first, rtol=1e-4, atol=1e-5)
    if sample.law.order2:
        second = (
            slope(_shift(inputs, direction, step)) - slope(_shift(inputs, direction, -step))
        ) / (2 * step)
        actual = _second_slope(op, sample, inputs, seeds, direction)
        np.testing.assert_allclose(actual, second, rtol=1e-3, atol=1e-4)


def _second_slope(
    op: Op, sample: Sample, inputs: list[Any], seeds: list[Any], direction: list[Any]
) -> float:
    """The second derivative along `direction`, by a tape around a tape."""
    tensors = [as_tensors(i) for i in inputs]
    leaves = [t for t in flat(tensors) if t.dtype.is_floating]
    ways = [d for d, a in zip(direction, flat(inputs), strict=True) if is_float(a)]
    with tf.GradientTape() as outer:
        outer.watch(leaves)
        with tf.GradientTape() as inner:
            inner.watch(leaves)
            value = _objective(op, sample, tensors, seeds)
        gradients = inner.gradient(value, leaves, unconnected_gradients="zero")
        total: Any = tf.constant(0.0, tf.float64)
        for gradient, way in zip(gradients, ways, strict=True):
            weighted = dispatch.convert(gradient) * tf.constant(way)
            axes = tf.constant(list(range(len(weighted.shape))), tf.int32)
            total = total + OPS["Sum"](weighted, axes)
    seconds = outer.gradient(total, leaves, unconnected_gradients="zero")
    return float(
        sum(np.sum(np.asarray(dispatch.convert(s)) * w) for s, w in zip(seconds, ways, strict=True))
    )
