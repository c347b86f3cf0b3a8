"""What datasets are made into, against plain Python."""

from __future__ import annotations

import math
from itertools import chain, product
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.data.helpers import Dataset, elements

SIZES = (0, 1, 2, 5, 9)


def grid(*values: Any) -> list[Any]:
    """All combinations."""
    return list(product(*values))


def joined(lists: Any) -> list[Any]:
    """Lists one after the other."""
    return list(chain.from_iterable(lists))


def sources(count: int) -> list[Any]:
    """The same numbers, in a table and made one by one."""
    return [Dataset.range(count), Dataset.range(count).map(lambda x: x)]


# -- batches ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "size", "drop"), grid(SIZES, (1, 2, 3, 10), (False, True)))
def test_batches(count: int, size: int, drop: bool) -> None:
    numbers = list(range(count))
    expected = [numbers[i : i + size] for i in range(0, count, size)]
    if drop and expected and len(expected[-1]) < size:
        expected.pop()
    for source in sources(count):
        dataset = source.batch(size, drop_remainder=drop)
        assert elements(dataset) == expected
        assert len(dataset) == len(expected)
        assert dataset.element_spec.shape == [size if drop else None]
        left = joined(expected)
        assert elements(dataset.unbatch()) == left
        assert elements(dataset.rebatch(2)) == [left[i : i + 2] for i in range(0, len(left), 2)]


def test_batches_of_strings_and_of_rows() -> None:
    dataset = Dataset.from_tensor_slices((["a", "b", "c"], np.arange(6).reshape(3, 2)))
    expected = [([b"a", b"b"], [[0, 1], [2, 3]]), ([b"c"], [[4, 5]])]
    assert elements(dataset.batch(2)) == expected
    assert elements(dataset.map(lambda a, b: (a, b)).batch(2)) == expected


def test_elements_of_different_shapes_make_no_batch() -> None:
    dataset = Dataset.range(3).map(lambda n: tf.fill([n], 0))
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"shape \[0\] and element 1 had shape"
    ):
        elements(dataset.batch(2))
    batches = Dataset.range(1, 3).map(lambda n: tf.fill([1, n], 0)).unbatch()
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"shape \[1\] and element 1 had shape"
    ):
        elements(batches.batch(2))


def test_padded_batches() -> None:
    vectors = Dataset.range(1, 5, output_type=tf.int32).map(lambda x: tf.fill([x], x))
    assert elements(vectors.padded_batch(2)) == [
        [[1, 0], [2, 2]],
        [[3, 3, 3, 0], [4, 4, 4, 4]],
    ]
    dataset = vectors.padded_batch(3, padded_shapes=5, padding_values=-1, drop_remainder=True)
    assert dataset.element_spec == tf.TensorSpec([3, 5], tf.int32)
    assert elements(dataset)[0][2] == [3, 3, 3, -1, -1]
    both = Dataset.zip(vectors, Dataset.from_tensor_slices(list("abcd")))
    assert elements(both.padded_batch(4, ([None], []))) == [
        ([[1, 0, 0, 0], [2, 2, 0, 0], [3, 3, 3, 0], [4, 4, 4, 4]], [b"a", b"b", b"c", b"d"])
    ]
    unknown = Dataset.from_generator(lambda: [[1, 2], [3]], tf.int32)
    with pytest.raises(tf.errors.DataLossError, match="smaller size"):
        elements(unknown.padded_batch(2, padded_shapes=[1]))


@pytest.mark.parametrize(
    ("size", "shift", "stride", "drop"), grid((1, 2, 3), (1, 2, 5), (1, 2), (False, True))
)
def test_windows(size: int, shift: int, stride: int, drop: bool) -> None:
    numbers = list(range(7))
    expected = [numbers[i : i + (size - 1) * stride + 1 : stride] for i in range(0, 7, shift)]
    if drop:
        expected = [window for window in expected if len(window) == size]
    dataset = Dataset.range(7).window(size, shift, stride, drop_remainder=drop)
    assert [elements(window) for window in dataset] == expected
    assert len(dataset) == len(expected)


