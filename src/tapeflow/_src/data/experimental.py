"""`tf.data.experimental`: former names of methods, and experimental functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.api.optionals import Optional
from tapeflow._src.core import dtypes
from tapeflow._src.data import sources
from tapeflow._src.data.apply_functions import assert_cardinality as assert_cardinality
from tapeflow._src.data.apply_functions import (
    bucket_by_sequence_length as bucket_by_sequence_length,
)
from tapeflow._src.data.apply_functions import copy_to_device as copy_to_device
from tapeflow._src.data.apply_functions import dense_to_ragged_batch as dense_to_ragged_batch
from tapeflow._src.data.apply_functions import dense_to_sparse_batch as dense_to_sparse_batch
from tapeflow._src.data.apply_functions import enumerate_dataset as enumerate_dataset
from tapeflow._src.data.apply_functions import group_by_reducer as group_by_reducer
from tapeflow._src.data.apply_functions import group_by_window as group_by_window
from tapeflow._src.data.apply_functions import ignore_errors as ignore_errors
from tapeflow._src.data.apply_functions import map_and_batch as map_and_batch
from tapeflow._src.data.apply_functions import pad_to_cardinality as pad_to_cardinality
from tapeflow._src.data.apply_functions import parallel_interleave as parallel_interleave
from tapeflow._src.data.apply_functions import prefetch_to_device as prefetch_to_device
from tapeflow._src.data.apply_functions import rejection_resample as rejection_resample
from tapeflow._src.data.apply_functions import scan as scan
from tapeflow._src.data.apply_functions import shuffle_and_repeat as shuffle_and_repeat
from tapeflow._src.data.apply_functions import snapshot as snapshot
from tapeflow._src.data.apply_functions import take_while as take_while
from tapeflow._src.data.apply_functions import unbatch as unbatch
from tapeflow._src.data.apply_functions import unique as unique
from tapeflow._src.data.arguments import AUTOTUNE as AUTOTUNE
from tapeflow._src.data.arguments import INFINITE as INFINITE_CARDINALITY
from tapeflow._src.data.arguments import UNKNOWN as UNKNOWN_CARDINALITY
from tapeflow._src.data.csv_datasets import CsvDataset as CsvDataset
from tapeflow._src.data.csv_datasets import make_csv_dataset as make_csv_dataset
from tapeflow._src.data.dataset import Dataset
from tapeflow._src.data.feature_datasets import (
    make_batched_features_dataset as make_batched_features_dataset,
)
from tapeflow._src.data.feature_datasets import parse_example_dataset as parse_example_dataset
from tapeflow._src.data.functions import enable_debug_mode
from tapeflow._src.data.iterator_saving import (
    make_saveable_from_iterator as make_saveable_from_iterator,
)
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
    "distributed_save",
    "enable_debug_mode",
    "enumerate_dataset",
    "from_list",
    "from_variant",
    "get_model_proto",
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

# Stands for the number of shards and the index in `Dataset.shard`, until they are known.
SHARD_HINT = -1

# -- datasets -----------------------------------------------------------------------------------


def from_list(elements: Sequence[Any], name: str | None = None) -> Dataset:
    """Create a dataset from a list of elements of one structure.

    Args:
        elements: The elements: tensors, tuples or dicts of one structure and of the same dtypes.

    Returns:
        A dataset with one element per item.

    Raises:
        ValueError: If the list is empty, or the structures differ.

    Example:
        >>> dataset = tf.data.experimental.from_list([(1, "a"), (2, "b")])
        >>> [(int(number), text.numpy()) for number, text in dataset]
        [(1, b'a'), (2, b'b')]
    """
    return Dataset._made(sources.from_list(elements, name))


def Counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> Dataset:
    """Create an infinite dataset of the numbers `start, start + step, …`; see `Dataset.counter`.

    Args:
        start: The first number.
        step: The difference of neighbours.
        dtype: The dtype of the numbers.

    Returns:
        An infinite dataset of scalars.

    Example:
        >>> [int(x) for x in tf.data.experimental.Counter(start=5).take(3)]
        [5, 6, 7]
    """
    return Dataset.counter(start, step, dtype)


class RandomDataset(Dataset):
    """An infinite dataset of random int64 numbers of 32 bits; see `Dataset.random`.

    Args:
        seed: Seed of the numbers; with None, that of `tf.random.set_seed`, or a random one.
        rerandomize_each_iteration: Whether each iteration draws other numbers.

    Example:
        >>> ds = tf.data.experimental.RandomDataset(seed=1)
        >>> ds.element_spec
        TensorSpec(shape=(), dtype=tf.int64, name=None)
    """

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
    """Interleave datasets in the order that a dataset of indices specifies.

    Args:
        datasets: The datasets, with elements of compatible structures.
        choice_dataset: Dataset of int64 scalars: the indices of the datasets to take from.
        stop_on_empty_dataset: Whether to stop when a chosen dataset has ended.

    Returns:
        A dataset of the chosen elements; see `Dataset.choose_from_datasets`.

    Example:
        >>> parts = [tf.data.Dataset.from_tensors(c).repeat() for c in "ab"]
        >>> choice = tf.data.Dataset.from_tensor_slices(np.array([0, 1, 1], np.int64))
        >>> list(tf.data.experimental.choose_from_datasets(parts, choice).as_numpy_iterator())
        [b'a', b'b', b'b']
    """
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def sample_from_datasets(
    datasets: Sequence[Dataset],
    weights: Any = None,
    seed: Any = None,
    stop_on_empty_dataset: bool = False,
) -> Dataset:
    """Interleave datasets at random.

    Args:
        datasets: The datasets, with elements of compatible structures.
        weights: Probability of each dataset; uniform by default.
        seed: Seed of the choices.
        stop_on_empty_dataset: Whether to stop when a chosen dataset has ended.

    Returns:
        A dataset of the sampled elements; see `Dataset.sample_from_datasets`.

    Example:
        >>> parts = [tf.data.Dataset.from_tensors(n).repeat() for n in (0, 1)]
        >>> ds = tf.data.experimental.sample_from_datasets(parts, weights=[0.0, 1.0])
        >>> [n.item() for n in ds.take(3).as_numpy_iterator()]
        [1, 1, 1]
    """
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def from_variant(variant: Any, structure: Any) -> Dataset:
    """Create a dataset from a variant tensor and the spec of its elements.

    Args:
        variant: The tensor, as `to_variant` returns it.
        structure: The structure of `tf.TypeSpec` of an element.

    Returns:
        The dataset.

    Example:
        >>> variant = tf.data.experimental.to_variant(tf.data.Dataset.range(3))
        >>> spec = tf.TensorSpec([], tf.int64)
        >>> [int(x) for x in tf.data.experimental.from_variant(variant, spec)]
        [0, 1, 2]
    """
    return Dataset._made(Recipe("_VariantDataset", variant, structure))


def save(
    dataset: Dataset,
    path: Any,
    compression: str | None = None,
    shard_func: Function | None = None,
    checkpoint_args: Any = None,
) -> None:
    """Write all elements of a dataset to a folder; see `Dataset.save`.

    Args:
        dataset: The dataset.
        path: The folder.
        compression: None, "NONE" or "GZIP".
        shard_func: Maps an element to the number of its shard, an int64.
        checkpoint_args: Not supported: elements are written in one go.

    Returns:
        None.

    Example:
        >>> tf.data.experimental.save(tf.data.Dataset.range(2), "saved_range")
        >>> [int(x) for x in tf.data.experimental.load("saved_range")]
        [0, 1]
    """
    dataset.save(path, compression, shard_func, checkpoint_args)


def load(
    path: Any,
    element_spec: Any = None,
    compression: str | None = None,
    reader_func: Function | None = None,
) -> Dataset:
    """Read a dataset that `save` has written; see `Dataset.load`.

    Args:
        path: The folder.
        element_spec: The spec of an element; the saved one by default.
        compression: The one that `save` was called with.
        reader_func: Maps a dataset of the shards, each a dataset, to one of their elements.

    Returns:
        A dataset of the saved elements.

    Example:
        >>> tf.data.Dataset.range(3).save("numbers")
        >>> [n.item() for n in tf.data.experimental.load("numbers").as_numpy_iterator()]
        [0, 1, 2]
    """
    return Dataset.load(path, element_spec, compression, reader_func)


# -- questions ----------------------------------------------------------------------------------


def to_variant(dataset: Dataset) -> Any:
    """Return the variant tensor of a dataset.

    Args:
        dataset: The dataset.

    Returns:
        A scalar tensor of dtype variant.

    Example:
        >>> ds = tf.data.Dataset.range(2)
        >>> variant = tf.data.experimental.to_variant(ds)
        >>> same = tf.data.experimental.from_variant(variant, ds.element_spec)
        >>> [n.item() for n in same.as_numpy_iterator()]
        [0, 1]
    """
    return dataset._variant_tensor


def cardinality(dataset: Dataset) -> Any:
    """Return the number of elements of a dataset.

    Args:
        dataset: The dataset.

    Returns:
        An int64 scalar; -1 stands for infinite, -2 for unknown.

    Example:
        >>> int(tf.data.experimental.cardinality(tf.data.Dataset.range(3).repeat()))
        -1
    """
    return dataset.cardinality()


def get_structure(dataset_or_iterator: Any) -> Any:
    """Return the type spec of an element.

    Args:
        dataset_or_iterator: A dataset or an iterator.

    Returns:
        A structure of `tf.TypeSpec`.

    Raises:
        TypeError: If it is something else.

    Example:
        >>> tf.data.experimental.get_structure(tf.data.Dataset.range(3))
        TensorSpec(shape=(), dtype=tf.int64, name=None)
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError as error:
        raise TypeError(
            f"Expected a tf.data.Dataset or a tf.data.Iterator. Received: "
            f"{dataset_or_iterator!r} of type {type(dataset_or_iterator).__name__}"
        ) from error


