"""Columns of categories with a vocabulary, from a list or from a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tapeflow._src.api.feature_column.categorical import KeyedColumn, check_same_kind
from tapeflow._src.api.feature_column.column import require_categories, require_key
from tapeflow._src.api.feature_column.serialization import registered
from tapeflow._src.api.io.features import VarLenFeature
from tapeflow._src.api.io.records import read_records
from tapeflow._src.api.math.casting import cast
from tapeflow._src.api.scopes import init_scope
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core.dtypes import DType, as_dtype, int64, string
from tapeflow.io.gfile import GFile, exists
from tapeflow.lookup import (
    KeyValueTensorInitializer,
    StaticHashTable,
    StaticVocabularyTable,
    TextFileIndex,
    TextFileInitializer,
)

_RECORDS = "tfrecord_gzip"


@dataclass(frozen=True)
class _VocabularyColumn(KeyedColumn):
    """Base class of columns with a vocabulary: a table, which the column's layer owns."""

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}  # type: ignore[attr-defined]

    def _ids(self, categories: SparseTensor, state_manager: Any) -> SparseTensor:
        dtype = self.dtype  # type: ignore[attr-defined]
        check_same_kind(self.key, dtype, categories.dtype)
        values = categories.values
        if values.dtype.is_integer:
            values = cast(values, int64)
        ids = self._table(state_manager).lookup(values)
        return SparseTensor(categories.indices, ids, categories.dense_shape)

    def _table(self, state_manager: Any) -> Any:
        name = f"{self.key}_lookup"
        if state_manager.has_resource(self, name):
            return state_manager.get_resource(self, name)
        with init_scope():
            initializer = self._initializer()
            buckets = self.num_oov_buckets  # type: ignore[attr-defined]
            table: Any
            if buckets:
                table = StaticVocabularyTable(initializer, buckets, name=name)
            else:
                default = self.default_value  # type: ignore[attr-defined]
                table = StaticHashTable(initializer, default, name=name)
        state_manager.add_resource(self, name, table)
        return table

    def _initializer(self) -> Any:
        """Return the terms with their ids, for a table."""
        raise NotImplementedError(f"{type(self).__name__} must define `_initializer`.")


def _numbered(terms: Any, dtype: DType) -> KeyValueTensorInitializer:
    return KeyValueTensorInitializer(terms, list(range(len(terms))), dtype, int64)


@registered
@dataclass(frozen=True)
class VocabularyListCategoricalColumn(_VocabularyColumn):
    """Categories by their position in a list."""

    vocabulary_list: tuple[Any, ...]
    dtype: DType
    default_value: int
    num_oov_buckets: int

    @property
    def num_buckets(self) -> int:
        return len(self.vocabulary_list) + self.num_oov_buckets

    def _initializer(self) -> Any:
        dtype = int64 if self.dtype.is_integer else string
        return _numbered(np.array(self.vocabulary_list).tolist(), dtype)


@registered
@dataclass(frozen=True)
class VocabularyFileCategoricalColumn(_VocabularyColumn):
    """Categories by the number of their line, or record, in a file."""

    vocabulary_file: str
    vocabulary_size: int
    num_oov_buckets: int
    dtype: DType
    default_value: int
    file_format: str | None = None

    @property
    def num_buckets(self) -> int:
        return self.vocabulary_size + self.num_oov_buckets

    def _initializer(self) -> Any:
        dtype = int64 if self.dtype.is_integer else string
        if self.file_format == _RECORDS:
            records = list(read_records(self.vocabulary_file, "GZIP"))[: self.vocabulary_size]
            return _numbered(list(map(int, records)) if dtype is int64 else records, dtype)
        return TextFileInitializer(
            self.vocabulary_file,
            dtype,
            TextFileIndex.WHOLE_LINE,
            int64,
            TextFileIndex.LINE_NUMBER,
            vocab_size=self.vocabulary_size,
        )


