"""Specs of ragged, sparse and other composite values stand for them in nested structures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


def values() -> dict[str, Any]:
    return {
        "ragged": tf.ragged.constant([[1, 2], [3]]),
        "ragged twice": tf.ragged.constant([[[1.0], []], [[2.0, 3.0]]]),
        "sparse": tf.sparse.from_dense([1, 0, 2]),
        "slices": tf.IndexedSlices(tf.constant([1.0]), tf.constant([2])),
        "shaped slices": tf.IndexedSlices(
            tf.constant([1.0]), tf.constant([2]), dense_shape=tf.constant([5])
        ),
        "extension": Masked(tf.constant([1.0]), tf.constant([True])),
    }


VALUES = values()


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("traced", [False, True])
def test_a_spec_is_packed_with_the_tensors_of_a_value(name: str, traced: bool) -> None:
    def program() -> Any:
        value = values()[name]
        spec = tf.type_spec_from_value(value)
        leaves = tf.nest.flatten([value, 7], expand_composites=True)
        specs = tf.nest.flatten([spec, 7], expand_composites=True)
        assert len(specs) == len(leaves)
        for leaf, described in zip(leaves[:-1], specs[:-1], strict=True):
            assert described.is_compatible_with(leaf)
        packed, seven = tf.nest.pack_sequence_as([spec, 7], leaves, expand_composites=True)
        assert (type(packed), seven) == (type(value), 7)
        return tf.nest.flatten(packed, expand_composites=True)

    parts = (tf.function(program, autograph=False) if traced else program)()
    expected = tf.nest.flatten(values()[name], expand_composites=True)
    for part, wanted in zip(parts, expected, strict=True):
        np.testing.assert_array_equal(part, wanted)


@pytest.mark.parametrize("name", VALUES)
def test_a_spec_is_a_leaf_where_composites_are(name: str) -> None:
    spec = tf.type_spec_from_value(VALUES[name])
    assert tf.nest.flatten([spec]) == [spec]
    assert not tf.nest.is_nested(spec)
    with pytest.raises(ValueError, match="atoms, but flat_sequence had 1 items"):
        tf.nest.pack_sequence_as(spec, [1], expand_composites=True)


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("other", VALUES)
def test_values_have_the_structure_of_their_specs(name: str, other: str) -> None:
    value, spec = VALUES[name], tf.type_spec_from_value(VALUES[other])
    for pair in ((value, spec), (spec, value), ([value], [spec])):
        if name == other:
            tf.nest.assert_same_structure(*pair, expand_composites=True)
        else:
            with pytest.raises(ValueError, match="The structures differ"):
                tf.nest.assert_same_structure(*pair, expand_composites=True)


def test_what_a_spec_says_of_the_structure() -> None:
    ragged = tf.ragged.constant([[1, 2], [3]])
    fits = tf.RaggedTensorSpec(None, tf.int32, ragged_rank=1)
    tf.nest.assert_same_structure(ragged, fits, expand_composites=True)
    for spec in (
        tf.RaggedTensorSpec([None, None], tf.float32),
        tf.RaggedTensorSpec([None, None], tf.int32, row_splits_dtype=tf.int32),
        tf.TensorSpec([], tf.int32),
    ):
        with pytest.raises(ValueError, match="The structures differ"):
            tf.nest.assert_same_structure(ragged, spec, expand_composites=True)


def test_mapping_over_specs_and_values_together() -> None:
    ragged = tf.ragged.constant([[1, 2], [3]])
    spec = tf.type_spec_from_value(ragged)
    same = tf.nest.map_structure(lambda _, part: part, spec, ragged, expand_composites=True)
    assert isinstance(same, tf.RaggedTensor)
    assert same.to_list() == ragged.to_list()
