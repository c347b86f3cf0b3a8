"""Corner cases of transformations, as TensorFlow 2.21 computes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

Dataset = tf.data.Dataset
v1 = tf.compat.v1


def numbers(dataset: Any) -> list[Any]:
    return [np.asarray(element).tolist() for element in dataset.as_numpy_iterator()]


# -- cardinality -----------------------------------------------------------------------------------


def test_groups_and_samples_of_endless_datasets_have_no_end() -> None:
    endless, short = Dataset.range(5).repeat(), Dataset.range(3)
    groups = endless.group_by_window(lambda x: x % 2, lambda _, group: group.batch(2), 2)
    assert int(groups.cardinality()) == tf.data.INFINITE_CARDINALITY
    sampled = Dataset.sample_from_datasets([endless, endless])
    assert int(sampled.cardinality()) == tf.data.INFINITE_CARDINALITY
    stopping = Dataset.sample_from_datasets([endless, short], stop_on_empty_dataset=True)
    assert int(stopping.cardinality()) == tf.data.UNKNOWN_CARDINALITY


def test_endless_datasets_have_no_elements_by_index() -> None:
    with pytest.raises(tf.errors.FailedPreconditionError):
        tf.data.experimental.at(Dataset.range(3).repeat(), 0)


# -- grouping --------------------------------------------------------------------------------------


def test_keys_and_window_sizes_may_be_python_numbers() -> None:
    groups = Dataset.range(4).group_by_window(
        lambda _: 0, lambda _, group: group.batch(4), window_size_func=lambda _: 3
    )
    assert numbers(groups) == [[0, 1, 2], [3]]
    with pytest.raises(ValueError, match="int64"):
        Dataset.range(4).group_by_window(
            lambda _: tf.constant(0, tf.int32), lambda _, group: group.batch(4), 3
        )


def test_padding_to_a_boundary_needs_one_for_every_length() -> None:
    dataset = Dataset.from_generator(
        lambda: iter([[1], [1, 1], [1] * 9]), output_signature=tf.TensorSpec([None], tf.int64)
    ).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [4], [2, 1], pad_to_bucket_boundary=True)
    iterator = iter(dataset)
    assert next(iterator).numpy().tolist() == [[1, 0, 0], [1, 1, 0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="bucket_boundaries"):
        next(iterator)


# -- sampling --------------------------------------------------------------------------------------


def test_datasets_without_weight_are_never_read() -> None:
    one, other = Dataset.from_tensors(-1).repeat(2), Dataset.from_tensors(1).repeat(2)
    options = {"stop_on_empty_dataset": True}
    assert numbers(Dataset.sample_from_datasets([one, other], [0.0, 1.0], **options)) == [1, 1]
    assert numbers(Dataset.sample_from_datasets([one, other], np.zeros(2), **options)) == []


def test_weights_may_be_a_dataset() -> None:
    weights = Dataset.from_tensor_slices([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    sources = [Dataset.from_tensors(-1).repeat(), Dataset.from_tensors(1).repeat()]
    assert numbers(Dataset.sample_from_datasets(sources, weights)) == [1, -1, 1]


def test_weights_are_floating_point_numbers_one_each() -> None:
    sources = [Dataset.range(3), Dataset.range(4)]
    with pytest.raises(TypeError, match="float32 or"):
        Dataset.sample_from_datasets(sources, [1, 1])
    with pytest.raises(ValueError, match="one number for each"):
        Dataset.sample_from_datasets(sources, [0.5, 0.25, 0.25])
    with pytest.raises(ValueError, match="one number for each"):
        Dataset.sample_from_datasets(sources, Dataset.from_tensors([1.0, 2.0, 3.0]))


# -- batches ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([1, 1, 1, 1, 0], [[0], [1], [2], [3], [], [4], [5], [6], [7], []]),
        ([4, 0], [[0, 1, 2, 3], [], [4, 5, 6, 7], []]),
        ([0, 4], [[], [0, 1, 2, 3], [], [4, 5, 6, 7], []]),
    ],
)
@pytest.mark.parametrize("drop_remainder", [False, True])
def test_batches_of_no_slices_are_empty(sizes: Any, expected: Any, drop_remainder: bool) -> None:
    dataset = Dataset.range(8).batch(4, drop_remainder=True).rebatch(sizes, drop_remainder)
    assert dataset.element_spec.shape.as_list() == [None]
    assert numbers(dataset) == expected


def test_sizes_that_divide_a_batch_are_static() -> None:
    four = Dataset.range(8).batch(4, drop_remainder=True)
    assert four.rebatch(2).element_spec.shape.as_list() == [2]
    assert four.rebatch([2, 2]).element_spec.shape.as_list() == [2]
    assert four.rebatch(3).element_spec.shape.as_list() == [None]
    assert Dataset.range(8).batch(4).rebatch(2).element_spec.shape.as_list() == [None]


def test_sparse_values_are_sparse_tensors_in_elements() -> None:
    def sparse(i: Any) -> Any:
        indices = tf.expand_dims(tf.range(i, dtype=tf.int64), 1)
        return v1.SparseTensorValue(indices, tf.fill([tf.cast(i, tf.int32)], i), [i])

    dataset = Dataset.range(4).map(sparse)
    assert isinstance(dataset.element_spec, tf.SparseTensorSpec)
    (batch,) = dataset.batch(4)
    assert tf.sparse.to_dense(batch).numpy().tolist() == [
        [0, 0, 0],
        [1, 0, 0],
        [2, 2, 0],
        [3, 3, 3],
    ]


# -- errors in a component -------------------------------------------------------------------------


def test_an_error_uses_up_the_whole_element_of_a_zip() -> None:
    numbers_ = Dataset.from_tensor_slices([1.0, 2.0, 0.0, 4.0])
    checked = numbers_.map(lambda x: tf.debugging.check_numerics(1.0 / x, "not finite"))
    pairs = Dataset.zip((checked, numbers_)).ignore_errors()
    assert list(pairs.as_numpy_iterator()) == [(1.0, 1.0), (0.5, 2.0), (0.25, 4.0)]


# -- arguments -------------------------------------------------------------------------------------


def test_seeds_may_be_tensors_of_a_graph() -> None:
    eager = numbers(Dataset.range(9).shuffle(5, seed=7))

    @tf.function
    def shuffled(seed: Any) -> Any:
        return Dataset.range(9).shuffle(5, seed=seed).batch(9).get_single_element()

    tf.random.set_seed(None)
    assert sorted(eager) == list(range(9))
    assert shuffled(tf.constant(7)).numpy().tolist() == numbers(Dataset.range(9).shuffle(5, seed=7))


def test_names_of_files_may_be_paths(tmp_path: Path) -> None:
    path = tmp_path / "lines.csv"
    path.write_text("1\n2\n")
    assert numbers(tf.data.TextLineDataset(path)) == [b"1", b"2"]
    assert numbers(tf.data.TextLineDataset([path, path])) == [b"1", b"2"] * 2
    assert numbers(tf.data.experimental.CsvDataset(path, [tf.int32])) == [[1], [2]]


# -- options ---------------------------------------------------------------------------------------


def test_options_of_a_dataset_cannot_be_changed() -> None:
    options = tf.data.Options()
    options.deterministic = True
    own = Dataset.range(3).with_options(options).options()
    with pytest.raises(ValueError, match="with_options"):
        own.deterministic = False
    with pytest.raises(ValueError, match="with_options"):
        own.threading.private_threadpool_size = 1
    options.deterministic = False
    assert own.deterministic


def test_lists_of_options_are_joined() -> None:
    one, other = tf.data.Options(), tf.data.Options()
    one.framework_type, other.framework_type = ["a"], ["b"]
    assert Dataset.range(3).with_options(one).with_options(other).options().framework_type == [
        "a",
        "b",
    ]


# -- optionals -------------------------------------------------------------------------------------


def test_optionals_are_added_and_have_zeros() -> None:
    one = tf.experimental.Optional.from_value((tf.constant(2.0), tf.constant([3])))
    two = tf.raw_ops.AddN(inputs=[one._variant_tensor, one._variant_tensor])
    zeros = tf.zeros_like(one._variant_tensor)
    for variant, expected in ((two, (4.0, [6])), (zeros, (0.0, [0]))):
        values = type(one)._of(variant, one.element_spec).get_value()
        assert (values[0].numpy(), values[1].numpy().tolist()) == expected
    empty = tf.experimental.Optional.empty(one.element_spec)._variant_tensor
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.raw_ops.AddN(inputs=[one._variant_tensor, empty])


# -- positions -------------------------------------------------------------------------------------


def test_numpy_iterators_are_part_of_checkpoints(tmp_path: Path) -> None:
    dataset = Dataset.range(9).shuffle(4, seed=1)
    iterator = dataset.as_numpy_iterator()
    for _ in range(3):
        next(iterator)
    path = tf.train.Checkpoint(iterator=iterator).save(tmp_path / "position")
    rest = list(iterator)
    again = dataset.as_numpy_iterator()
    tf.train.Checkpoint(iterator=again).restore(path)
    assert list(again) == rest


# -- specs as messages -----------------------------------------------------------------------------


def test_specs_of_datasets_and_iterators_are_messages_and_back() -> None:
    element = {"a": tf.TensorSpec([None, 2], tf.float32)}
    for spec in (tf.data.DatasetSpec(element), tf.data.IteratorSpec(element)):
        message = spec.experimental_as_proto()
        assert isinstance(message, spec.experimental_type_proto())
        assert message.type_spec_class_name == type(spec).__name__
        assert type(spec).experimental_from_proto(message) == spec
