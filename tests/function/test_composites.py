"""Specs of composites, as arguments and results of functions, and `tf.type_spec_from_value`."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

Spec = tf.TensorSpec
I32, I64, F32 = tf.int32, tf.int64, tf.float32


@pytest.mark.parametrize(
    ("spec", "components"),
    [
        (tf.RaggedTensorSpec([2, None], I32), (Spec([None], I32), Spec([3], I64))),
        (
            tf.RaggedTensorSpec([2, None, 3], F32, 2, I32),
            (Spec([None], F32), Spec([3], I32), Spec([None], I32)),
        ),
        (tf.RaggedTensorSpec([2, None, 3], F32, 1), (Spec([None, 3], F32), Spec([3], I64))),
        (tf.RaggedTensorSpec([2, 3], I32, 0), (Spec([2, 3], I32),)),
        (
            tf.SparseTensorSpec([None, 2], I32),
            (Spec([None, 2], I64), Spec([None], I32), Spec([2], I64)),
        ),
        (tf.SparseTensorSpec(), (Spec([None, None], I64), Spec([None]), Spec([None], I64))),
        (
            tf.IndexedSlicesSpec([5, 3], F32, I32, I32, [2]),
            (Spec([2, 3]), Spec([2], I32), Spec([2], I32)),
        ),
        (tf.IndexedSlicesSpec(), (Spec(None), Spec([None], I64))),
    ],
    ids=repr,
)
def test_components(spec, components):
    assert spec._component_specs == components
    assert spec.flatten() == list(components)


def test_ragged_specs():
    wide, narrow = tf.RaggedTensorSpec([None, None], I32), tf.RaggedTensorSpec([2, None], I32)
    assert repr(wide) == "RaggedTensorSpec(TensorShape([None, None]), tf.int32, 1, tf.int64)"
    assert narrow.is_subtype_of(wide)
    assert not wide.is_subtype_of(narrow)
    assert narrow.most_specific_common_supertype([tf.RaggedTensorSpec([3, None], I32)]) == wide
    assert wide.value_type is tf.RaggedTensor
    assert tf.RaggedTensorSpec([2, 3], I32, 0).value_type is tf.Tensor
    assert wide.is_compatible_with(tf.ragged.constant([[1], [2, 3]]))
    assert tf.RaggedTensorSpec.from_value(tf.ragged.constant([[1]])) == tf.RaggedTensorSpec(
        [1, None], I32
    )
    with pytest.raises(ValueError, match="needs ragged_rank"):
        tf.RaggedTensorSpec()
    with pytest.raises(ValueError, match="must be below the rank"):
        tf.RaggedTensorSpec([2], ragged_rank=1)


class TestInFunctions:
    def test_ragged(self):
        seen = []

        @tf.function
        def function(r):
            seen.append((r.shape.as_list(), r.row_splits.shape, r.flat_values.shape))
            return r

        assert function(tf.ragged.constant([[1], [2, 3]])).to_list() == [[1], [2, 3]]
        assert seen == [([2, None], [3], [None])]
        assert function(tf.ragged.constant([[1, 2, 3], []])).to_list() == [[1, 2, 3], []]
        assert len(seen) == 1

    def test_sparse(self):
        seen = []

        @tf.function
        def function(s):
            seen.append(s.shape)
            return s.with_values(s.values * 2)

        for _ in range(2):
            result = function(tf.SparseTensor([[0, 1]], [3], [1, 2]))
            assert result.values.numpy().tolist() == [6]
            assert result.dense_shape.numpy().tolist() == [1, 2]
        assert seen == [[1, 2]]

    @pytest.mark.parametrize("dense_shape", [None, [3, 1]])
    def test_indexed_slices(self, dense_shape):
        slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), dense_shape)
        function = tf.function(lambda s: -s)
        for _ in range(2):
            result = function(slices)
            assert result.values.numpy().tolist() == [[-1]]
            assert (result.dense_shape is None) == (dense_shape is None)
        assert function.experimental_get_tracing_count() == 1


@pytest.mark.parametrize(
    ("value", "spec"),
    [
        (tf.constant([1, 2, 3]), Spec([3], I32)),
        (np.array([4.0, 5.0]), Spec([2], tf.float64)),
        (1, Spec([], I32)),
        (1.5, Spec([], F32)),
        ("a", Spec([], tf.string)),
        ([1, 2], Spec([2], I32)),
        (None, tf.NoneTensorSpec()),
        (tf.ragged.constant([[1, 2], [3]]), tf.RaggedTensorSpec([2, None], I32)),
        (tf.SparseTensor([[0, 1]], [3], [1, 2]), tf.SparseTensorSpec([1, 2], I32)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_spec_of_a_value(value, spec):
    assert tf.type_spec_from_value(value) == spec


def test_the_spec_of_a_variable():
    assert repr(tf.type_spec_from_value(tf.Variable(1.0))) == (
        "VariableSpec(shape=(), dtype=tf.float32, trainable=True, alias_id=None)"
    )


@pytest.mark.parametrize(
    "value", [object(), [1, "a"], {"a": 1}, Spec([])], ids=["a", "b", "c", "d"]
)
def test_values_without_a_spec(value):
    with pytest.raises(TypeError, match="no TypeSpec for"):
        tf.type_spec_from_value(value)
