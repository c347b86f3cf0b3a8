"""`StaticVocabularyTable`: ids of vocabulary terms, and out-of-vocabulary buckets."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.lookup.tables import StaticHashTable, over_values
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.trackable import AutoTrackable
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.math.arithmetic import add_v2
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.strings.hash import string_to_hash_bucket_fast
from tapeflow._src.ops.strings.numbers import as_string

_KEYS = (dtypes.int64, dtypes.string)


class StaticVocabularyTable(AutoTrackable):
    """A table from terms to ids; out-of-vocabulary terms are hashed into extra ids.

    Args:
        initializer: Supplies the vocabulary; None for hash buckets alone.
        num_oov_buckets: The number of extra ids.
        lookup_key_dtype: The dtype of the keys, where there is no initializer.
        name: A name for the table.
        experimental_is_anonymous: Whether the table is shared with no other by name.

    Raises:
        ValueError: If `num_oov_buckets` is not positive.
        TypeError: If ids are not int64, or keys neither int64 nor strings.

    Example:
        >>> ids = tf.constant([0, 1], tf.int64)
        >>> initializer = tf.lookup.KeyValueTensorInitializer(["cat", "dog"], ids)
        >>> table = tf.lookup.StaticVocabularyTable(initializer, num_oov_buckets=1)
        >>> table.lookup(tf.constant(["dog", "fox"])).numpy()
        array([1, 2])
    """

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        self._buckets = int(num_oov_buckets)
        self._table: StaticHashTable | None = None
        self._key_dtype = dtypes.string
        self._name = name or "hash_bucket"
        if initializer is not None:
            self._key_dtype = _key_dtype(initializer, lookup_key_dtype)
            self._table = StaticHashTable(initializer, -1, name)
            self._name = self._table.name

    @property
    def key_dtype(self) -> DType:
        """The dtype of the terms."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the ids."""
        return dtypes.int64

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._name

    @property
    def resource_handle(self) -> Any:
        """The handle of the vocabulary's table; None if there is none."""
        return None if self._table is None else self._table.resource_handle

    def size(self, name: str | None = None) -> Any:
        """Return the number of ids, out-of-vocabulary buckets included."""
        return self._size(name=name or f"{self._name}_Size")

    @scoped("Size")
    def _size(self, name: str) -> Any:
        buckets = dispatch.convert(self._buckets, dtypes.int64)
        return buckets if self._table is None else add_v2(self._table.size(), buckets)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Look up the ids of terms.

        Args:
            keys: Tensor, sparse tensor or ragged tensor of terms.

        Returns:
            The ids, int64, in the same kind of tensor.

        Raises:
            TypeError: If the keys have another dtype.
        """
        if keys.dtype is not self._key_dtype:
            raise TypeError(f"Expected keys of dtype {self._key_dtype!r}, received {keys.dtype!r}.")
        return self._lookup(keys, name=name or f"{self._name}_Lookup")

    @scoped("Lookup")
    def _lookup(self, keys: Any, name: str) -> Any:
        return over_values(keys, self._ids)

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)

    def _ids(self, keys: Any) -> Any:
        terms = keys if keys.dtype is dtypes.string else as_string(keys)
        buckets = string_to_hash_bucket_fast(terms, num_buckets=self._buckets, name="hash_bucket")
        if self._table is None:
            return buckets
        if self._table.key_dtype is not keys.dtype:
            keys = cast(keys, DstT=self._table.key_dtype)
        ids = self._table.lookup(keys)
        buckets = add_v2(buckets, self._table.size())
        return select_v2(equal(ids, scalar(-1, ids)), buckets, ids)


def _key_dtype(initializer: Any, lookup_key_dtype: Any) -> DType:
    if initializer.value_dtype is not dtypes.int64:
        raise TypeError(
            f"Invalid `value_dtype`, expected {dtypes.int64!r} but got {initializer.value_dtype!r}."
        )
    dtype = initializer.key_dtype if lookup_key_dtype is None else as_dtype(lookup_key_dtype)
    if dtype.is_integer != initializer.key_dtype.is_integer:
        kind = "integer" if dtype.is_integer else "string"
        raise TypeError(f"Invalid `key_dtype`, expected {kind} but got {initializer.key_dtype!r}.")
    if dtype not in _KEYS:
        raise TypeError(f"Invalid `key_dtype`, expected one of {_KEYS}, but got {dtype!r}.")
    return dtype
