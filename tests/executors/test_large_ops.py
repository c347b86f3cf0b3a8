"""Large calls compute the same in every way, and settle on one."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.backends import array_memory, blocks, threads
from tapeflow._src.backends import numpy as xp
from tapeflow._src.backends.memory import ALIGNMENT, address
from tapeflow._src.core import random_state, traits
from tapeflow._src.core.registry import OPS, every
from tapeflow._src.eager import large, mode
from tapeflow._src.executors import background, large_ops, ways
from tapeflow._src.executors.large_ops import Call
from tests.ops.harness import Sample
from tests.ops.running import SAMPLES, attrs_of
from tests.ops.test_traits import special, with_data

every()


def _blocks_of(sample: Sample) -> bool:
    op = OPS.get(sample.op)
    return op is not None and op.scales and op.is_elementwise and not op.has_lists


ELEMENTWISE = [sample for sample in SAMPLES if _blocks_of(sample)]


@pytest.fixture
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two elements are a block, three are large, and every call is hot and worth compiling."""
    monkeypatch.setattr(blocks, "BLOCK", 2)
    monkeypatch.setattr(mode, "_LARGE", 2)
    monkeypatch.setattr(large_ops, "HOT_SECONDS", 0.0)
    monkeypatch.setattr(large_ops, "HOT_SECONDS_WITHOUT_JAX", 0.0)
    monkeypatch.setattr(large_ops, "TRIVIAL_SECONDS", -1.0)
    monkeypatch.setattr(large_ops, "_calls", {})


@pytest.mark.usefixtures("small_is_large")
@pytest.mark.parametrize("sample", ELEMENTWISE, ids=str)
def test_blocks_of_an_elementwise_op_compute_what_its_kernel_does(sample: Sample) -> None:
    op, attrs = OPS[sample.op], attrs_of(OPS[sample.op], sample)
    for inputs in (list(sample.inputs), with_data(op, sample, special)):
        way = large_ops._in_blocks(op, inputs, attrs)
        if way is None:
            continue
        with np.errstate(all="ignore"):
            try:
                expected: Any = np.asarray(op.run(xp, *inputs, **attrs))
            except Exception as error:
                with pytest.raises(type(error)):
                    way(inputs, attrs)
                continue
            actual = way(inputs, attrs)
        assert actual.dtype == expected.dtype and actual.shape == expected.shape
        if expected.dtype.kind in "fc":
            np.testing.assert_allclose(actual, expected, rtol=1e-6)
        else:
            np.testing.assert_array_equal(actual, expected)


BY_ROWS = [s for s in SAMPLES if s.op in OPS and traits.ROWS in OPS[s.op].traits]


@pytest.mark.usefixtures("small_is_large")
@pytest.mark.parametrize("sample", BY_ROWS, ids=str)
def test_blocks_of_rows_compute_what_the_kernel_does(sample: Sample) -> None:
    op, attrs = OPS[sample.op], attrs_of(OPS[sample.op], sample)
    for inputs in (list(sample.inputs), with_data(op, sample, special)):
        way = large_ops._by_rows(op, inputs)
        if way is None:
            continue
        with np.errstate(all="ignore"):
            expected, actual = op.run(xp, *inputs, **attrs), way(inputs, attrs)
        for one, other in zip(tf.nest.flatten(actual), tf.nest.flatten(expected), strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, rtol=1e-6)


FOLDED = [s for s in SAMPLES if s.op in OPS and traits.FOLDS in OPS[s.op].traits]


@pytest.mark.usefixtures("small_is_large")
@pytest.mark.parametrize("sample", FOLDED, ids=str)
def test_reductions_of_parts_compute_what_the_kernel_does(sample: Sample) -> None:
    op, attrs = OPS[sample.op], attrs_of(OPS[sample.op], sample)
    for inputs in (list(sample.inputs), with_data(op, sample, special)):
        way = large_ops._folded(op, inputs)
        if way is None:
            continue
        with np.errstate(all="ignore"):
            expected = np.asarray(op.run(xp, *inputs, **attrs))
            actual = np.asarray(way(inputs, attrs))
        assert actual.dtype == expected.dtype and actual.shape == expected.shape
        np.testing.assert_allclose(actual, expected, rtol=1e-6)


@pytest.mark.parametrize("axis", [[0], [1], [0, 1], [-1], [-2, 1]])
@pytest.mark.parametrize("keep_dims", [False, True])
def test_parts_of_any_axes_are_reduced(axis: list[int], keep_dims: bool) -> None:
    x, axes = np.arange(1.0, 25.0).reshape(8, 3), np.array(axis, np.int32)
    for name in ("Sum", "Mean", "Max"):
        whole = np.asarray(OPS[name].run(xp, x, axes, keep_dims=keep_dims))
        parts = np.asarray(blocks.run_folded(OPS[name].run, x, axes, keep_dims))
        assert parts.shape == whole.shape
        np.testing.assert_allclose(parts, whole)


