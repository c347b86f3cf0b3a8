"""Lookup tables filled with the elements of a dataset."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeflow._src.api.lookup.initializers import TableInitializerBase
from tapeflow._src.api.lookup.tables import StaticHashTable
from tapeflow._src.api.lookup.vocabulary import StaticVocabularyTable
from tapeflow._src.api.scopes import init_scope
from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data.checking import counted
from tapeflow._src.data.dataset import Dataset
from tapeflow._src.ops.state import lookup as ops


class DatasetInitializer(TableInitializerBase):
    """Fills a lookup table with the elements of a dataset, each a pair of a key and a value.

    Args:
        dataset: Dataset of pairs of scalars.

    Raises:
        ValueError: If elements are something else.

    Example:
        >>> pairs = tf.data.Dataset.from_tensor_slices((["a", "b"], [1, 2]))
        >>> initializer = tf.data.experimental.DatasetInitializer(pairs)
        >>> table = tf.lookup.StaticHashTable(initializer, default_value=-1)
        >>> table.lookup(tf.constant(["b", "z"])).numpy()
        array([ 2, -1], dtype=int32)
    """

    def __init__(self, dataset: Dataset) -> None:
        key, value = _pair(dataset)
        self._dataset = dataset
        super().__init__(key.dtype, value.dtype)

    def initialize(self, table: Any) -> None:
        """Fill `table` with the elements.

        Args:
            table: The table.
        """
        self._require_dtypes(table)
        with init_scope():
            # At most one batch: all elements.
            for keys, values in self._dataset.batch(np.iinfo(np.int64).max):
                ops.lookup_table_import_v2(table.resource_handle, keys, values)


def _pair(dataset: Any) -> tuple[TensorSpec, TensorSpec]:
    """Return the specs of key and value, if elements are such pairs."""
    spec = getattr(dataset, "element_spec", None)
    if (
        not isinstance(spec, tuple)
        or len(spec) != 2
        or not all(isinstance(part, TensorSpec) and part.shape.rank in (None, 0) for part in spec)
    ):
        raise ValueError(
            f"A table is filled with a dataset of pairs of scalars, a key and its value. "
            f"Received: {dataset}"
        )
    return spec[0], spec[1]


class HasherSpec(NamedTuple):
    """How keys that a table does not have are assigned to buckets."""

    hasher: str
    key: Any


_FAST_HASH = HasherSpec("fasthash", None)


def table_from_dataset(
    dataset: Dataset | None = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: Any = None,
    hasher_spec: Any = _FAST_HASH,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
) -> Any:
    """Return a table with the elements of a dataset, each a pair of a key and a value.

    Args:
        dataset: The dataset.
        num_oov_buckets: How many ids more there are for keys that are not in the dataset.
        vocab_size: How many elements the dataset must have; those behind are left out.
        default_value: The value of keys that are not in the dataset; -1 by default, of numbers.
        hasher_spec: How such keys are assigned to the further ids: by their fingerprint.
        key_dtype: The dtype of keys that are looked up.
        name: The name of the table.

    Returns:
        A `tf.lookup.StaticHashTable`, or a `StaticVocabularyTable` if there are further ids.

    Raises:
        ValueError: If elements are no pairs of scalars, or there is no default for the values.
        TypeError: If keys are neither integers nor strings.
        NotImplementedError: For another `hasher_spec`.

    Example:
        >>> pairs = tf.data.Dataset.from_tensor_slices((["a", "b"], [10, 20]))
        >>> table = tf.data.experimental.table_from_dataset(pairs)
        >>> table.lookup(tf.constant(["b", "z"])).numpy()
        array([20, -1], dtype=int32)
    """
    if dataset is None:
        raise ValueError("Pass `dataset`, the keys and values of the table. Received: None")
    _, value = _pair(dataset)
    _check_hasher(hasher_spec)
    if default_value is None:
        if not (value.dtype.is_integer or value.dtype.is_floating):
            raise ValueError(
                f"A table of {value.dtype.name} values has no default value of its own: pass "
                f"`default_value`, the value of keys that are not in the dataset."
            )
        default_value = -1
    if num_oov_buckets < 0:
        raise ValueError(f"`num_oov_buckets` must be >= 0. Received: {num_oov_buckets}")
    key_dtype = as_dtype(key_dtype)
    if not key_dtype.is_integer and key_dtype is not dtypes.string:
        raise TypeError(f"`key_dtype` must be an integer or string. Received: {key_dtype!r}")
    if vocab_size is not None:
        if isinstance(vocab_size, int) and vocab_size < 1:
            raise ValueError(f"`vocab_size` must be > 0. Received: {vocab_size}")
        first = dataset.take(vocab_size)
        dataset = first._then(counted(first, vocab_size))
    initializer = DatasetInitializer(dataset)
    if num_oov_buckets:
        return StaticVocabularyTable(initializer, num_oov_buckets, key_dtype, name)
    return StaticHashTable(initializer, default_value, name)


def index_table_from_dataset(
    dataset: Dataset | None = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: Any = -1,
    hasher_spec: Any = _FAST_HASH,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
) -> Any:
    """Return a table from the elements of a dataset, the keys, to their positions in it.

    Args:
        dataset: Dataset of scalars, the keys.
        num_oov_buckets: How many ids more there are for keys that are not in the dataset.
        vocab_size: How many elements the dataset must have; those behind are left out.
        default_value: The value of keys that are not in the dataset.
        hasher_spec: How such keys are assigned to the further ids: by their fingerprint.
        key_dtype: The dtype of keys that are looked up.

    Returns:
        A `tf.lookup.StaticHashTable`, or a `StaticVocabularyTable` if there are further ids.

    Example:
        >>> words = tf.data.Dataset.from_tensor_slices(["cat", "dog"])
        >>> table = tf.data.experimental.index_table_from_dataset(words)
        >>> table.lookup(tf.constant(["dog", "fox"])).numpy()
        array([ 1, -1])
    """
    if dataset is None:
        raise ValueError("Pass `dataset`, the keys of the table. Received: None")
    pairs = dataset.enumerate().map(lambda index, key: (key, index))
    return table_from_dataset(
        pairs, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name
    )


def _check_hasher(spec: Any) -> None:
    """Raise unless keys are to be hashed by their fingerprint."""
    if getattr(spec, "hasher", None) != _FAST_HASH.hasher:
        raise NotImplementedError(
            f'Keys that a table does not have are hashed by their fingerprint, "fasthash". '
            f"Received hasher_spec={spec!r}: leave it out."
        )
