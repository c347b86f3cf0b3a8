"""`tf.Variable`: reading, changing, and the rules of its dtype and shape."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

InvalidArgument = tf.errors.InvalidArgumentError


def test_attributes() -> None:
    v = tf.Variable([1.0, 2.0], name="weights", trainable=False)
    assert (v.name, v.dtype, v.trainable) == ("weights:0", tf.float32, False)
    assert v.shape == (2,) and v.get_shape() == (2,)
    assert v.device.endswith("CPU:0") and v.constraint is None and v.initializer is None
    assert v.synchronization is tf.VariableSynchronization.AUTO
    assert v.aggregation is tf.VariableAggregation.NONE
    assert not isinstance(v, tf.Tensor)
    assert v.handle.dtype is tf.resource and v.handle.shape == []
    assert "resource" in repr(v.handle)
    assert tf.Variable(1.0).trainable and tf.Variable(1.0).name == "Variable:0"
    assert bool(v.is_initialized())
    with tf.name_scope("outer"):
        assert tf.Variable(1.0, name="w").name == "outer/w:0"


def test_initial_values() -> None:
    assert tf.Variable(lambda: 3.0).numpy() == 3.0
    assert tf.Variable("abc").dtype is tf.string
    assert tf.Variable(1, dtype=tf.float32).dtype is tf.float32
    other = tf.Variable([1.0])
    assert tf.Variable(other).numpy() == [1.0]
    for nothing in ((), (None,)):
        with pytest.raises(ValueError, match="initial_value"):
            tf.Variable(*nothing)
    with pytest.raises(ValueError, match="received one of dtype"):
        tf.Variable(tf.constant([1.0]), dtype=tf.float64)


def test_a_variable_does_not_share_its_value() -> None:
    source = np.ones(2, np.float32)
    v = tf.Variable(source)
    source[0] = 9.0
    tensor = tf.constant([1.0, 1.0])
    w = tf.Variable(tensor)
    w.assign_add([1.0, 1.0])
    before = w.value()
    w.assign_add([1.0, 1.0])
    w[0].assign(7.0)
    np.testing.assert_array_equal(v.numpy(), [1.0, 1.0])
    np.testing.assert_array_equal(tensor.numpy(), [1.0, 1.0])
    np.testing.assert_array_equal(before.numpy(), [2.0, 2.0])
    np.testing.assert_array_equal(w.numpy(), [7.0, 3.0])
    x = tf.Variable([1.0, 2.0])
    x.assign_add(x)
    y = tf.Variable(x.value())
    y.assign_sub([1.0, 1.0])
    np.testing.assert_array_equal(x.numpy(), [2.0, 4.0])


def test_updates_in_place_when_nobody_looks() -> None:
    v = tf.Variable(np.zeros(1000, np.float32))
    v.assign_add(np.ones(1000, np.float32))
    address = v.value()._array.ctypes.data
    v.assign_add(np.ones(1000, np.float32))
    assert v.value()._array.ctypes.data == address
    np.testing.assert_array_equal(v.numpy(), np.full(1000, 2.0))


def test_assign() -> None:
    v = tf.Variable([1.0, 2.0])
    assert "UnreadVariable" in repr(v.assign([3, 4]))
    np.testing.assert_array_equal(v.numpy(), [3.0, 4.0])
    np.testing.assert_array_equal(v.assign_add([1.0, 1.0]).numpy(), [4.0, 5.0])
    np.testing.assert_array_equal(v.assign_sub([1.0, 1.0]).numpy(), [3.0, 4.0])
    assert v.assign([1.0, 1.0], read_value=False) is None


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (
            lambda v: v.assign([1.0]),
            ValueError,
            r"shape \(1,\) to variable .* \(2,\): the shapes are incompatible",
        ),
        (lambda v: v.assign(tf.constant([1, 2])), ValueError, "Expected a float32 tensor"),
        (lambda v: v.assign(["a", "b"]), TypeError, "Cannot convert"),
        (lambda v: v.assign_add(1.0), InvalidArgument, r"shape \[2\].*shape \[\]"),
        (lambda v: v.assign_sub([1.0, 2.0, 3.0]), InvalidArgument, "AssignSubVariableOp"),
        (lambda v: v.sparse_read([5]), InvalidArgument, r"indices\[0\] = 5 is not in \[0, 2\)"),
        (lambda v: v.scatter_nd_update([[7]], [1.0]), InvalidArgument, "ResourceScatterNdUpdate"),
        (lambda v: v.scatter_add(3.0), TypeError, "IndexedSlices"),
        (lambda v: v[0].assign([1.0, 2.0, 3.0]), InvalidArgument, "ResourceStridedSliceAssign"),
        (lambda v: v.initial_value, RuntimeError, "outside of"),
        (lambda v: v.op, AttributeError, "outside of"),
        (lambda v: len(v), TypeError, "len"),
    ],
)
def test_refused_changes_leave_the_value(change: Any, error: type[Exception], text: str) -> None:
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(error, match=text):
        change(v)
    np.testing.assert_array_equal(v.numpy(), [1.0, 2.0])


def test_shapes_may_be_left_open() -> None:
    v = tf.Variable([1, 2], shape=tf.TensorShape([None]))
    v.assign([1, 2, 3])
    assert v.shape == tf.TensorShape([None]) and v.numpy().shape == (3,)
    with pytest.raises(ValueError, match="incompatible with the argument"):
        tf.Variable([1, 2], shape=[3])
    with pytest.raises(ValueError, match="shapes are incompatible"):
        v.assign([[1]])


SCATTERS = [
    ("scatter_add", [1.0, 12.0, 3.0]),
    ("scatter_sub", [1.0, -8.0, 3.0]),
    ("scatter_mul", [1.0, 50.0, 3.0]),
    ("scatter_div", [1.0, 0.08, 3.0]),
    ("scatter_max", [1.0, 5.0, 3.0]),
    ("scatter_min", [1.0, 2.0, 3.0]),
    ("scatter_update", [1.0, 5.0, 3.0]),
]


@pytest.mark.parametrize(("method", "expected"), SCATTERS)
def test_scatter_rows(method: str, expected: list[float]) -> None:
    v = tf.Variable([1.0, 2.0, 3.0])
    delta = tf.IndexedSlices(tf.constant([5.0, 5.0]), tf.constant([1, 1]))
    np.testing.assert_allclose(getattr(v, method)(delta).numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("scatter_nd_add", [[1.0, 7.0], [3.0, 4.0]]),
        ("scatter_nd_sub", [[1.0, -3.0], [3.0, 4.0]]),
        ("scatter_nd_update", [[1.0, 5.0], [3.0, 4.0]]),
        ("scatter_nd_max", [[1.0, 5.0], [3.0, 4.0]]),
        ("scatter_nd_min", [[1.0, 2.0], [3.0, 4.0]]),
    ],
)
def test_scatter_elements(method: str, expected: list[list[float]]) -> None:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(getattr(v, method)([[0, 1]], [5.0]).numpy(), expected)


def test_slices_are_places() -> None:
    v = tf.Variable([[0.0, 0.0], [0.0, 0.0]])
    v[:, 0].assign([3, 4])
    v[1, 1].assign(5.0)
    np.testing.assert_array_equal(v.numpy(), [[3.0, 0.0], [4.0, 5.0]])
    with tf.GradientTape() as tape:
        y = v[0] * 2.0
    np.testing.assert_array_equal(tape.gradient(y, v).numpy(), [[2.0, 2.0], [0.0, 0.0]])


def test_sparse_reads_have_sparse_gradients() -> None:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = v.sparse_read([1, 1]) * 2.0
    gradient = tape.gradient(y, v)
    assert isinstance(gradient, tf.IndexedSlices)
    np.testing.assert_array_equal(tf.convert_to_tensor(gradient).numpy(), [[0.0, 0.0], [4.0, 4.0]])


def test_as_a_value() -> None:
    v = tf.Variable([1.0, 2.0])
    np.testing.assert_array_equal((v + 1).numpy(), [2.0, 3.0])
    np.testing.assert_array_equal((np.array([1.0, 1.0]) + v).numpy(), [2.0, 3.0])
    np.testing.assert_array_equal((v == v).numpy(), [True, True])
    np.testing.assert_array_equal(np.array(v), [1.0, 2.0])
    assert [float(x) for x in v] == [1.0, 2.0]
    assert int(tf.Variable(1)) == 1 and float(tf.Variable(1.5)) == 1.5 and bool(tf.Variable(1))
    with pytest.raises(TypeError, match=r"variable\.ref\(\)"):
        hash(v)
    assert {v.ref(): 1}[v.ref()] == 1


def test_copies_are_variables_of_their_own() -> None:
    v = tf.Variable([1.0, 2.0], name="v", trainable=False)
    for made in (copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        assert (made.name, made.trainable) == ("v:0", False)
        made.assign([9.0, 9.0])
        np.testing.assert_array_equal(v.numpy(), [1.0, 2.0])


def test_count_up_to() -> None:
    v = tf.Variable(0)
    assert int(v.count_up_to(2)) == 0 and int(v.count_up_to(2)) == 1
    with pytest.raises(tf.errors.OutOfRangeError, match="limit of 2"):
        v.count_up_to(2)


def test_the_operation_of_a_change_is_none_outside_of_graphs() -> None:
    variable = tf.Variable([1.0, 2.0])
    assert variable.assign([1.0, 1.0]).op is None
    assert variable.assign_add([1.0, 1.0]).op is None
    with pytest.raises(AttributeError):
        _ = variable.op


def test_every_variable_has_an_identifier_of_its_own() -> None:
    first, second = tf.Variable(1.0, name="v"), tf.Variable(1.0, name="v")
    assert first._unique_id != second._unique_id
    assert first.assign(2.0)._unique_id == first._unique_id