@pytest.mark.parametrize("choices", [((2000,), (2000,)), ((), (2000,)), ((3, 2000), (1,))])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int64", "bool", "complex64"])
def test_many_elements_are_chosen_like_few(choices: Any, dtype: str) -> None:
    condition = np.arange(2000) % 3 == 0
    first, second = [np.arange(1, 1 + math.prod(s)).reshape(s).astype(dtype) for s in choices]
    chosen, expected = xp.where(condition, first, second), np.where(condition, first, second)
    assert chosen.dtype == expected.dtype
    np.testing.assert_array_equal(chosen, expected)


ROWS = np.linspace(-3, 3, 12, dtype=np.float32).reshape(3, 4)
CALLS = {
    "one operand": lambda x: tf.math.erf(x),
    "two operands": lambda x: x * x[0],
    "a number first": lambda x: 2.0 - x,
    "three operands": lambda x: tf.where(x > 0, x, 0.0),
    "static operand": lambda x: tf.reduce_sum(x, 1),
    "attributes": lambda x: tf.nn.leaky_relu(x, 0.1),
    "list of operands": lambda x: tf.concat([x, x], 0),
    "several results": lambda x: tf.math.top_k(x, 2),
    "list of results": lambda x: tf.unstack(x),
    "rows": lambda x: tf.nn.softmax(x),
    "other dtype": lambda x: tf.cast(x, tf.float16),
    "transposed": lambda x: tf.exp(tf.transpose(x)),
}


@pytest.mark.usefixtures("small_is_large")
@pytest.mark.parametrize("name", CALLS)
def test_calls_agree_before_and_after_they_are_compiled(name: str) -> None:
    x, function = tf.constant(ROWS), CALLS[name]
    expected = [t.numpy() for t in tf.nest.flatten(_as_small(function, x))]
    for _ in range(4):
        for _ in range(ways.TRIALS + 2):
            for tensor, value in zip(tf.nest.flatten(function(x)), expected, strict=True):
                assert tensor.dtype == tf.as_dtype(value.dtype)
                np.testing.assert_allclose(tensor.numpy(), value, rtol=1e-5, atol=1e-6)
        assert background.compiler.wait(60)
    calls = list(large_ops._calls.values())
    assert calls and all(call.chosen is not None for call in calls)


def _as_small(function: Any, x: Any) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mode, "_LARGE", large.LARGE)
        return function(x)


@pytest.mark.usefixtures("small_is_large")
def test_a_call_is_compiled_once_it_is_hot_and_then_tried() -> None:
    x = tf.constant(ROWS)
    for _ in range(ways.TRIALS):
        tf.math.erf(x)
    (call,) = large_ops._calls.values()
    assert call.state in (Call.COMPILING, Call.CHOOSING)
    assert background.compiler.wait(60)
    assert call.state == Call.CHOOSING and len(call.ways) == len(call.best) == 4
    while call.chosen is None:
        tf.math.erf(x)
    assert min(call.runs) > ways.FEW_TRIALS and call.best[call.ways.index(call.chosen)] == min(
        call.best
    )


@pytest.mark.parametrize("sample", [*ELEMENTWISE, *BY_ROWS, *FOLDED], ids=str)
def test_the_older_generator_of_code_computes_what_the_kernel_does(sample: Sample) -> None:
    op, attrs = OPS[sample.op], attrs_of(OPS[sample.op], sample)
    inputs = list(sample.inputs)
    if not all(map(large_ops._is_number, large_ops._flat(inputs))):
        pytest.skip("compiled code takes numbers only")
    if large_ops._emitters(op, inputs) == (False,):
        pytest.skip("sums of halves are left to the newer generator")
    with np.errstate(all="ignore"):
        expected = op.run(xp, *inputs, **attrs)
        actual = large_ops._Program(op, inputs, attrs, old_emitter=True)(inputs, attrs)
    for one, other in zip(tf.nest.flatten(actual), tf.nest.flatten(expected), strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-6)


@pytest.mark.usefixtures("small_is_large")
def test_calls_that_are_mostly_overhead_are_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_ops, "TRIVIAL_SECONDS", math.inf)
    x = tf.constant(ROWS)
    for _ in range(4 * ways.TRIALS):
        tf.exp(x)
    (call,) = large_ops._calls.values()
    assert call.chosen is not None and len(call.ways) == 2


@pytest.mark.usefixtures("small_is_large")
@pytest.mark.parametrize(
    ("shapes", "is_large"),
    [
        (((2, 1), (1, 2)), True),
        (((2, 1), (2,)), True),
        (((2,), (2, 1)), True),
        (((2,), (2,)), False),
        (((1, 2), (2,)), False),
        (((), (2,)), False),
        (((2, 1), (1, 0)), False),
        (((1,), (3,)), True),
    ],
)
def test_calls_with_large_results_are_large(shapes: Any, is_large: bool) -> None:
    tf.ones(shapes[0]) + tf.ones(shapes[1])
    assert bool(large_ops._calls) == is_large