def get_single_element(dataset: Dataset) -> Any:
    """Return the only element of a dataset.

    Args:
        dataset: The dataset.

    Returns:
        The element.

    Raises:
        tf.errors.InvalidArgumentError: If there is no element, or more than one.

    Example:
        >>> int(tf.data.experimental.get_single_element(tf.data.Dataset.from_tensors(3)))
        3
    """
    return dataset.get_single_element()


def get_next_as_optional(iterator: Any) -> Optional:
    """Return the next element of an iterator as an Optional, empty at the end.

    Args:
        iterator: The iterator.

    Returns:
        A `tf.experimental.Optional`.

    Example:
        >>> iterator = iter(tf.data.Dataset.range(1))
        >>> bool(tf.data.experimental.get_next_as_optional(iterator).has_value())
        True
    """
    element: Optional = iterator.get_next_as_optional()
    return element


def distributed_save(
    dataset: Dataset, path: Any, data_service_address: str, compression: str = "AUTO"
) -> None:
    """Raise: workers of the data service serve elements and write no files.

    Args:
        dataset: The dataset.
        path: The folder that would be written.
        data_service_address: The address of a dispatcher.
        compression: The compression of the files.

    Raises:
        NotImplementedError: Always.

    Example:
        >>> dataset = tf.data.Dataset.range(3)
        >>> tf.data.experimental.distributed_save(dataset, "folder", "localhost:5000")
        Traceback (most recent call last):
        NotImplementedError: ...
    """
    raise NotImplementedError(
        f"distributed_save to {path!r}: the workers of the data service serve elements to readers, "
        f"and write no files. Read the distributed dataset and call its save() in one process, or "
        f"save dataset.shard(n, i) in each of n processes, to a folder of its own."
    )


def get_model_proto(iterator: Any) -> Any:
    """Raise: there is no model of a pipeline that threads are tuned by.

    Args:
        iterator: The iterator over the pipeline.

    Returns:
        Nothing: it always raises.

    Raises:
        NotImplementedError: Always.

    Example:
        >>> tf.data.experimental.get_model_proto(iter(tf.data.Dataset.range(3)))
        Traceback (most recent call last):
        NotImplementedError: ...
    """
    raise NotImplementedError(
        "get_model_proto describes TensorFlow's model of a pipeline, by which it chooses numbers "
        "of threads; here a stage starts threads when its elements prove to be slow, and there is "
        "no such model. tf.profiler.experimental shows the time that each stage takes."
    )