def test_each_component_of_a_window_is_a_dataset() -> None:
    dataset = Dataset.from_tensor_slices({"a": [1, 2, 3], "b": [4, 5, 6]}).window(2)
    found = [{key: elements(part) for key, part in window.items()} for window in dataset]
    assert found == [{"a": [1, 2], "b": [4, 5]}, {"a": [3], "b": [6]}]
    pairs = dataset.flat_map(lambda w: Dataset.zip((w["a"].batch(2), w["b"].batch(2))))
    assert elements(pairs) == [([1, 2], [4, 5]), ([3], [6])]


def test_buckets() -> None:
    vectors = Dataset.from_tensor_slices([3, 1, 7, 2, 8, 4]).map(lambda n: tf.fill([n], n))
    dataset = vectors.bucket_by_sequence_length(lambda v: tf.shape(v)[0], [3, 6], [2, 2, 2])
    shapes = [batch.shape for batch in dataset]
    assert shapes == [(2, 2), (2, 8), (2, 4)]
    bounded = vectors.bucket_by_sequence_length(
        lambda v: tf.shape(v)[0], [3, 10], [2, 2, 2], pad_to_bucket_boundary=True
    )
    assert sorted({tuple(batch.shape) for batch in bounded}) == [(2, 2), (2, 9)]


# -- parts and repetitions ----------------------------------------------------------------------


@pytest.mark.parametrize(("count", "taken"), grid(SIZES, (-1, 0, 1, 3, 20)))
def test_take_and_skip(count: int, taken: int) -> None:
    numbers = list(range(count))
    for source in sources(count):
        assert elements(source.take(taken)) == (numbers if taken < 0 else numbers[:taken])
        assert elements(source.skip(taken)) == ([] if taken < 0 else numbers[taken:])
        assert len(source.skip(taken).take(2)) == len(elements(source.skip(taken).take(2)))


@pytest.mark.parametrize(("count", "shards"), grid(SIZES, (1, 2, 3)))
def test_shards(count: int, shards: int) -> None:
    for source in sources(count):
        for index in range(shards):
            dataset = source.shard(shards, index)
            assert elements(dataset) == list(range(index, count, shards))
            assert len(dataset) == len(range(index, count, shards))


@pytest.mark.parametrize(("count", "times", "size"), grid(SIZES, (0, 1, 3), (1, 2, 4)))
def test_repetitions(count: int, times: int, size: int) -> None:
    expected = list(range(count)) * times
    for source in sources(count):
        assert elements(source.repeat(times)) == expected
        batches = [expected[i : i + size] for i in range(0, len(expected), size)]
        assert elements(source.repeat(times).batch(size)) == batches
        assert len(source.repeat(times)) == len(expected)


def test_nothing_is_not_repeated_for_ever() -> None:
    assert elements(Dataset.range(0).repeat()) == []
    assert elements(Dataset.range(0).repeat().batch(2)) == []
    assert elements(Dataset.range(2).repeat().take(5)) == [0, 1, 0, 1, 0]


# -- several ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("first", "second", "size"), grid(SIZES, SIZES, (1, 3)))
def test_zip_and_concatenate(first: int, second: int, size: int) -> None:
    for a, b in grid(sources(first), sources(second)):
        pairs = Dataset.zip(a, b)
        assert elements(pairs) == list(zip(range(first), range(second)))
        assert sum(len(x) for x, _ in elements(pairs.batch(size))) == min(first, second)
        both = a.concatenate(b)
        numbers = [*range(first), *range(second)]
        assert elements(both) == numbers
        assert joined(elements(both.batch(size))) == numbers


