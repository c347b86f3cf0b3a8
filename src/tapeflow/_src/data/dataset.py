"""`tf.data.Dataset`: a lazily produced sequence of elements, and its transformations.

A dataset is a variant tensor and the layout of its elements. Sources, and what needs several
datasets, are here; the other transformations are in `transformations.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from tapeflow._src.api.elements import Layout
from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.shape import TensorShape, as_shape
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data import (
    bucketing,
    combining,
    grouping,
    loops,
    overloads,
    random_numbers,
    sampling,
    snapshot,
    snapshots,
    sources,
    windows,
)
from tapeflow._src.data import cardinality as asking
from tapeflow._src.data import from_generator as generating
from tapeflow._src.data import scan as accumulating
from tapeflow._src.data.arguments import INFINITE, UNKNOWN
from tapeflow._src.data.checking import counted
from tapeflow._src.data.files import matching_files
from tapeflow._src.data.handle_spec import HandleSpec
from tapeflow._src.data.iterator import IteratorSpec, OwnedIterator
from tapeflow._src.data.numpy_iterator import NumpyIterator
from tapeflow._src.data.options import Options
from tapeflow._src.data.recipe import Recipe
from tapeflow._src.data.transformations import Transformations

Function = Callable[..., Any]


class Dataset(Transformations):
    """A sequence of elements of one structure. Iterate over it, or transform it."""

    def __init__(self, variant_tensor: Any) -> None:
        self._tensor = variant_tensor
        self._kind = type(self).__name__
        self._options = Options()

    @staticmethod
    def _made(recipe: Recipe, options: Options | None = None) -> Dataset:
        dataset = object.__new__(Dataset)
        dataset._tensor = recipe.variant
        dataset._kind = recipe.kind
        dataset._layout = Layout(recipe.spec)
        dataset._options = options or Options()
        return dataset

    def _then(self, recipe: Recipe) -> Dataset:
        """Create a dataset derived from this one."""
        return Dataset._made(recipe, self._options)

    def __getitem__(self, index: Any) -> NoReturn:
        raise TypeError(
            f"'{type(self).__name__}' object is not subscriptable: a dataset is a stream. Iterate "
            f"over it; take one element with next(iter(dataset.skip(n))), the first n with "
            f"dataset.take(n), or a list of all with list(dataset.as_numpy_iterator())."
        )

    # -- what it is --------------------------------------------------------------------------

    @property
    def _variant_tensor(self) -> Any:
        return self._tensor

    @functools.cached_property
    def _layout(self) -> Layout:
        return Layout(self.element_spec)

    @property
    def element_spec(self) -> Any:
        """The type spec of an element."""
        return self._layout.spec

    @functools.cached_property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    @functools.cached_property
    def _iterator_spec(self) -> IteratorSpec:
        return IteratorSpec(self.element_spec)

    def __repr__(self) -> str:
        return f"<{self._kind} element_spec={self.element_spec}>"

    def cardinality(self) -> Any:
        """Return the number of elements, INFINITE_CARDINALITY or UNKNOWN_CARDINALITY."""
        return asking.cardinality(self)

    def __len__(self) -> int:
        if dispatch.state.mode is not dispatch.base_mode():
            raise TypeError(
                "Inside tf.function a dataset has no Python length: use `dataset.cardinality()`, "
                "a tensor, instead of `len(dataset)`."
            )
        count = int(self.cardinality())
        if count == INFINITE:
            raise TypeError("The dataset is infinite.")
        if count == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return count

    def __bool__(self) -> bool:
        return True

    def options(self) -> Options:
        """Return the options of this dataset and its inputs."""
        return self._options

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """Return the dataset with further options, which override its own."""
        recipe = Recipe("_OptionsDataset", self._tensor, self.element_spec)
        return Dataset._made(recipe, self._options.merge(options))

    # -- taking elements ---------------------------------------------------------------------

    def __iter__(self) -> OwnedIterator:
        return OwnedIterator.over(self, self._iterator_spec)

    def __autograph_for__(self, loop: Any) -> None:
        """Trace a `for` loop over the elements."""
        loops.over_dataset(self, loop)

    # What built-in functions of datasets are while a function is traced, by name.
    __autograph_builtins__ = overloads.OVERLOADS

    def as_numpy_iterator(self) -> NumpyIterator:
        """Return an iterator that converts elements to NumPy."""
        if dispatch.state.mode is not dispatch.base_mode():
            raise RuntimeError(
                "`as_numpy_iterator()` returns values, which do not exist inside tf.function: "
                "iterate over the dataset itself there."
            )
        return NumpyIterator(self)

    def get_single_element(self, name: str | None = None) -> Any:
        """Return the only element."""
        return asking.single_element(self, name)

    def reduce(self, initial_state: Any, reduce_func: Function, name: str | None = None) -> Any:
        """Reduce the dataset: the last state of `reduce_func(state, element) -> state`."""
        return accumulating.reduce(self, initial_state, reduce_func, name)

    # -- sources -----------------------------------------------------------------------------

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """Create a dataset with one element."""
        return Dataset._made(sources.from_tensors(tensors, name))

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """Create a dataset of the slices of tensors along their first axis."""
        return Dataset._made(sources.from_tensor_slices(tensors, name))

    @staticmethod
    def from_generator(
        generator: Function,
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """Create a dataset of the elements that `generator(*args)` yields."""
        recipe = generating.from_generator(
            generator, output_types, output_shapes, args, output_signature, name
        )
        return Dataset._made(recipe)

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> Dataset:
        """Create a dataset of `range(stop)`, `range(start, stop)` or `range(start, stop, step)`."""
        output_type, name = kwargs.get("output_type"), kwargs.get("name")
        return Dataset._made(sources.range_of(args, output_type, name))

    @staticmethod
    def counter(
        start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64, name: str | None = None
    ) -> Dataset:
        """Create an infinite dataset of the numbers `start, start + step, …`."""
        first, apart = dispatch.convert(start, dtype), dispatch.convert(step, dtype)
        ticks = Dataset.from_tensors(0).repeat()
        return ticks.scan(first, lambda number, _: (number + apart, number), name)

    @staticmethod
    def random(
        seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> Dataset:
        """Create an infinite dataset of random int64 numbers of 32 bits."""
        return Dataset._made(random_numbers.random(seed, rerandomize_each_iteration, name))

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
    ) -> Dataset:
        """Create a dataset of the files that match a glob pattern, or any of several."""
        names = matching_files(file_pattern)
        dataset = Dataset.from_tensor_slices(names, name)
        return dataset if shuffle is False else dataset.shuffle(len(names), seed)

    # -- files -------------------------------------------------------------------------------

    def save(
        self,
        path: Any,
        compression: str | None = None,
        shard_func: Function | None = None,
        checkpoint_args: Any = None,
    ) -> None:
        """Write all elements to a folder, from which `load` reads them.

        Args:
            path: The folder. A dataset that was saved there before is replaced.
            compression: None, "NONE" or "GZIP".
            shard_func: Maps an element to the number of its shard, an int64; one shard by default.
            checkpoint_args: Not supported: elements are written in one go.
        """
        snapshots.save(self, path, compression, shard_func, checkpoint_args)

    @staticmethod
    def load(
        path: Any,
        element_spec: Any = None,
        compression: str | None = None,
        reader_func: Function | None = None,
        wait: bool = False,
    ) -> Dataset:
        """Read a dataset that `save` has written.

        Args:
            path: The folder.
            element_spec: The spec of an element; the saved one by default.
            compression: The one that `save` was called with.
            reader_func: Maps a dataset of the shards, each a dataset, to one of their elements; by
                default, elements are taken from them in turn.
            wait: Whether to wait until there is something in the folder.
        """
        snapshot = snapshots.read(path, element_spec, compression, wait)
        if reader_func is not None:
            recipe = Recipe("_ShardDataset", snapshot.shards(), DatasetSpec(snapshot.spec))
            return Dataset._made(recipe).apply(reader_func)
        read = Dataset._made(Recipe("_LoadDataset", snapshot.in_turn(), snapshot.spec))
        return Dataset._made(counted(read, snapshot.size)._replace(kind="_LoadDataset"))

    def snapshot(
        self,
        path: Any,
        compression: str | None = "AUTO",
        reader_func: Function | None = None,
        shard_func: Function | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Write the elements to a folder when they are first read, and then read them from there.

        Args:
            path: The folder. Datasets that are made differently do not share their elements there.
            compression: None or "AUTO"; "GZIP" or "SNAPPY" for records that zlib compresses.
            reader_func: Maps a dataset of the shards, each a dataset, to one of their elements; by
                default, elements are taken from them in turn.
            shard_func: Maps an element to the number of its shard, an int64; one shard by default.
            name: The name of the op.
        """
        shards = DatasetSpec(DatasetSpec(self.element_spec))
        reader = reader_func or _interleaved
        recipe = snapshot.snapshot(self, path, compression, reader, shard_func, shards, name)
        return self._then(recipe)

    # -- several datasets --------------------------------------------------------------------

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """Zip datasets; the elements have the structure of the argument."""
        if not args and datasets is None:
            raise TypeError("`zip` needs at least one dataset.")
        if args and datasets is not None:
            raise TypeError(
                "Pass datasets to `zip` as positional arguments or as `datasets=`, not as both."
            )
        structure = datasets if datasets is not None else args[0] if len(args) == 1 else args
        if any(isinstance(each, list) for each in (structure, *args)):
            raise TypeError(
                "`zip` takes datasets in tuples or dicts, not in a list: write `zip((a, b))` or "
                "`zip(a, b)`."
            )
        recipe = combining.zip_(structure, name)
        return Dataset._made(recipe, _merged_options(nest.flatten(structure)))

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """Concatenate another dataset to this one."""
        recipe = combining.concatenate(self, dataset, name)
        return Dataset._made(recipe, _merged_options([self, dataset]))

    @staticmethod
    def choose_from_datasets(
        datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = True
    ) -> Dataset:
        """Interleave datasets in the order that a dataset of indices specifies."""
        recipe = combining.choose(datasets, choice_dataset, stop_on_empty_dataset)
        return Dataset._made(recipe, _merged_options(datasets))

    @staticmethod
    def sample_from_datasets(
        datasets: Sequence[Dataset],
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:
        """Interleave datasets at random."""
        if len(datasets) == 1:
            return datasets[0]
        numbers = Dataset.random(seed, rerandomize_each_iteration)
        choices = numbers.batch(2).map(sampling.chooser(len(datasets), weights))
        return Dataset.choose_from_datasets(datasets, choices, stop_on_empty_dataset)

    # -- groups and other orders that need further datasets ----------------------------------

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """Pair each element with its index, counted from `start`."""
        numbers = Dataset.range(start, np.iinfo(np.int64).max)
        return Dataset.zip((numbers, self), name=name)

    def window(
        self,
        size: Any,
        shift: Any = None,
        stride: Any = 1,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:
        """Split into datasets (windows) of `size` elements, `shift` apart."""
        spec = nest.map_structure(DatasetSpec, self.element_spec)
        return self._then(windows.window(self, size, shift, stride, drop_remainder, spec, name))

    def group_by_window(
        self,
        key_func: Function,
        reduce_func: Function,
        window_size: Any = None,
        window_size_func: Function | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Group elements by key; `reduce_func(key, window)` maps each group to a dataset."""
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                "`group_by_window` needs `window_size` or `window_size_func`, one of the two."
            )
        size = window_size_func or (lambda key: dispatch.convert(window_size, dtypes.int64))
        spec = DatasetSpec(self.element_spec)
        return self._then(grouping.group_by_window(self, key_func, reduce_func, size, spec, name))

    def bucket_by_sequence_length(
        self,
        element_length_func: Function,
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Batch elements of similar length, bucketed by `bucket_boundaries` and padded."""
        buckets = bucketing.Buckets(
            element_length_func,
            list(bucket_boundaries),
            list(bucket_batch_sizes),
            bucketing.Padding(padded_shapes, padding_values, pad_to_bucket_boundary, no_padding),
            drop_remainder,
        )
        return self.group_by_window(buckets.key, buckets.batch, None, buckets.size, name)

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """Return `transformation_func(self)`."""
        dataset = transformation_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError(
                f"The function passed to `apply` must return a tf.data.Dataset. Received: "
                f"{dataset!r} of type {type(dataset).__name__}"
            )
        return dataset


def _interleaved(shards: Dataset) -> Dataset:
    return shards.interleave(lambda shard: shard, cycle_length=16)


def _merged_options(datasets: Sequence[Dataset]) -> Options:
    merged = Options()
    for dataset in datasets:
        merged = merged.merge(dataset._options)
    return merged


class DatasetSpec(HandleSpec):
    """The type spec of a dataset: that of its elements."""

    __slots__ = ("_dataset_shape",)

    _tensor_name = "_variant_tensor"

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        super().__init__(element_spec)
        self._dataset_shape = as_shape(dataset_shape)

    @staticmethod
    def from_value(value: Any) -> DatasetSpec:
        """Return the spec of a dataset."""
        return DatasetSpec(value.element_spec)

    @property
    def value_type(self) -> type:
        return Dataset

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_spec, self._dataset_shape

    @property
    def _component_specs(self) -> Any:
        return TensorSpec(self._dataset_shape, dtypes.variant)

    def _from_components(self, components: Any) -> Any:
        if self._dataset_shape.rank != 0:
            raise ValueError(f"A dataset is a scalar, but there is a tensor of {self}.")
        return Dataset._made(Recipe("_VariantDataset", components, self._element_spec))

    def _batch(self, size: int | None) -> DatasetSpec:
        shape = TensorShape([size]).concatenate(self._dataset_shape)
        return DatasetSpec(self._element_spec, shape)


nest.register_composite(
    Dataset,
    lambda dataset: (dataset._variant_tensor,),
    lambda dataset, parts: Dataset._made(
        Recipe("_VariantDataset", parts[0], dataset.element_spec), dataset._options
    ),
    lambda a, b: isinstance(b, Dataset) and a._type_spec.is_compatible_with(b._type_spec),
)