@pytest.mark.usefixtures("small_is_large")
def test_calls_with_a_large_second_operand_are_large() -> None:
    tf.searchsorted([1.0], [0.0, 1.0, 2.0])
    assert any(key[0].name == "LowerBound" for key in large_ops._calls)


@pytest.mark.usefixtures("small_is_large")
def test_with_determinism_only_the_kernel_runs() -> None:
    random_state.require_determinism(True)
    try:
        np.testing.assert_array_equal(tf.exp(tf.constant(ROWS)), np.exp(ROWS))
    finally:
        random_state.require_determinism(False)
    assert not large_ops._calls


@pytest.mark.usefixtures("small_is_large")
def test_memory_is_kept_by_one_decision_per_call(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(large_ops.heap, "keep", lambda size: asked.append(size) or True)
    monkeypatch.setattr(large_ops, "HOT_SECONDS", math.inf)
    monkeypatch.setattr(large_ops, "HOT_SECONDS_WITHOUT_JAX", math.inf)
    numbers = [np.ones(16)]
    call = large_ops.Call((), OPS["L2Loss"], numbers, {})
    for _ in range(5):
        call(numbers, {})
    (way,) = call.ways
    assert asked[0] == 128 and way.func is large_ops._keeping_memory
    assert way.args[1].func is large_ops._by_kernel


def test_failing_calls_raise_the_errors_of_the_kernel() -> None:
    x = tf.constant([6, 4, 2, 0])
    for _ in range(3):
        for _ in range(3):
            np.testing.assert_array_equal(12 // (x + 1), 12 // (x.numpy() + 1))
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"[Dd]ivision by zero"):
                x // x
        background.compiler.wait(60)


@pytest.mark.usefixtures("small_is_large")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_processes_run_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    x = tf.constant(ROWS)
    for _ in range(3 * ways.TRIALS):
        result = tf.sigmoid(x)
        background.compiler.wait(60)
    monkeypatch.setattr(background, "forked", True)
    np.testing.assert_allclose(tf.sigmoid(x), result, rtol=1e-6)


def test_single_calls_of_numpy_are_recognised() -> None:
    single = np.dtype(np.float32)
    call = blocks.single_call(OPS["Maximum"].run, [single, single], {})
    assert call is not None and call.function is np.maximum and call.operands == (0, 1)
    relu = blocks.single_call(OPS["Relu"].run, [single], {})
    assert relu is not None and relu.operands == (0, None)
    greater = blocks.single_call(OPS["Greater"].run, [single, single], {})
    assert greater is not None and greater.dtype == np.bool_
    assert blocks.single_call(OPS["Sigmoid"].run, [single], {}) is None
    assert blocks.single_call(OPS["Softsign"].run, [single], {}) is None


def test_blocks_without_temporaries_are_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 4)
    monkeypatch.setattr(threads, "cores", lambda: 2)
    assert [blocks.piece(size) for size in (8, 32, 64, 800)] == [4, 4, 8, 100]
    x = np.arange(64.0)
    with_temporaries, without = blocks.split([x]), blocks.split([x], temporaries=False)
    assert with_temporaries is not None and with_temporaries.step == 4
    assert without is not None and without.step == 8
    call = blocks.single_call(OPS["Neg"].run, [x.dtype], {})
    np.testing.assert_array_equal(blocks.run(OPS["Neg"].run, [x], {}, call), -x)


def test_operands_are_cut_along_the_first_axis_or_flat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 4)
    x, row, number = np.ones((6, 4)), np.ones(4), np.ones(())
    flat = blocks.split([x, number])
    assert flat is not None and flat.shape == (24,) and flat.step == 4
    rows = blocks.split([x, row])
    assert rows is not None and rows.cut == [True, False] and rows.step == 1
    columns = blocks.split([x.T, row[:, None]])
    assert columns is not None and columns.cut == [True, True]
    assert blocks.split([row, row]) is None
    assert blocks.split([np.ones((1, 24)), np.ones(24)]) is None


def test_results_of_large_calls_are_aligned() -> None:
    before = array_memory.align()
    try:
        arrays = [np.ones(size, np.float32) for size in (3, 1000, 100_000, 1_000_000)]
        sums = [array + array for array in arrays]
    finally:
        array_memory.restore(before)
    if array_memory._prepared()[1] is None:
        pytest.skip("NumPy's allocations cannot be aligned here")
    assert not any(address(array) % ALIGNMENT for array in (*arrays, *sums))
    arrays[1].resize(2000, refcheck=False)
    del arrays, sums
    x = tf.zeros([large_ops.ALIGNED + 1])
    assert not address((x + 1.0)._array) % ALIGNMENT