def test_zip_keeps_the_structure() -> None:
    a, b = Dataset.range(2), Dataset.range(5, 9)
    assert elements(Dataset.zip({"a": a, "b": (b, a)})) == [
        {"a": 0, "b": (5, 0)},
        {"a": 1, "b": (6, 1)},
    ]
    assert elements(Dataset.zip(datasets=(a,))) == [(0,), (1,)]
    for wrong in ([a], 3, ()):
        with pytest.raises((TypeError, ValueError)):
            Dataset.zip(wrong)


def test_concatenated_elements_have_what_both_share() -> None:
    dataset = Dataset.from_tensors([1]).concatenate(Dataset.from_tensors([1, 2]))
    assert dataset.element_spec == tf.TensorSpec([None], tf.int32)
    with pytest.raises(TypeError, match="Incompatible dataset elements"):
        Dataset.range(2).concatenate(Dataset.from_tensors(1.5))


def test_choices() -> None:
    datasets = [Dataset.range(3), Dataset.range(10, 12)]
    choice = Dataset.from_tensor_slices(np.array([0, 1, 1, 1, 0, 0, 0], np.int64))
    assert elements(Dataset.choose_from_datasets(datasets, choice)) == [0, 10, 11]
    found = Dataset.choose_from_datasets(datasets, choice, stop_on_empty_dataset=False)
    assert elements(found) == [0, 10, 11, 1, 2]


def interleaved(lists: list[list[int]], cycle: int, block: int) -> list[int]:
    """The order of `interleave`, written down plainly."""
    waiting, slots, found = [list(each) for each in lists], [], []
    slots = [None] * cycle
    turn = 0
    while waiting or any(slot is not None for slot in slots):
        if slots[turn] is None and waiting:
            slots[turn] = waiting.pop(0)
        slot = slots[turn]
        if slot is not None:
            found += slot[:block]
            if len(slot) < block:
                slots[turn] = None
            else:
                slots[turn] = slot[block:]
        turn = (turn + 1) % cycle
    return found


@pytest.mark.parametrize(("cycle", "block"), grid((1, 2, 3, 10), (1, 2, 3)))
def test_interleaved(cycle: int, block: int) -> None:
    lists = [[10 * n + i for i in range(n % 4)] for n in range(7)]
    source = Dataset.range(7)
    make = lambda n: Dataset.range(10 * n, 10 * n + n % 4)  # noqa: E731
    expected = interleaved(lists, cycle, block)
    assert elements(source.interleave(make, cycle, block)) == expected
    parallel = source.interleave(make, cycle, block, num_parallel_calls=tf.data.AUTOTUNE)
    assert elements(parallel) == expected
    assert elements(source.flat_map(make)) == joined(lists)


# -- the rest -----------------------------------------------------------------------------------


def test_groups_come_when_they_are_full_and_the_rest_at_the_end() -> None:
    dataset = Dataset.range(10).group_by_window(
        key_func=lambda x: x % 3, reduce_func=lambda key, group: group.batch(2), window_size=2
    )
    assert elements(dataset) == [[0, 3], [1, 4], [2, 5], [6, 9], [7], [8]]
    sized = Dataset.range(6).group_by_window(
        lambda x: x % 2, lambda key, group: group.batch(9), window_size_func=lambda key: key + 1
    )
    assert elements(sized) == [[0], [2], [1, 3], [4], [5]]


def test_states_of_scan_and_reduce() -> None:
    dataset = Dataset.range(1, 6)
    sums = dataset.scan(np.int64(0), lambda s, x: (s + x, (s, x)))
    assert elements(sums)[-1] == (10, 5)
    assert int(dataset.reduce(np.int64(1), lambda s, x: s * x)) == math.factorial(5)
    count, total = dataset.reduce((0, np.int64(0)), lambda s, x: (s[0] + 1, s[1] + x))
    assert (int(count), int(total)) == (5, 15)
    grown = dataset.reduce(tf.zeros([0], tf.int64), lambda s, x: tf.concat([s, [x]], 0))
    assert grown.numpy().tolist() == [1, 2, 3, 4, 5]
    with pytest.raises(TypeError, match="int32"):
        dataset.scan(0, lambda s, x: (x, x))


