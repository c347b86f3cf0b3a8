"""The kinds of feature columns, and the features of one batch as the columns see them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NamedTuple

from tapeflow._src.api import arrays
from tapeflow._src.api.feature_column.serialization import as_plain, read_fields
from tapeflow._src.api.math.comparison import not_equal
from tapeflow._src.api.sparse.layout import reshape as sparse_reshape
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core.dtypes import as_dtype, int64, string
from tapeflow._src.core.types import TensorLike


class FeatureColumn:
    """Base class of columns. Subclasses are frozen dataclasses: equal ones are computed once."""

    is_feature_column = True

    @property
    def name(self) -> str:
        """The name of the column, which orders the columns of a layer and scopes its weights."""
        raise NotImplementedError(f"{type(self).__name__} must define `name`.")

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """The features that `tf.io.parse_example` must read for the column."""
        raise NotImplementedError(f"{type(self).__name__} must define `parse_example_spec`.")

    @property
    def parents(self) -> list[Any]:
        """The columns, or the names of the features, that this column is computed from."""
        raise NotImplementedError(f"{type(self).__name__} must define `parents`.")

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        """Compute the column from the features of a batch."""
        raise NotImplementedError(f"{type(self).__name__} must define `transform_feature`.")

    def create_state(self, state_manager: Any) -> None:
        """Create the variables of the column; most columns have none."""

    def __lt__(self, other: TensorLike) -> bool:
        return str(self) < str(other)

    def __gt__(self, other: TensorLike) -> bool:
        return str(self) > str(other)

    # -- configs -----------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """Return the fields of the column as plain data."""
        return {name: as_plain(getattr(self, name)) for name in self._names()}

    @classmethod
    def from_config(
        cls,
        config: dict[str, Any],
        custom_objects: dict[str, Any] | None = None,
        columns_by_name: dict[str, Any] | None = None,
    ) -> Any:
        """Create the column that `get_config` described."""
        if sorted(config) != sorted(cls._names()):
            raise ValueError(
                f"The config of a {cls.__name__} must have the keys {sorted(cls._names())}. "
                f"Received: {sorted(config)}"
            )
        values = read_fields(config, custom_objects, columns_by_name)
        if "dtype" in values:
            values["dtype"] = as_dtype(values["dtype"])
        return cls(**values)

    @classmethod
    def _names(cls) -> list[str]:
        return [field.name for field in fields(cls)]  # type: ignore[arg-type]


class DenseColumn(FeatureColumn):
    """A column with a tensor of one shape for each row of the batch."""

    @property
    def variable_shape(self) -> Any:
        """The shape of the column without the axis of the batch."""
        raise NotImplementedError(f"{type(self).__name__} must define `variable_shape`.")

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        """Return the values for a batch."""
        raise NotImplementedError(f"{type(self).__name__} must define `get_dense_tensor`.")


class IdWeightPair(NamedTuple):
    """The ids of categories and, with the same indices, their weights; None for weights of 1."""

    id_tensor: Any
    weight_tensor: Any


class CategoricalColumn(FeatureColumn):
    """A column with any number of categories for each row of the batch."""

    IdWeightPair = IdWeightPair

    @property
    def num_buckets(self) -> int:
        """The number of categories: ids are below it."""
        raise NotImplementedError(f"{type(self).__name__} must define `num_buckets`.")

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> Any:
        """Return the ids of the categories for a batch."""
        return IdWeightPair(transformation_cache.get(self, state_manager), None)


class TensorSequenceLengthPair(NamedTuple):
    """Sequences padded to one length, and how long each of them is."""

    dense_tensor: Any
    sequence_length: Any


class SequenceDenseColumn(FeatureColumn):
    """A column with a sequence of tensors for each row of the batch."""

    TensorSequenceLengthPair = TensorSequenceLengthPair

    def get_sequence_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        """Return the sequences for a batch."""
        raise NotImplementedError(f"{type(self).__name__} must define `get_sequence_dense_tensor`.")


class FeatureTransformationCache:
    """The features of one batch, and what columns have computed from them, each once."""

    def __init__(self, features: dict[Any, Any]) -> None:
        self._features = dict(features)
        self._computed: dict[Any, Any] = {}

    def get(self, key: Any, state_manager: Any, training: Any = None) -> Any:
        """Return a feature by its name, as a matrix at least, or the result of a column."""
        if key in self._computed:
            return self._computed[key]
        if key in self._features:
            value = _as_matrix(key, self._features[key])
        elif isinstance(key, str):
            raise ValueError(
                f"A column reads the feature '{key}', which is not in the features dictionary. "
                f"Received the features {sorted(map(str, self._features))}"
            )
        elif isinstance(key, FeatureColumn):
            value = key.transform_feature(self, state_manager)
        else:
            raise TypeError(f"Expected the name of a feature or a column. Received: {key!r}")
        if value is None:
            raise ValueError(f"The column {key} computed nothing.")
        self._computed[key] = value
        return value


def _as_matrix(key: Any, feature: Any) -> Any:
    """Return a feature with a second axis: a vector is one column."""
    if not isinstance(feature, SparseTensor):
        feature = arrays.convert_to_tensor(feature)
    rank = feature.shape.rank
    if rank == 0:
        raise ValueError(
            f"The feature '{key}' must have an axis for the rows of the batch: it cannot be of "
            f"rank 0. Received: {feature}"
        )
    if rank != 1:
        return feature
    if isinstance(feature, SparseTensor):
        return sparse_reshape(feature, [feature.dense_shape[0], 1])
    return arrays.expand_dims(feature, -1)


def as_sparse(tensor: Any, ignored: Any = None) -> SparseTensor:
    """Return a dense tensor without its missing values: "", -1, or `ignored`.

    A sparse one as it is.
    """
    if isinstance(tensor, SparseTensor):
        return tensor
    if ignored is None:
        ignored = "" if tensor.dtype == string else -1 if tensor.dtype.is_integer else 0
    present = not_equal(tensor, arrays.convert_to_tensor(ignored, tensor.dtype))
    values = arrays.boolean_mask(tensor, present)
    return SparseTensor(arrays.where(present), values, arrays.shape(tensor, int64))


def require_key(key: Any) -> None:
    """Raise a ValueError unless the key of a feature is a string."""
    if not isinstance(key, str):
        raise ValueError(
            f"The key of a column must be a string, the name of a feature. Received: {key!r} of "
            f"type {type(key).__name__}"
        )


def require_categories(dtype: Any, what: str) -> None:
    """Raise a ValueError unless a dtype is one that categories have."""
    if dtype != string and not dtype.is_integer:
        raise ValueError(f"{what}: expected strings or integers. Received the dtype {dtype.name}")
