"""`tf.data.experimental`: former names of methods, and experimental functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tapeflow._src.api.arrays.creation import zeros as zeros_of
from tapeflow._src.api.optionals import Optional
from tapeflow._src.api.scopes import executing_eagerly
from tapeflow._src.core import dtypes, nest
from tapeflow._src.data import sources
from tapeflow._src.data.arguments import AUTOTUNE as AUTOTUNE
from tapeflow._src.data.arguments import INFINITE as INFINITE_CARDINALITY
from tapeflow._src.data.arguments import UNKNOWN as UNKNOWN_CARDINALITY
from tapeflow._src.data.checking import counted
from tapeflow._src.data.csv_datasets import CsvDataset as CsvDataset
from tapeflow._src.data.csv_datasets import make_csv_dataset as make_csv_dataset
from tapeflow._src.data.dataset import Dataset
from tapeflow._src.data.feature_datasets import (
    make_batched_features_dataset as make_batched_features_dataset,
)
from tapeflow._src.data.feature_datasets import parse_example_dataset as parse_example_dataset
from tapeflow._src.data.functions import enable_debug_mode
from tapeflow._src.data.iterator import make_saveable_from_iterator as make_saveable_from_iterator
from tapeflow._src.data.options import (
    AutoShardPolicy,
    AutotuneAlgorithm,
    AutotuneOptions,
    DistributeOptions,
    ExternalStatePolicy,
    OptimizationOptions,
    ServiceOptions,
    ThreadingOptions,
)
from tapeflow._src.data.random_access import at as at
from tapeflow._src.data.recipe import Recipe
from tapeflow._src.data.record_writer import TFRecordWriter as TFRecordWriter
from tapeflow._src.data.reducing_groups import Reducer as Reducer
from tapeflow._src.data.reducing_groups import group_by_reducer as _group_by_reducer
from tapeflow._src.data.sql_datasets import SqlDataset as SqlDataset
from tapeflow._src.data.table_initializers import DatasetInitializer as DatasetInitializer
from tapeflow._src.data.table_initializers import (
    index_table_from_dataset as index_table_from_dataset,
)
from tapeflow._src.data.table_initializers import table_from_dataset as table_from_dataset

__all__ = [
    "AUTOTUNE",
    "AutoShardPolicy",
    "AutotuneAlgorithm",
    "AutotuneOptions",
    "Counter",
    "CsvDataset",
    "DatasetInitializer",
    "DistributeOptions",
    "ExternalStatePolicy",
    "INFINITE_CARDINALITY",
    "OptimizationOptions",
    "Optional",
    "RandomDataset",
    "Reducer",
    "SHARD_HINT",
    "ServiceOptions",
    "SqlDataset",
    "TFRecordWriter",
    "ThreadingOptions",
    "UNKNOWN_CARDINALITY",
    "assert_cardinality",
    "at",
    "bucket_by_sequence_length",
    "cardinality",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_ragged_batch",
    "dense_to_sparse_batch",
    "enable_debug_mode",
    "enumerate_dataset",
    "from_list",
    "from_variant",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "index_table_from_dataset",
    "load",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "make_saveable_from_iterator",
    "map_and_batch",
    "pad_to_cardinality",
    "parallel_interleave",
    "parse_example_dataset",
    "prefetch_to_device",
    "rejection_resample",
    "sample_from_datasets",
    "save",
    "scan",
    "shuffle_and_repeat",
    "snapshot",
    "table_from_dataset",
    "take_while",
    "to_variant",
    "unbatch",
    "unique",
]

Function = Callable[..., Any]
Transformation = Callable[[Dataset], Dataset]

# Stands for the number of shards and the index in `Dataset.shard`, until they are known.
SHARD_HINT = -1

# -- datasets -----------------------------------------------------------------------------------


def from_list(elements: Sequence[Any], name: str | None = None) -> Dataset:
    """Create a dataset from a list of elements of one structure."""
    return Dataset._made(sources.from_list(elements, name))


def Counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> Dataset:
    """Create an infinite dataset of the numbers `start, start + step, …`."""
    return Dataset.counter(start, step, dtype)


class RandomDataset(Dataset):
    """An infinite dataset of random int64 numbers of 32 bits."""

    def __init__(
        self,
        seed: Any = None,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> None:
        numbers = Dataset.random(seed, rerandomize_each_iteration, name)
        super().__init__(numbers._variant_tensor)
        self._layout = numbers._layout


def choose_from_datasets(
    datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = False
) -> Dataset:
    """Interleave datasets in the order that a dataset of indices specifies."""
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def sample_from_datasets(
    datasets: Sequence[Dataset],
    weights: Any = None,
    seed: Any = None,
    stop_on_empty_dataset: bool = False,
) -> Dataset:
    """Interleave datasets at random."""
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def from_variant(variant: Any, structure: Any) -> Dataset:
    """Create a dataset from a variant tensor and the spec of its elements."""
    return Dataset._made(Recipe("_VariantDataset", variant, structure))


def save(
    dataset: Dataset,
    path: Any,
    compression: str | None = None,
    shard_func: Function | None = None,
    checkpoint_args: Any = None,
) -> None:
    """See `Dataset.save`."""
    dataset.save(path, compression, shard_func, checkpoint_args)


def load(
    path: Any,
    element_spec: Any = None,
    compression: str | None = None,
    reader_func: Function | None = None,
) -> Dataset:
    """See `Dataset.load`."""
    return Dataset.load(path, element_spec, compression, reader_func)


# -- questions ----------------------------------------------------------------------------------


def to_variant(dataset: Dataset) -> Any:
    """Return the variant tensor of a dataset."""
    return dataset._variant_tensor


def cardinality(dataset: Dataset) -> Any:
    """Return the number of elements of a dataset."""
    return dataset.cardinality()


def get_structure(dataset_or_iterator: Any) -> Any:
    """Return the type spec of an element."""
    try:
        return dataset_or_iterator.element_spec
    except AttributeError as error:
        raise TypeError(
            f"Expected a tf.data.Dataset or a tf.data.Iterator. Received: "
            f"{dataset_or_iterator!r} of type {type(dataset_or_iterator).__name__}"
        ) from error


def get_single_element(dataset: Dataset) -> Any:
    """Return the only element of a dataset."""
    return dataset.get_single_element()


def get_next_as_optional(iterator: Any) -> Optional:
    """Return the next element of an iterator as an Optional, empty at the end."""
    element: Optional = iterator.get_next_as_optional()
    return element


# -- transformations, for `Dataset.apply` ---------------------------------------------------------


def assert_cardinality(expected_cardinality: Any) -> Transformation:
    """Return a transformation that asserts the number of elements."""
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
    """See `Dataset.bucket_by_sequence_length`."""
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
    """Return a transformation that copies elements to a device: a CPU, where they are anyway."""
    for device in (target_device, source_device):
        if "CPU" not in str(device).upper():
            raise ValueError(f"There is no device {device!r} to copy to or from, only CPUs.")
    return lambda dataset: dataset._then(
        Recipe("_CopyToDeviceDataset", dataset._variant_tensor, dataset.element_spec)
    )


def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: Any = False, row_splits_dtype: Any = dtypes.int64
) -> Transformation:
    """See `Dataset.ragged_batch`."""
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Callable[[Dataset], Dataset]:
    """See `Dataset.sparse_batch`."""
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


def enumerate_dataset(start: Any = 0) -> Transformation:
    """See `Dataset.enumerate`."""
    return lambda dataset: dataset.enumerate(start)


def group_by_reducer(key_func: Function, reducer: Reducer) -> Transformation:
    """Return a transformation to one element for each key.

    Args:
        key_func: Maps an element to its key, an int64.
        reducer: Reduces the elements of a key.
    """
    return lambda dataset: dataset._then(_group_by_reducer(dataset, key_func, reducer))


def group_by_window(
    key_func: Function,
    reduce_func: Function,
    window_size: Any = None,
    window_size_func: Function | None = None,
) -> Transformation:
    """See `Dataset.group_by_window`."""
    return lambda dataset: dataset.group_by_window(
        key_func, reduce_func, window_size, window_size_func
    )


def ignore_errors(log_warning: bool = False) -> Transformation:
    """See `Dataset.ignore_errors`."""
    return lambda dataset: dataset.ignore_errors(log_warning)


def map_and_batch(
    map_func: Function,
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """Return `Dataset.map`, then `Dataset.batch`."""
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(
        batch_size, drop_remainder
    )


def pad_to_cardinality(cardinality: Any, mask_key: str = "valid") -> Transformation:
    """Return a transformation that appends zeros until there are `cardinality` elements.

    Elements are dicts, and get an entry `mask_key`: False for what was appended.
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
    """See `Dataset.interleave`, with parallel calls."""
    return lambda dataset: dataset.interleave(
        map_func, cycle_length, block_length, cycle_length, None if sloppy is None else not sloppy
    )


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """See `Dataset.prefetch`; `device` is this machine's CPU, where elements are anyway."""
    if "CPU" not in device.upper():
        raise ValueError(f"There is no device {device!r} to prefetch to, only CPUs.")
    return lambda dataset: dataset.prefetch(AUTOTUNE if buffer_size is None else buffer_size)


def rejection_resample(
    class_func: Function, target_dist: Any, initial_dist: Any = None, seed: Any = None
) -> Transformation:
    """See `Dataset.rejection_resample`."""
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


def scan(initial_state: Any, scan_func: Function) -> Transformation:
    """See `Dataset.scan`."""
    return lambda dataset: dataset.scan(initial_state, scan_func)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """Return `Dataset.shuffle`, then `Dataset.repeat`."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def snapshot(
    path: Any,
    compression: str | None = "AUTO",
    reader_func: Function | None = None,
    shard_func: Function | None = None,
) -> Transformation:
    """See `Dataset.snapshot`."""
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)


def take_while(predicate: Function) -> Transformation:
    """See `Dataset.take_while`."""
    return lambda dataset: dataset.take_while(predicate)


def unbatch() -> Transformation:
    """See `Dataset.unbatch`."""
    return lambda dataset: dataset.unbatch()


def unique() -> Transformation:
    """See `Dataset.unique`."""
    return lambda dataset: dataset.unique()