def test_a_cache_makes_elements_once() -> None:
    made = []

    def note(x: Any) -> Any:
        made.append(int(x))
        return x

    dataset = Dataset.range(4).map(lambda x: tf.numpy_function(note, [x], tf.int64)).cache()
    next(iter(dataset))  # what is not walked to the end is not kept
    assert made == [0]
    assert elements(dataset) == elements(dataset) == [0, 1, 2, 3]
    assert made == [0, 0, 1, 2, 3]
    assert elements(dataset.shuffle(9, seed=1).batch(4)) == elements(
        Dataset.range(4).shuffle(9, seed=1).batch(4)
    )


def test_a_cache_of_elements_of_different_shapes() -> None:
    dataset = Dataset.range(3).map(lambda n: tf.fill([n], n)).cache()
    assert elements(dataset) == elements(dataset) == [[], [1], [2, 2]]


def test_enumerated_elements() -> None:
    assert elements(Dataset.from_tensor_slices(["a", "b"]).enumerate(3)) == [(3, b"a"), (4, b"b")]


def test_errors_are_passed_over() -> None:
    def checked(x: Any) -> Any:
        return tf.debugging.check_numerics(1 / tf.cast(x % 3, tf.float32), "no")

    dataset = Dataset.range(7).map(checked)
    with pytest.raises(tf.errors.InvalidArgumentError, match="no : Tensor had Inf"):
        elements(dataset)
    assert elements(dataset.ignore_errors()) == [1.0, 0.5, 1.0, 0.5]


def test_the_only_element() -> None:
    assert int(Dataset.range(1).get_single_element()) == 0
    for count in (0, 2):
        with pytest.raises(tf.errors.InvalidArgumentError):
            Dataset.range(count).get_single_element()


def test_a_promise_about_the_number_of_elements() -> None:
    promise = tf.data.experimental.assert_cardinality
    dataset = Dataset.range(4).filter(lambda x: x < 2)
    assert len(dataset.apply(promise(2))) == len(elements(dataset.apply(promise(2)))) == 2
    for wrong in (1, 3, tf.data.INFINITE_CARDINALITY):
        with pytest.raises(tf.errors.FailedPreconditionError):
            elements(dataset.apply(promise(wrong)))


def test_lengths() -> None:
    with pytest.raises(TypeError, match="infinite"):
        len(Dataset.range(3).repeat())
    with pytest.raises(TypeError, match="unknown"):
        len(Dataset.range(3).filter(lambda x: True))
    assert bool(Dataset.range(0))


def test_how_datasets_look() -> None:
    dataset = Dataset.range(3).batch(2)
    spec = "TensorSpec(shape=(None,), dtype=tf.int64, name=None)"
    assert repr(dataset) == f"<_BatchDataset element_spec={spec}>"
    assert repr(dataset._type_spec) == f"DatasetSpec({spec}, TensorShape([]))"


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda d: d.batch(0), tf.errors.InvalidArgumentError),
        (lambda d: d.batch(1.5), TypeError),
        (lambda d: d.unbatch(), ValueError),
        (lambda d: d.shard(0, 0), tf.errors.InvalidArgumentError),
        (lambda d: d.shard(2, 2), tf.errors.InvalidArgumentError),
        (lambda d: d.window(0), tf.errors.InvalidArgumentError),
        (lambda d: d.prefetch(-2), tf.errors.InvalidArgumentError),
        (lambda d: d.interleave(Dataset.range, cycle_length=0), tf.errors.InvalidArgumentError),
        (lambda d: d.flat_map(lambda x: x), TypeError),
        (lambda d: d.filter(lambda x: x), ValueError),
        (lambda d: d.map(lambda x: object()), TypeError),
        (lambda d: d.apply(lambda x: 1), TypeError),
        (lambda d: d.map(lambda x: 1.5).unique(), TypeError),
    ],
)
def test_what_is_refused(make: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        make(Dataset.range(5))
