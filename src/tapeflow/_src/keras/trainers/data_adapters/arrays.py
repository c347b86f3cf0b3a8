"""Batches from arrays and tensors in memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.random_streams import Permutations
from tapeflow._src.keras.config import floatx
from tapeflow._src.keras.trainers.data_adapters.class_weights import refuse_both, weights_of_samples
from tapeflow._src.keras.trainers.data_adapters.packing import pack_x_y_sample_weight
from tapeflow._src.keras.trainers.data_adapters.sparse_rows import SparseRows, is_sparse

_EAGER = type(tf.constant(0))
# How many bytes of shuffled rows are gathered at once.
_GATHERED = 1 << 23


def is_array(value: Any) -> bool:
    """Whether a value is an array or a tensor, or converts to one."""
    return (
        isinstance(value, (np.ndarray, _EAGER, tf.RaggedTensor, tf.Variable))
        or (hasattr(value, "__array__") and hasattr(value, "shape"))
        or is_sparse(value)
    )


def are_arrays(structure: Any) -> bool:
    """Whether the leaves of a structure are arrays, and there is one; None stands for no input."""
    leaves = present(structure)
    return bool(leaves) and all(map(is_array, leaves))


def scalars_as_array(value: Any) -> Any:
    """Lists of numbers or strings, which Keras 2 takes, as one array; other values as they are."""
    if isinstance(value, (list, tuple)):
        leaves = tf.nest.flatten(value)
        if leaves and all(isinstance(leaf, (int, float, str, bytes)) for leaf in leaves):
            return np.array(value)
    return value


def series_as_column(value: Any) -> Any:
    """Return a `pandas.Series` as an array of one column, as a data frame has it."""
    if hasattr(value, "iloc") and getattr(value, "ndim", None) == 1:
        return np.asarray(value)[:, np.newaxis]
    return value


def present(structure: Any) -> list[Any]:
    """The leaves of a structure other than None."""
    return [leaf for leaf in tf.nest.flatten(structure) if leaf is not None]


def as_tensor(value: Any) -> Any:
    """An array as a tensor; floating-point numbers are cast to `floatx()`."""
    if is_sparse(value):
        rows = SparseRows(value, floatx())
        return rows.take(np.arange(rows.shape[0]))
    if isinstance(value, (_EAGER, tf.RaggedTensor)):
        tensor: Any = value
    else:
        array = np.asarray(value)
        if array.dtype.kind == "f" and array.dtype.name != floatx():
            array = array.astype(floatx())
        tensor = tf.convert_to_tensor(array)
    if tensor.dtype.is_floating and tensor.dtype.name != floatx():
        tensor = tf.cast(tensor, floatx())
    return tensor


def check_sizes(**structures: Any) -> int:
    """How many samples there are; ValueError if arrays differ in that."""
    sizes = {
        name: [_size_of(leaf) for leaf in present(structure)]
        for name, structure in structures.items()
        if structure is not None
    }
    distinct = {size for each in sizes.values() for size in each}
    if len(distinct) == 1:
        return distinct.pop()
    listed = "".join(f"'{name}' sizes: {', '.join(map(str, s))}\n" for name, s in sizes.items())
    raise ValueError(
        f"Data cardinality is ambiguous: the sizes of axis 0, the number of samples, differ. "
        f"Received:\n{listed}All need the same size: check how x and y were loaded or split, for "
        f"instance with x[:n] and y[:n]."
    )


def _size_of(array: Any) -> int:
    if not len(array.shape):
        raise ValueError(f"Data must have an axis of samples. Received a scalar: {array}")
    return int(array.shape[0])


class ArrayAdapter:
    """Batches of arrays, in order or in another order each time."""

    def __init__(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        batch_size: int | None = None,
        shuffle: Any = False,
        class_weight: Any = None,
    ) -> None:
        refuse_both(class_weight, sample_weight)
        if class_weight is not None:
            if y is None:
                raise ValueError("`class_weight` needs targets: pass them as `y`.")
            sample_weight = weights_of_samples(y, class_weight)
        elif sample_weight is not None and y is not None:
            sample_weight = _for_each_output(sample_weight, y)
        self._samples = check_sizes(x=x, y=y, sample_weight=sample_weight)
        self._batch_size = 32 if batch_size is None else int(batch_size)
        if self._batch_size < 1:
            raise ValueError(f"`batch_size` must be positive. Received: batch_size={batch_size}")
        self._shuffle = shuffle
        structure = pack_x_y_sample_weight(x, y, sample_weight)
        self._structure = structure
        leaves = present(structure)
        self._tensors: list[Any] = [
            SparseRows(leaf, floatx()) if is_sparse(leaf) else as_tensor(leaf) for leaf in leaves
        ]
        self._has_sparse = any(map(is_sparse, leaves))
        self.num_batches: int | None = math.ceil(self._samples / self._batch_size)
        # Returns the order that all workers use, from the one that this worker has drawn.
        self.same_order: Callable[[np.ndarray], np.ndarray] = lambda order: order

    def batches(self) -> Iterator[Any]:
        """The batches of one epoch."""
        pack = _packer(self._structure)
        if self._has_sparse:
            return map(pack, self._with_sparse())
        if self._shuffle:
            return map(pack, self._samples_shuffled())
        return map(pack, self._in_order(self._tensors, self._samples))

    def _order(self) -> np.ndarray:
        """The rows in random order, or those of each batch; with a seed, as Keras draws them."""
        permutations = Permutations()
        if self._shuffle != "batch":
            return self.same_order(permutations.draw(self._samples))
        starts = range(0, self._samples, self._batch_size)
        sizes = (min(self._batch_size, self._samples - start) for start in starts)
        rows = [start + permutations.draw(size) for start, size in zip(starts, sizes)]
        return self.same_order(np.concatenate(rows)) if rows else np.arange(0)

    def _with_sparse(self) -> Iterator[Any]:
        """Batches by the indices of rows."""
        size = self._batch_size
        order = self._order() if self._shuffle else np.arange(self._samples)
        for start in range(0, self._samples, size):
            rows = order[start : start + size]
            yield [
                tensor.take(rows) if isinstance(tensor, SparseRows) else tf.gather(tensor, rows)
                for tensor in self._tensors
            ]

    def _in_order(self, tensors: list[Any], samples: int) -> Iterable[Any]:
        """Batches of these tensors, one after the other."""
        size = self._batch_size
        if samples <= size:
            return [tensors] if samples else []
        if all(type(tensor) is _EAGER for tensor in tensors):
            return tf.data.Dataset.from_tensor_slices(tuple(tensors)).batch(size)
        parts = (slice(start, start + size) for start in range(0, samples, size))
        return ([tensor[part] for tensor in tensors] for part in parts)

    def _samples_shuffled(self) -> Iterator[Any]:
        """Batches of rows in another order; those of many batches are gathered at once."""
        order = self._order()
        bytes_of_row = sum(_bytes_of_row(tensor) for tensor in self._tensors)
        together = self._batch_size * max(_GATHERED // (self._batch_size * bytes_of_row), 1)
        for start in range(0, self._samples, together):
            rows = order[start : start + together]
            gathered = [tf.gather(tensor, rows) for tensor in self._tensors]
            yield from self._in_order(gathered, len(rows))

    def on_epoch_begin(self) -> None:
        """Arrays need no notice."""

    def on_epoch_end(self) -> None:
        """Arrays need no notice."""


def _bytes_of_row(tensor: Any) -> int:
    sizes = [size or 1 for size in tensor.shape[1:]]
    return max(math.prod(sizes) * tensor.dtype.size, 1)


def _for_each_output(sample_weight: Any, y: Any) -> Any:
    """Weights in the structure of the targets; one array is for all of them."""
    outputs = tf.nest.flatten(y)
    if len(outputs) > 1 and is_array(sample_weight):
        return tf.nest.pack_sequence_as(y, [sample_weight] * len(outputs))
    return sample_weight


def _packer(structure: Any) -> Any:
    """Return the function that packs leaves into the structure of a batch."""
    if isinstance(structure, tuple) and all(map(is_array, structure)):
        return tuple
    if is_array(structure):
        return lambda leaves: leaves[0]
    has_value = [leaf is not None for leaf in tf.nest.flatten(structure)]

    def pack(leaves: Any) -> Any:
        rest = iter(leaves)
        filled = [next(rest) if has else None for has in has_value]
        return tf.nest.pack_sequence_as(structure, filled)

    return pack


def split(
    arrays: tuple[Any, Any, Any], validation_split: float
) -> tuple[tuple[Any, Any, Any], tuple[Any, Any, Any]]:
    """Arrays for training, and the last part of each for validation."""
    leaves = present(arrays)
    other = [type(leaf) for leaf in leaves if not is_array(leaf)]
    if other or not leaves:
        raise ValueError(
            f"`validation_split` needs NumPy arrays or tensors, which it can slice. Received: "
            f"{[kind.__name__ for kind in other]}. Pass `validation_data` instead."
        )
    if not 0 < validation_split < 1:
        raise ValueError(
            f"`validation_split` must be a float between 0 and 1. Received: "
            f"validation_split={validation_split}"
        )
    samples = _size_of(leaves[0])
    boundary = math.floor(samples * (1.0 - validation_split))
    if boundary in (0, samples):
        raise ValueError(
            f"validation_split={validation_split} leaves no data for training or for validation, "
            f"as there are {samples} samples. Pass more data or another fraction."
        )

    def part(rows: slice) -> Any:
        return tf.nest.map_structure(
            lambda leaf: None if leaf is None else _part(leaf, rows), arrays
        )

    return part(slice(None, boundary)), part(slice(boundary, None))


def _part(value: Any, rows: slice) -> Any:
    """Some samples of an array."""
    if is_sparse(value):
        all_rows = SparseRows(value, floatx())
        return all_rows.take(np.arange(all_rows.shape[0])[rows])
    return value[rows] if isinstance(value, (_EAGER, tf.RaggedTensor)) else np.asarray(value)[rows]
