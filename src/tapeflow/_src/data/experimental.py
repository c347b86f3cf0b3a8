"""`tf.data.experimental`: former names of methods, and experimental functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.api.optionals import Optional
from tapeflow._src.core import dtypes
from tapeflow._src.data import sources
from tapeflow._src.data.arguments import AUTOTUNE as AUTOTUNE
from tapeflow._src.data.arguments import INFINITE as INFINITE_CARDINALITY
from tapeflow._src.data.arguments import UNKNOWN as UNKNOWN_CARDINALITY
from tapeflow._src.data.checking import counted
from tapeflow._src.data.csv_datasets import CsvDataset as CsvDataset
from tapeflow._src.data.csv_datasets import make_csv_dataset as make_csv_dataset
from tapeflow._src.data.dataset import Dataset
from tapeflow._src.data.functions import enable_debug_mode
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
from tapeflow._src.data.recipe import Recipe
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
    "ServiceOptions",
    "ThreadingOptions",
    "UNKNOWN_CARDINALITY",
    "assert_cardinality",
    "bucket_by_sequence_length",
    "cardinality",
    "choose_from_datasets",
    "dense_to_ragged_batch",
    "dense_to_sparse_batch",
    "enable_debug_mode",
    "enumerate_dataset",
    "from_list",
    "from_variant",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "group_by_window",
    "ignore_errors",
    "index_table_from_dataset",
    "load",
    "make_csv_dataset",
    "map_and_batch",
    "parallel_interleave",
    "prefetch_to_device",
    "rejection_resample",
    "sample_from_datasets",
    "save",
    "scan",
    "shuffle_and_repeat",
    "table_from_dataset",
    "take_while",
    "to_variant",
    "unbatch",
    "unique",
]

Function = Callable[..., Any]
Transformation = Callable[[Dataset], Dataset]

# -- datasets -----------------------------------------------------------------------------------


def from_list(elements: Sequence[Any], name: str | None = None) -> Dataset:
    """Create a dataset from a list of elements of one structure."""
    return Dataset._made(sources.from_list(elements, name))


def Counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> Dataset:
    """Create an infinite dataset of the numbers `start, start + step, …`."""
    return Dataset.counter(start, step, dtype)


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


def take_while(predicate: Function) -> Transformation:
    """See `Dataset.take_while`."""
    return lambda dataset: dataset.take_while(predicate)


def unbatch() -> Transformation:
    """See `Dataset.unbatch`."""
    return lambda dataset: dataset.unbatch()


def unique() -> Transformation:
    """See `Dataset.unique`."""
    return lambda dataset: dataset.unique()
