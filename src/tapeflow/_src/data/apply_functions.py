"""Transformations of `tf.data.experimental` for `Dataset.apply`: mostly former names of methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tapeflow._src.api.arrays.creation import zeros as zeros_of
from tapeflow._src.api.scopes import executing_eagerly
from tapeflow._src.core import dtypes, nest
from tapeflow._src.data.arguments import AUTOTUNE
from tapeflow._src.data.checking import counted
from tapeflow._src.data.dataset import Dataset
from tapeflow._src.data.recipe import Recipe
from tapeflow._src.data.reducing_groups import Reducer
from tapeflow._src.data.reducing_groups import group_by_reducer as _group_by_reducer

Function = Callable[..., Any]
Transformation = Callable[[Dataset], Dataset]


def assert_cardinality(expected_cardinality: Any) -> Transformation:
    """Return a transformation that asserts the number of elements.

    Args:
        expected_cardinality: The number of elements, which the dataset then reports.

    Returns:
        A function of a dataset, for `Dataset.apply`. Reading raises
        `tf.errors.FailedPreconditionError` if there are more or fewer elements.

    Example:
        >>> dataset = tf.data.Dataset.range(4).filter(lambda x: x % 2 == 0)
        >>> len(dataset.apply(tf.data.experimental.assert_cardinality(2)))
        2
    """
    return lambda dataset: dataset._then(counted(dataset, expected_cardinality))


def bucket_by_sequence_length(
    element_length_func: Function,
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Transformation:
    """Return the transformation `Dataset.bucket_by_sequence_length`.

    Args:
        element_length_func: Maps an element to its length, an int32 scalar.
        bucket_boundaries: Upper bounds of the buckets, exclusive and increasing.
        bucket_batch_sizes: Batch size of each bucket, one more than there are boundaries.
        padded_shapes: Shapes to pad to; the longest of a batch by default.
        padding_values: Values to pad with.
        pad_to_bucket_boundary: Whether to pad to the boundary.
        no_padding: Whether elements are not padded.
        drop_remainder: Whether to drop batches that are not full.

    Returns:
        A function of a dataset, for `Dataset.apply`.

    Example:
        >>> ds = tf.data.Dataset.range(1, 5).map(lambda n: tf.range(n))
        >>> ds = ds.apply(tf.data.experimental.bucket_by_sequence_length(tf.size, [3], [2, 2]))
        >>> [batch.shape for batch in ds.as_numpy_iterator()]
        [(2, 2), (2, 4)]
    """
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes,
        padding_values,
        pad_to_bucket_boundary,
        no_padding,
        drop_remainder,
    )


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """Return a transformation that copies elements to a device: a CPU, where they are anyway.

    Args:
        target_device: The device to copy to.
        source_device: The device to copy from.

    Returns:
        A function of a dataset, for `Dataset.apply`.

    Raises:
        ValueError: If a device is not a CPU.

    Example:
        >>> ds = tf.data.Dataset.range(2).apply(tf.data.experimental.copy_to_device("/cpu:0"))
        >>> [n.item() for n in ds.as_numpy_iterator()]
        [0, 1]
    """
    for device in (target_device, source_device):
        if "CPU" not in str(device).upper():
            raise ValueError(f"There is no device {device!r} to copy to or from, only CPUs.")
    return lambda dataset: dataset._then(
        Recipe("_CopyToDeviceDataset", dataset._variant_tensor, dataset.element_spec)
    )


def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: Any = False, row_splits_dtype: Any = dtypes.int64
) -> Transformation:
    """Return the transformation `Dataset.ragged_batch`.

    Args:
        batch_size: Number of elements of a batch.
        drop_remainder: Whether to drop the last batch if it is not full.
        row_splits_dtype: Dtype of row splits.

    Returns:
        A function of a dataset, for `Dataset.apply`.

    Example:
        >>> ds = tf.data.Dataset.range(4).map(lambda n: tf.range(n))
        >>> ds = ds.apply(tf.data.experimental.dense_to_ragged_batch(2))
        >>> [batch.to_list() for batch in ds]
        [[[], [0]], [[0, 1], [0, 1, 2]]]
    """
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Callable[[Dataset], Dataset]:
    """Return the transformation `Dataset.sparse_batch`.

    Args:
        batch_size: Number of elements of a batch.
        row_shape: Shape that contains every element.

    Returns:
        A function of a dataset, for `Dataset.apply`.

    Example:
        >>> ds = tf.data.Dataset.range(1, 3).map(lambda n: tf.range(n))
        >>> ds = ds.apply(tf.data.experimental.dense_to_sparse_batch(2, [3]))
        >>> tf.sparse.to_dense(next(iter(ds))).numpy()
        array([[0, 0, 0],
               [0, 1, 0]])
    """
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


def enumerate_dataset(start: Any = 0) -> Transformation:
    """Return the transformation `Dataset.enumerate`.

    Args:
        start: The index of the first element.

    Returns:
        A function of a dataset, for `Dataset.apply`.

    Example:
        >>> ds = tf.data.Dataset.from_tensor_slices(["a", "b"])
        >>> ds = ds.apply(tf.data.experimental.enumerate_dataset(start=1))
        >>> list(ds.as_numpy_iterator())
        [(np.int64(1), b'a'), (np.int64(2), b'b')]
    """
    return lambda dataset: dataset.enumerate(start)


def group_by_reducer(key_func: Function, reducer: Reducer) -> Transformation:
    """Return a transformation to one element for each key.

    Args:
        key_func: Maps an element to its key, an int64.
        reducer: Reduces the elements of a key.

    Returns:
        A function of a dataset, for `Dataset.apply`; results are in the order of the keys.

    Example:
        >>> add = tf.data.experimental.Reducer(
        ...     lambda key: np.int64(0), lambda total, n: total + n, lambda total: total
        ... )
        >>> sums = tf.data.experimental.group_by_reducer(lambda n: n % 2, add)
        >>> sorted(n.item() for n in tf.data.Dataset.range(4).apply(sums).as_numpy_iterator())
        [2, 4]
    """
    return lambda dataset: dataset._then(_group_by_reducer(dataset, key_func, reducer))


def group_by_window(
    key_func: Function,
    reduce_func: Function,
    window_size: Any = None,
    window_size_func: Function | None = None,
) -> Transformation:
    """Return the transformation `Dataset.group_by_window`.

    Args:
        key_func: Maps an element to its key, an int64 scalar.
        reduce_func: Maps a key and a dataset of elements to a dataset.
        window_size: Number of elements of a group.
        window_size_func: Maps a key to the number of elements of its groups.

    Returns:
        A function of a dataset, for `Dataset.apply`.

    Example:
        >>> group = tf.data.experimental.group_by_window(
        ...     lambda n: n % 2, lambda key, window: window.batch(2), window_size=2
        ... )
        >>> [batch.tolist() for batch in tf.data.Dataset.range(4).apply(group).as_numpy_iterator()]
        [[0, 2], [1, 3]]
    """
    return lambda dataset: dataset.group_by_window(
        key_func, reduce_func, window_size, window_size_func
    )


def ignore_errors(log_warning: bool = False) -> Transformation:
    """Return the transformation `Dataset.ignore_errors`.

    Args:
        log_warning: Whether to log each error that is skipped.

    Returns:
        A function of a dataset, for `Dataset.apply`.

    Example:
        >>> ds = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0])
        >>> ds = ds.map(lambda x: tf.debugging.check_numerics(1.0 / x, "infinite"))
        >>> list(ds.apply(tf.data.experimental.ignore_errors()).as_numpy_iterator())
        [np.float32(1.0), np.float32(0.5)]
    """
    return lambda dataset: dataset.ignore_errors(log_warning)


def map_and_batch(
    map_func: Function,
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """Return the transformation `Dataset.map`, then `Dataset.batch`.

    Args:
        map_func: Function of the components of an element.
        batch_size: Number of elements of a batch.
        num_parallel_batches: Accepted for compatibility.
        drop_remainder: Whether to drop the last batch if it is not full.
        num_parallel_calls: How many elements are computed at once.

    Returns:
        A function of a dataset, for `Dataset.apply`.
    """
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(
        batch_size, drop_remainder
    )


def pad_to_cardinality(cardinality: Any, mask_key: str = "valid") -> Transformation:
    """Return a transformation that appends zeros until there are `cardinality` elements.

    Args:
        cardinality: How many elements the result has.
        mask_key: Key of a further entry of the elements, which are dicts: False for what was
            appended.

    Returns:
        A function of a dataset, for `Dataset.apply`; it raises ValueError if elements are no dicts,
        or their number is unknown or too large.

    Example:
        >>> dataset = tf.data.Dataset.from_tensor_slices({"x": [1, 2]})
        >>> dataset = dataset.apply(tf.data.experimental.pad_to_cardinality(3))
        >>> [(int(element["x"]), bool(element["valid"])) for element in dataset]
        [(1, True), (2, True), (0, False)]
    """

    def padded(dataset: Dataset) -> Dataset:
        spec = dataset.element_spec
        if not isinstance(spec, Mapping):
            raise ValueError(f"`pad_to_cardinality` takes a dataset of dicts. Received: {spec}")
        count = dataset.cardinality()
        if executing_eagerly() and not 0 <= int(count) <= int(cardinality):
            raise ValueError(
                f"`pad_to_cardinality` takes a dataset of at most {int(cardinality)} elements, "
                f"their number must be known. Received a cardinality of {int(count)}"
            )
        zeros = nest.map_structure(lambda leaf: zeros_of(leaf.shape, leaf.dtype), spec)
        filler = Dataset.from_tensors({**zeros, mask_key: False}).repeat(cardinality - count)
        return dataset.map(lambda element: {**element, mask_key: True}).concatenate(filler)

    return padded


def parallel_interleave(
    map_func: Function,
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool | None = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """Return the transformation `Dataset.interleave`, with parallel calls.

    Args:
        map_func: Function of the components of an element that returns a dataset.
        cycle_length: How many datasets are read at once.
        block_length: How many elements are taken from a dataset before the next.
        sloppy: Whether elements may arrive in another order.
        buffer_output_elements: Accepted for compatibility.
        prefetch_input_elements: Accepted for compatibility.

    Returns:
        A function of a dataset, for `Dataset.apply`.

    Example:
        >>> read = tf.data.experimental.parallel_interleave(tf.data.Dataset.range, cycle_length=2)
        >>> ds = tf.data.Dataset.range(1, 3).apply(read)
        >>> sorted(n.item() for n in ds.as_numpy_iterator())
        [0, 0, 1]
    """
    return lambda dataset: dataset.interleave(
        map_func, cycle_length, block_length, cycle_length, None if sloppy is None else not sloppy
    )


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """Return the transformation `Dataset.prefetch`.

    Args:
        device: This machine's CPU, where elements are anyway.
        buffer_size: Number of elements; chosen automatically by default.

    Returns:
        A function of a dataset, for `Dataset.apply`.

    Raises:
        ValueError: If the device is not a CPU.

    Example:
        >>> prefetch = tf.data.experimental.prefetch_to_device("/cpu:0")
        >>> [n.item() for n in tf.data.Dataset.range(2).apply(prefetch).as_numpy_iterator()]
        [0, 1]
    """
    if "CPU" not in device.upper():
        raise ValueError(f"There is no device {device!r} to prefetch to, only CPUs.")
    return lambda dataset: dataset.prefetch(AUTOTUNE if buffer_size is None else buffer_size)


def rejection_resample(
    class_func: Function, target_dist: Any, initial_dist: Any = None, seed: Any = None
) -> Transformation:
    """Return the transformation `Dataset.rejection_resample`.

    Args:
        class_func: Maps an element to its class, an int32 scalar.
        target_dist: Probability of each class in the result.
        initial_dist: Probability of each class in the dataset; estimated by default.
        seed: Seed of the choices.

    Returns:
        A function of a dataset, for `Dataset.apply`.

    Example:
        >>> balance = tf.data.experimental.rejection_resample(lambda n: n, [0.5, 0.5])
        >>> ds = tf.data.Dataset.from_tensor_slices([0, 0, 0, 1] * 50).apply(balance)
        >>> kinds = [label.item() for label, n in ds.as_numpy_iterator()]
        >>> 0.3 < np.mean(kinds) < 0.7
        np.True_
    """
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


def scan(initial_state: Any, scan_func: Function) -> Transformation:
    """Return the transformation `Dataset.scan`.

    Args:
        initial_state: The first state: a tensor or a structure of tensors.
        scan_func: Function of a state and an element that returns the next state and an output.

    Returns:
        A function of a dataset, for `Dataset.apply`.

    Example:
        >>> ds = tf.data.Dataset.range(1, 5)
        >>> ds = ds.apply(tf.data.experimental.scan(np.int64(0), lambda s, n: (s + n, s + n)))
        >>> [n.item() for n in ds.as_numpy_iterator()]
        [1, 3, 6, 10]
    """
    return lambda dataset: dataset.scan(initial_state, scan_func)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """Return the transformation `Dataset.shuffle`, then `Dataset.repeat`.

    Args:
        buffer_size: Number of elements of the buffer.
        count: Number of times; None or -1 for without end.
        seed: Seed of the order.

    Returns:
        A function of a dataset, for `Dataset.apply`.

    Example:
        >>> twice = tf.data.experimental.shuffle_and_repeat(3, count=2)
        >>> sorted(n.item() for n in tf.data.Dataset.range(3).apply(twice).as_numpy_iterator())
        [0, 0, 1, 1, 2, 2]
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def snapshot(
    path: Any,
    compression: str | None = "AUTO",
    reader_func: Function | None = None,
    shard_func: Function | None = None,
) -> Transformation:
    """Return the transformation `Dataset.snapshot`.

    Args:
        path: The folder.
        compression: None or "AUTO"; "GZIP" or "SNAPPY" for compressed records.
        reader_func: Maps a dataset of the shards to one of their elements.
        shard_func: Maps an element to the number of its shard, an int64.

    Returns:
        A function of a dataset, for `Dataset.apply`.

    Example:
        >>> ds = tf.data.Dataset.range(3).apply(tf.data.experimental.snapshot("saved"))
        >>> [n.item() for n in ds.as_numpy_iterator()]
        [0, 1, 2]
    """
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)