def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Any,
    dtype: DType | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyListCategoricalColumn:
    """Return a categorical column whose ids are positions in a vocabulary list.

    Args:
        key: The name of the feature; "" and -1 are missing values.
        vocabulary_list: The terms, strings or integers, each once.
        dtype: The dtype of the feature, that of the terms by default.
        default_value: The id of terms that are not in the list; -1 leaves them out.
        num_oov_buckets: Spread such terms over this number of further ids instead.

    Returns:
        A categorical column, for `indicator_column`, `embedding_column` and crosses.

    Example:
        >>> pet = tf.feature_column.categorical_column_with_vocabulary_list("pet", ["cat", "dog"])
        >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(pet)])
        >>> layer({"pet": [["dog"], ["newt"]]}).numpy()
        array([[0., 1.],
               [0., 0.]], dtype=float32)
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"Column '{key}': the vocabulary must not be empty.")
    terms = tuple(vocabulary_list)
    if len(set(terms)) != len(terms):
        raise ValueError(f"Column '{key}': the vocabulary has a term twice: {terms}")
    kind = np.array(terms).dtype
    vocabulary_dtype = string if kind.kind in "OSU" else as_dtype(kind)
    _check_outsiders(key, default_value, -1, num_oov_buckets)
    require_categories(vocabulary_dtype, f"The vocabulary of column '{key}'")
    dtype = vocabulary_dtype if dtype is None else dtype
    if dtype.is_integer != vocabulary_dtype.is_integer:
        raise ValueError(
            f"Column '{key}': a vocabulary of {vocabulary_dtype.name} does not go with dtype "
            f"{dtype.name}."
        )
    require_categories(dtype, f"Column '{key}'")
    require_key(key)
    return VocabularyListCategoricalColumn(key, terms, dtype, default_value, num_oov_buckets)


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    dtype: DType = string,
    default_value: int | None = None,
    num_oov_buckets: int = 0,
    file_format: str | None = None,
) -> VocabularyFileCategoricalColumn:
    """Return a categorical column whose ids are line numbers of a vocabulary file.

    Args:
        key: The name of the feature; "" and -1 are missing values.
        vocabulary_file: The path of the file, with one term in each line.
        vocabulary_size: How many terms to read; all of the file by default.
        dtype: That of the feature: strings or integers.
        default_value: The id of terms that are not in the file; None leaves them out.
        num_oov_buckets: Spread such terms over this number of further ids instead.
        file_format: "tfrecord_gzip" for a compressed TFRecord file with one term in each record,
            which is the default for paths that end in "tfrecord.gz".

    Returns:
        A categorical column, for `indicator_column`, `embedding_column` and crosses.
    """
    if not vocabulary_file:
        raise ValueError(f"Column '{key}': `vocabulary_file` must be a path.")
    if file_format is None and vocabulary_file.endswith("tfrecord.gz"):
        file_format = _RECORDS
    if vocabulary_size is None:
        vocabulary_size = _count(key, vocabulary_file, file_format)
    if vocabulary_size < 1:
        raise ValueError(
            f"Column '{key}': `vocabulary_size` must be 1 or more. Received: {vocabulary_size}"
        )
    _check_outsiders(key, default_value, None, num_oov_buckets)
    require_categories(dtype, f"Column '{key}'")
    require_key(key)
    return VocabularyFileCategoricalColumn(
        key,
        vocabulary_file,
        vocabulary_size,
        num_oov_buckets or 0,
        dtype,
        -1 if default_value is None else default_value,
        file_format,
    )


def _count(key: str, path: str, file_format: str | None) -> int:
    """Return the number of terms in a file."""
    if not exists(path):
        raise ValueError(f"Column '{key}': the vocabulary file {path} does not exist.")
    if file_format == _RECORDS:
        return sum(1 for _ in read_records(path, "GZIP"))
    with GFile(path, "rb") as file:
        return sum(1 for _ in file)


def _check_outsiders(key: str, default: Any, unset: Any, buckets: Any) -> None:
    """Raise ValueError if out-of-vocabulary terms have both a default id and buckets."""
    if not buckets:
        return
    if default != unset:
        raise ValueError(
            f"Column '{key}': pass one of `num_oov_buckets` and `default_value`. Received: "
            f"num_oov_buckets={buckets}, default_value={default}"
        )
    if buckets < 0:
        raise ValueError(f"Column '{key}': `num_oov_buckets` must not be negative: {buckets}")
