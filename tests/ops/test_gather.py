"""Gathering: against NumPy, out of range, and gradients where shapes are unknown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.backends import jax as jax_backend
from tapeflow._src.core.registry import OPS
from tests.ops.hidden import Formless, Hidden, hidden

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def gradient(dz: Any, shape: Any, indices: Any, axis: Any, batch_dims: int = 0) -> Any:
    rule = OPS["GatherV2"].gradient_rule.fn
    found, *_ = rule(dz, shape_of_params=shape, indices=indices, axis=axis, batch_dims=batch_dims)
    return found


@pytest.mark.parametrize(
    ("indices", "axis", "batch_dims"),
    [
        ([1, 0, 1], 1, 0),
        ([[1, 0], [2, 2]], 1, 0),
        (3, 2, 0),
        ([[1, 0], [2, 2]], 1, 1),
        ([[1, 0], [3, 2]], 2, 1),
        ([[1, 0, 0], [2, 2, 1]], 2, 2),
    ],
    ids=range(6),
)
def test_gradient_does_not_need_shapes(indices: Any, axis: int, batch_dims: int) -> None:
    x, places = tf.constant(X), tf.constant(indices)
    with tf.GradientTape() as tape:
        tape.watch(x)
        picked = tf.gather(x, places, axis=axis, batch_dims=batch_dims)
        total = picked * tf.reshape(tf.range(1.0, tf.size(picked) + 1), tf.shape(picked))
    expected = tape.gradient(total, x)
    seed = np.arange(1.0, picked.numpy().size + 1, dtype=np.float32).reshape(picked.shape)
    unknown = gradient(Hidden(seed), hidden(X.shape), hidden(indices), hidden(axis), batch_dims)
    np.testing.assert_array_equal(unknown, expected)
    negative = gradient(
        Hidden(seed), hidden(X.shape), hidden(indices), hidden(axis - 3), batch_dims
    )
    np.testing.assert_array_equal(negative, expected)


def test_gradient_of_unknown_ranks() -> None:
    seed = np.ones((2, 2, 4), np.float32)
    found = gradient(Formless(seed), hidden(X.shape), Formless(np.array([1, 1])), hidden(1))
    assert found.numpy()[:, 1].tolist() == [[2] * 4] * 2
    places = Formless(np.array([[1, 1], [0, 2]]))
    found = gradient(Formless(seed), hidden(X.shape), places, hidden(1), 1)
    assert found.numpy()[..., 0].tolist() == [[0, 2, 0], [1, 0, 1]]


def test_rows_make_a_sparse_gradient() -> None:
    found = gradient(Hidden(X[[1, 1]]), hidden(X.shape), hidden([1, 1]), tf.constant(0))
    assert isinstance(found, tf.IndexedSlices)
    assert tf.convert_to_tensor(found).numpy()[1].sum() == 2 * X[1].sum()


def test_rows_without_columns() -> None:
    found = gradient(tf.zeros([3, 0]), tf.constant([2, 0]), tf.constant([0, 1, 0]), tf.constant(0))
    assert found.values.shape == (3, 0)


@pytest.mark.parametrize(
    ("indices", "message"),
    [
        ([0, 3], r"indices\[1\] = 3 is not in \[0, 3\)"),
        ([[0, 1], [2, -1]], r"indices\[1,1\] = -1 is not in \[0, 3\)"),
        (-1, r"indices = -1 is not in \[0, 3\)"),
        (np.array([2**40]), r"indices\[0\] = 1099511627776 is not in"),
    ],
    ids=range(4),
)
def test_indices_out_of_range(indices: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.gather([1, 2, 3], indices)


@pytest.mark.parametrize("indices", [[0, 3], [-1, 0]], ids=str)
def test_compiled_code_notices_too(indices: list[int]) -> None:
    with jax_backend.collect_failures() as failures:
        OPS["GatherV2"].body(jax_backend, X, np.array(indices), np.array(1), batch_dims=0)
    assert any(bool(failed) for failed in failures)


def test_explicit_first_axis_leaves_no_batch() -> None:
    assert tf.gather(X, [[0], [1]], axis=0, batch_dims=1).shape == (2, 1, 3, 4)


def test_short_integers_index() -> None:
    assert tf.gather([1, 2], tf.constant([1], tf.int16)).numpy().tolist() == [2]
    assert tf.gather_nd([1, 2], tf.constant([[1]], tf.int16)).numpy().tolist() == [2]


def test_a_variable_is_read_by_rows() -> None:
    variable = tf.Variable(X)
    with tf.GradientTape() as tape:
        rows = tf.gather(variable, [1, 1])
    assert isinstance(tape.gradient(rows, variable), tf.IndexedSlices)


# -- by coordinates ----------------------------------------------------------------------------


def test_coordinates_of_batches() -> None:
    indices = [[[0, 1]], [[2, 3]]]
    assert tf.gather_nd(X, indices, batch_dims=1).numpy().tolist() == [[1], [23]]
    with pytest.raises(ValueError, match=r"must be below the rank of indices"):
        tf.gather_nd(X, indices[0], batch_dims=2)
    with pytest.raises(ValueError, match="batch_dims must be 0 or more"):
        tf.gather_nd(X, indices, batch_dims=-1)


def test_coordinates_out_of_range() -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"indices\[0,1\] = \[0, 5\] does not index into param shape \[2,3,4\]",
    ):
        tf.gather_nd(X, [[[0, 0], [0, 5]]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="saw: 3 vs"):
        tf.gather_nd(X[0], [[0, 0, 0]])


def test_coordinates_out_of_range_can_be_ignored() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        found = tf.gather_nd(x, [[1], [9], [-1]], bad_indices_policy="IGNORE")
    assert found.numpy().tolist() == [2, 0, 0]
    assert tape.gradient(found, x).numpy().tolist() == [0, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unknown bad indices handling"):
        tf.gather_nd(x, [[0]], bad_indices_policy="GUESS")


def test_single_coordinates_make_a_sparse_gradient() -> None:
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        rows = tf.gather_nd(x, [[1], [1]])
    found = tape.gradient(rows, x)
    assert isinstance(found, tf.IndexedSlices)
    assert found.indices.numpy().tolist() == [1, 1]


# -- sorting rows ------------------------------------------------------------------------------


def test_partition_and_stitch_undo_each_other() -> None:
    rows = tf.reshape(tf.range(12.0), [6, 2])
    numbers = [2, 0, 1, 0, 2, 2]
    parts = tf.dynamic_partition(rows, numbers, 3)
    places = tf.dynamic_partition(tf.range(6), numbers, 3)
    np.testing.assert_array_equal(tf.dynamic_stitch(places, parts), rows)


def test_partitions_out_of_range() -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"partitions\[1,0\] = 2 is not in \[0, 2\)"
    ):
        tf.dynamic_partition([[1], [2]], [[0], [2]], 2)


def test_stitching_later_ones_win() -> None:
    assert tf.dynamic_stitch([[0, 0], [0]], [[1, 2], [3]]).numpy().tolist() == [3]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] is out of range"):
        tf.dynamic_stitch([[0], [-1]], [[1], [2]])