def take_while(predicate: Function) -> Transformation:
    """Return the transformation `Dataset.take_while`.

    Args:
        predicate: Function of the components of an element that returns a bool scalar.

    Returns:
        A function of a dataset, for `Dataset.apply`.

    Example:
        >>> small = tf.data.experimental.take_while(lambda n: n < 3)
        >>> [n.item() for n in tf.data.Dataset.range(9).apply(small).as_numpy_iterator()]
        [0, 1, 2]
    """
    return lambda dataset: dataset.take_while(predicate)


def unbatch() -> Transformation:
    """Return the transformation `Dataset.unbatch`.

    Returns:
        A function of a dataset, for `Dataset.apply`.

    Example:
        >>> ds = tf.data.Dataset.range(4).batch(2).apply(tf.data.experimental.unbatch())
        >>> [n.item() for n in ds.as_numpy_iterator()]
        [0, 1, 2, 3]
    """
    return lambda dataset: dataset.unbatch()


def unique() -> Transformation:
    """Return the transformation `Dataset.unique`.

    Returns:
        A function of a dataset, for `Dataset.apply`.

    Example:
        >>> ds = tf.data.Dataset.from_tensor_slices([1, 1, 2])
        >>> [n.item() for n in ds.apply(tf.data.experimental.unique()).as_numpy_iterator()]
        [1, 2]
    """
    return lambda dataset: dataset.unique()
