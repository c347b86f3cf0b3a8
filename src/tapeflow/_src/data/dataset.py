"""`tf.data.Dataset`: a lazily produced sequence of elements, and its transformations.

A dataset is a variant tensor and the layout of its elements. What needs datasets of datasets, and
files, is here; sources are in `creation.py`, the other transformations in `transformations.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from tapeflow._src.api.elements import Layout
from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.removed_names import attribute_hint
from tapeflow._src.core.shape import TensorShape, as_shape
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data import (
    bucketing,
    combining,
    grouping,
    loops,
    overloads,
    snapshot,
    snapshots,
    windows,
)
from tapeflow._src.data import cardinality as asking
from tapeflow._src.data import scan as accumulating
from tapeflow._src.data.arguments import INFINITE, UNKNOWN
from tapeflow._src.data.checking import counted
from tapeflow._src.data.creation import Creation, merged_options
from tapeflow._src.data.handle_spec import HandleSpec
from tapeflow._src.data.iterator import IteratorSpec, OwnedIterator
from tapeflow._src.data.notebook import dataset_html
from tapeflow._src.data.numpy_iterator import NumpyIterator
from tapeflow._src.data.options import Options
from tapeflow._src.data.recipe import Recipe
from tapeflow._src.data.transformations import Transformations

Function = Callable[..., Any]


class Dataset(Creation, Transformations):
    """A sequence of elements of one structure. Iterate over it, or transform it.

    Datasets are immutable: each transformation returns a new one, and elements are computed when
    they are read. Begin with `from_tensor_slices`, `range`, `from_generator` or a dataset of files.

    Args:
        variant_tensor: The tensor that represents the dataset; subclasses pass it.

    Example:
        >>> dataset = tf.data.Dataset.range(6).map(lambda x: x * x).batch(4)
        >>> for batch in dataset:
        ...     print(batch.numpy())
        [0 1 4 9]
        [16 25]
    """

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

    # Type checkers would take every name for an attribute.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            missing = f"'{type(self).__name__}' object has no attribute {name!r}"
            raise AttributeError(missing + attribute_hint("Dataset", name), name=name, obj=self)

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

    def _repr_html_(self) -> str:
        return dataset_html(self)

    def cardinality(self) -> Any:
        """Return the number of elements, INFINITE_CARDINALITY or UNKNOWN_CARDINALITY.

        Returns:
            An int64 scalar tensor; -1 stands for infinite, -2 for unknown.

        Example:
            >>> dataset = tf.data.Dataset.range(10)
            >>> int(dataset.batch(3).cardinality())
            4
            >>> int(dataset.filter(lambda x: x > 3).cardinality())
            -2
        """
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
        """Return the options of this dataset and its inputs.

        Example:
            >>> tf.data.Dataset.range(3).options().deterministic is None
            True
        """
        self._options._freeze()
        return self._options

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """Return the dataset with further options, which override its own.

        Args:
            options: A `tf.data.Options`.

        Example:
            >>> options = tf.data.Options()
            >>> options.deterministic = False
            >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
            False
        """
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
        """Return an iterator that converts elements to NumPy.

        Returns:
            An iterator of NumPy arrays and scalars, in the structure of the elements.

        Raises:
            RuntimeError: Inside `tf.function`.
            TypeError: If elements cannot be converted, such as datasets.

        Example:
            >>> dataset = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
            >>> list(dataset.as_numpy_iterator())
            [array([1, 2], dtype=int32), array([3, 4], dtype=int32)]
        """
        if dispatch.state.mode is not dispatch.base_mode():
            raise RuntimeError(
                "`as_numpy_iterator()` returns values, which do not exist inside tf.function: "
                "iterate over the dataset itself there."
            )
        return NumpyIterator(self)

    def get_single_element(self, name: str | None = None) -> Any:
        """Return the only element.

        Raises:
            tf.errors.InvalidArgumentError: If there is no element, or more than one.

        Example:
            >>> tf.data.Dataset.range(3).batch(3).get_single_element().numpy()
            array([0, 1, 2])
        """
        return asking.single_element(self, name)

    def reduce(self, initial_state: Any, reduce_func: Function, name: str | None = None) -> Any:
        """Reduce the dataset: the last state of `reduce_func(state, element) -> state`.

        Args:
            initial_state: The first state: a tensor or a structure of tensors.
            reduce_func: Function of a state and an element that returns the next state, of the same
                structure and dtypes.

        Returns:
            The last state.

        Example:
            >>> total = tf.data.Dataset.range(5).reduce(np.int64(0), lambda state, x: state + x)
            >>> int(total)
            10
        """
        return accumulating.reduce(self, initial_state, reduce_func, name)

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

        Example:
            >>> tf.data.Dataset.range(3).save("numbers")
            >>> [int(x) for x in tf.data.Dataset.load("numbers")]
            [0, 1, 2]
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

        Returns:
            A dataset of the saved elements.

        Example:
            >>> tf.data.Dataset.from_tensor_slices([1.0, 2.0]).save("floats")
            >>> [float(x) for x in tf.data.Dataset.load("floats")]
            [1.0, 2.0]
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

        Returns:
            The same elements, in a new dataset.

        Example:
            >>> dataset = tf.data.Dataset.range(3).map(lambda x: x * 10).snapshot("cached_numbers")
            >>> [int(x) for x in dataset]
            [0, 10, 20]
        """
        shards = DatasetSpec(DatasetSpec(self.element_spec))
        reader = reader_func or _interleaved
        recipe = snapshot.snapshot(self, path, compression, reader, shard_func, shards, name)
        return self._then(recipe)

    # -- several datasets --------------------------------------------------------------------

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """Concatenate another dataset to this one.

        Args:
            dataset: A dataset with elements of the same structure and dtypes.

        Returns:
            A dataset of the elements of both.

        Raises:
            TypeError: If structures or dtypes differ.

        Example:
            >>> dataset = tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(7, 9))
            >>> [int(x) for x in dataset]
            [0, 1, 7, 8]
        """
        recipe = combining.concatenate(self, dataset, name)
        return Dataset._made(recipe, merged_options([self, dataset]))

    # -- groups and other orders that need further datasets ----------------------------------

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """Pair each element with its index, counted from `start`.

        Args:
            start: The index of the first element.

        Returns:
            A dataset of pairs: an int64 index and the element.

        Example:
            >>> dataset = tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(start=1)
            >>> [(int(index), element.numpy()) for index, element in dataset]
            [(1, b'a'), (2, b'b')]
        """
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
        """Split into datasets (windows) of `size` elements, `shift` apart.

        Args:
            size: Number of elements of a window.
            shift: How far a window begins behind the one before; `size` by default.
            stride: Distance of neighbours within a window.
            drop_remainder: Whether to drop windows that are not full.

        Returns:
            A dataset of datasets; `flat_map` with `batch` turns them into tensors.

        Raises:
            tf.errors.InvalidArgumentError: If a number is less than 1.

        Example:
            >>> windows = tf.data.Dataset.range(5).window(3, shift=1, drop_remainder=True)
            >>> for window in windows:
            ...     print([int(x) for x in window])
            [0, 1, 2]
            [1, 2, 3]
            [2, 3, 4]
        """
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
        """Group elements by key; `reduce_func(key, window)` maps each group to a dataset.

        Args:
            key_func: Maps an element to its key, an int64 scalar.
            reduce_func: Function of a key and of a dataset with the next elements of that key, at
                most `window_size`; it returns a dataset.
            window_size: Number of elements of a group.
            window_size_func: Maps a key to the number of elements of its groups.

        Returns:
            A dataset of the elements of what `reduce_func` returns.

        Raises:
            ValueError: Unless one of `window_size` and `window_size_func` is passed.

        Example:
            >>> dataset = tf.data.Dataset.range(6).group_by_window(
            ...     lambda x: x % 2, lambda key, group: group.batch(3), window_size=3
            ... )
            >>> [batch.numpy().tolist() for batch in dataset]
            [[0, 2, 4], [1, 3, 5]]
        """
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
        """Batch elements of similar length, bucketed by `bucket_boundaries` and padded.

        Args:
            element_length_func: Maps an element to its length, an int32 scalar.
            bucket_boundaries: Upper bounds of the buckets, exclusive and increasing.
            bucket_batch_sizes: Batch size of each bucket, one more than there are boundaries.
            padded_shapes: Shapes to pad to; the longest of a batch by default.
            padding_values: Values to pad with; zeros or empty strings by default.
            pad_to_bucket_boundary: Whether to pad to the boundary, which refuses longer elements.
            no_padding: Whether the elements of a bucket have equal shapes and are not padded.
            drop_remainder: Whether to drop batches that are not full.

        Returns:
            A dataset of batches.

        Example:
            >>> dataset = tf.data.Dataset.from_tensor_slices([1, 2, 4, 1])
            >>> dataset = dataset.map(lambda n: tf.fill([n], n)).bucket_by_sequence_length(
            ...     lambda row: tf.shape(row)[0], bucket_boundaries=[3], bucket_batch_sizes=[3, 3]
            ... )
            >>> [batch.numpy().tolist() for batch in dataset]
            [[[1, 0], [2, 2], [1, 0]], [[4, 4, 4, 4]]]
        """
        buckets = bucketing.Buckets(
            element_length_func,
            list(bucket_boundaries),
            list(bucket_batch_sizes),
            bucketing.Padding(padded_shapes, padding_values, pad_to_bucket_boundary, no_padding),
            drop_remainder,
        )
        return self.group_by_window(buckets.key, buckets.batch, None, buckets.size, name)

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """Return `transformation_func(self)`, for chains of transformations.

        Args:
            transformation_func: Function that maps a dataset to a dataset.

        Raises:
            TypeError: If the function returns something else.

        Example:
            >>> def doubled(dataset):
            ...     return dataset.map(lambda x: x * 2)
            >>> [int(x) for x in tf.data.Dataset.range(3).apply(doubled)]
            [0, 2, 4]
        """
        dataset = transformation_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError(
                f"The function passed to `apply` must return a tf.data.Dataset. Received: "
                f"{dataset!r} of type {type(dataset).__name__}"
            )
        return dataset


def _interleaved(shards: Dataset) -> Dataset:
    return shards.interleave(lambda shard: shard, cycle_length=16)


class DatasetSpec(HandleSpec, number=5):
    """The type spec of a dataset: that of its elements.

    Args:
        element_spec: The structure of `tf.TypeSpec` of an element.
        dataset_shape: The shape of the tensor of datasets; a scalar by default.

    Example:
        >>> tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3))
        DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))
    """

    __slots__ = ("_dataset_shape",)

    _tensor_name = "_variant_tensor"

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        super().__init__(element_spec)
        self._dataset_shape = as_shape(dataset_shape)

    @staticmethod
    def from_value(value: Any) -> DatasetSpec:
        """Return the spec of a dataset.

        Args:
            value: The dataset.
        """
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
