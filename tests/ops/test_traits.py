"""Every trait that an op declares (`core.traits`) is a law, checked on the op's samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core import dispatch, traits
from tapeflow._src.core.registry import OPS, Op, every
from tapeflow._src.core.registry import op as declare
from tapeflow._src.gradients.vectorize import Vectorizer
from tests.ops.harness import Sample
from tests.ops.running import SAMPLES, attrs_of, run_body

_STATIC = ("Static", "StaticT")


def samples_with(
    *names: str, where: Callable[[Sample], bool] = lambda sample: True
) -> pytest.MarkDecorator:
    """Parametrize a test by the samples of the ops that declare one of the traits."""
    every()
    declared = [s for s in SAMPLES if s.op in OPS and not OPS[s.op].traits.isdisjoint(names)]
    chosen = list(filter(where, declared))
    assert {trait for s in chosen for trait in OPS[s.op].traits} >= set(names)
    return pytest.mark.parametrize("sample", chosen, ids=str)


def with_data(op: Op, sample: Sample, change: Any) -> list[Any]:
    """The inputs, those that are no shapes or axes changed."""
    return [
        value
        if kind in _STATIC
        else [change(v) for v in value]
        if isinstance(value, list)
        else change(value)
        for value, kind in zip(sample.inputs, op.kinds, strict=True)
    ]


def special(array: np.ndarray) -> np.ndarray:
    """NaN, infinities and zeros in turn; the extremes of integers."""
    if array.dtype.kind in "fc":
        values = np.array([np.nan, np.inf, -np.inf, 0.0, -1.0])
    elif array.dtype.kind in "iu":
        limits = np.iinfo(array.dtype)
        values = np.array([limits.min, limits.max, 0], array.dtype)
    else:
        return array
    return np.resize(values, array.shape).astype(array.dtype)


@samples_with(traits.TOTAL, traits.TOTAL_ON_SHAPES)
def test_total_ops_return_a_result_for_special_values(sample: Sample) -> None:
    op = OPS[sample.op]
    expected = [result.shape for result in run_body(op, sample, list(sample.inputs))]
    results = run_body(op, sample, with_data(op, sample, special))
    assert [result.shape for result in results] == expected


def _extremes(array: np.ndarray) -> np.ndarray:
    """The largest finite values of both signs, the smallest and zero, in turn."""
    if array.dtype.kind != "f":
        return array
    limits = np.finfo(array.dtype)
    values = np.array([limits.max, limits.min, limits.tiny, 0.0, -1.0], array.dtype)
    return np.resize(values, array.shape)


@samples_with(traits.KEEPS_FINITE, where=lambda sample: "DstT" not in sample.attrs)
def test_ops_that_keep_finite_values_do(sample: Sample) -> None:
    op = OPS[sample.op]
    for result in run_body(op, sample, with_data(op, sample, _extremes)):
        if result.dtype.kind == "f":
            assert np.isfinite(result).all()


@samples_with(traits.TOTAL)
def test_total_ops_return_a_result_for_empty_inputs(sample: Sample) -> None:
    op = OPS[sample.op]
    empty = with_data(op, sample, lambda array: np.zeros((0, 3), array.dtype))
    assert run_body(op, sample, empty)


@samples_with(traits.EXACT_IN_BATCHES)
def test_batch_rules_return_the_bits_of_each_member(sample: Sample) -> None:
    op = OPS[sample.op]
    members = [_turned(op, sample, by) for by in range(3)]
    mode = Vectorizer(len(members))
    inputs = [
        mode.wrap(tf.constant(np.stack(values)))
        if _is_data(op, index)
        else tf.nest.map_structure(tf.constant, values[0])
        for index, values in enumerate(zip(*members, strict=True))
    ]
    with dispatch.use_mode(mode):
        results = op(*inputs, **attrs_of(op, sample))
    expected = [run_body(op, sample, inputs) for inputs in members]
    for index, result in enumerate([results] if op.single_output else results):
        rows = np.asarray(mode.unwrap(result))
        for row, member in zip(rows, expected, strict=True):
            assert np.asarray(row).tolist() == member[index].tolist()
            assert row.dtype == member[index].dtype


def _turned(op: Op, sample: Sample, by: int) -> list[Any]:
    """The inputs, with the elements of those that are data in another order."""
    return [
        np.roll(value.reshape(-1), by).reshape(value.shape) if _is_data(op, index) else value
        for index, value in enumerate(sample.inputs)
    ]


def _is_data(op: Op, index: int) -> bool:
    """Whether an input differs among the members; in ops with lists only the first does."""
    return op.kinds[index] not in _STATIC and (index == 0 or not op.has_lists)


@samples_with(traits.FORWARDS)
def test_forwarding_ops_return_their_operand(sample: Sample) -> None:
    (result,) = run_body(OPS[sample.op], sample, list(sample.inputs))
    np.testing.assert_array_equal(result, sample.inputs[0])


@samples_with(traits.SHAPE_ONLY, where=lambda sample: "Resource" not in OPS[sample.op].kinds)
def test_ops_that_read_shapes_do_not_read_values(sample: Sample) -> None:
    op = OPS[sample.op]
    zeros = with_data(op, sample, np.zeros_like)
    for result, expected in zip(
        run_body(op, sample, zeros), run_body(op, sample, list(sample.inputs)), strict=True
    ):
        np.testing.assert_array_equal(result, expected)


@samples_with(traits.MOVES)
def test_moving_ops_return_elements_of_their_inputs(sample: Sample) -> None:
    """Also of arrays of objects, which tell of each element where it came from."""
    op = OPS[sample.op]
    count = iter(range(10**6))

    def numbered(array: np.ndarray) -> np.ndarray:
        numbers = np.array([next(count) for _ in range(array.size)], object)
        return numbers.reshape(array.shape)

    labels = with_data(op, sample, numbered)
    kinds = op.kinds
    if "Index" in kinds:  # which elements, not elements
        labels = [v if k == "Index" else x for v, k, x in zip(sample.inputs, kinds, labels)]
    flat = [v for x in labels for v in (x if isinstance(x, list) else [x])]
    values = [v for s in sample.inputs for v in (s if isinstance(s, list) else [s])]
    origin = {
        label: value
        for label_array, value_array in zip(flat, values, strict=True)
        if label_array.dtype == object
        for label, value in zip(label_array.reshape(-1), value_array.reshape(-1), strict=True)
    }
    moved = run_body(op, sample, labels)
    for result, expected in zip(moved, run_body(op, sample, list(sample.inputs)), strict=True):
        assert result.shape == expected.shape
        back = [origin[label] for label in result.reshape(-1).tolist()]
        np.testing.assert_array_equal(np.array(back, expected.dtype), expected.reshape(-1))


def has_one_shape(sample: Sample) -> bool:
    """Whether inputs and result have one shape, or inputs are scalars."""
    shape = sample.inputs[0].shape
    (result,) = run_body(OPS[sample.op], sample, list(sample.inputs))
    inputs = (array.shape in (shape, ()) for array in sample.inputs)
    return bool(shape) and all(inputs) and result.shape == shape


@samples_with(traits.ELEMENTWISE, where=has_one_shape)
def test_elementwise_ops_commute_with_reversing_the_elements(sample: Sample) -> None:
    op = OPS[sample.op]
    (expected,) = run_body(op, sample, list(sample.inputs))
    backwards = [np.flip(array).copy() if array.shape else array for array in sample.inputs]
    (result,) = run_body(op, sample, backwards)
    np.testing.assert_array_equal(np.flip(result), expected)


@samples_with(traits.MAPS_SPARSE_VALUES)
def test_ops_that_map_the_values_of_sparse_tensors_keep_zero(sample: Sample) -> None:
    op = OPS[sample.op]
    (result,) = run_body(op, sample, [np.zeros_like(sample.inputs[0])])
    np.testing.assert_array_equal(result, np.zeros_like(result))


@pytest.mark.parametrize("name", sorted(every()))
def test_the_facts_of_an_op_agree_with_each_other(name: str) -> None:
    op = OPS[name]
    declared = op.traits
    assert declared <= traits.ALL
    assert not {traits.TOTAL, traits.TOTAL_ON_SHAPES} <= declared
    assert not {traits.ELEMENTWISE, traits.NOT_ELEMENTWISE} <= declared
    assert op.display_name and not op.display_name.startswith("_")
    assert set(op.graph_inputs) <= set(op.input_names)
    assert op.holds_bodies == bool({"then_branch", "branches", "body"} & op.attr_set)
    if traits.PROMOTES in declared:
        assert op.kinds == ("T", "T")
    if traits.KEEPS_WEAK in declared:
        assert op.single_output and op.kinds[0] == "T"
    if traits.FOLDS_ON_HOST in declared:
        assert op.host is not None and op.effect is None
    if traits.PACKS in declared:
        assert "packed" in op.kernels and not op.simple
    if traits.SPEAKS in declared:
        assert op.effect is not None
    if {traits.SHAPE_ONLY, traits.LENGTH_ONLY, traits.FORWARDS} & declared:
        assert op.effect in (None, "reads")


def test_an_unknown_trait_is_refused() -> None:
    with pytest.raises(TypeError, match="unknown traits"):
        declare("MadeUp", traits=("made up",))(lambda xp, x: x)
    assert "MadeUp" not in OPS
