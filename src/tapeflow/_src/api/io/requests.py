"""Requested features sorted by representation: sparse, dense or ragged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from tapeflow._src.api.io.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.shape import as_dims
from tapeflow._src.ops.array.common import reshape, static_ints


@dataclass
class Requests:
    """The features that a parsing op must read, by key and representation."""

    sparse: dict[str, DType] = field(default_factory=dict)
    dense: dict[str, DType] = field(default_factory=dict)
    dense_shapes: dict[str, tuple[int | None, ...]] = field(default_factory=dict)
    dense_defaults: dict[str, Any] = field(default_factory=dict)
    may_be_missing: dict[str, bool] = field(default_factory=dict)
    ragged: dict[str, tuple[DType, DType]] = field(default_factory=dict)

    def add(self, key: str, feature: Any, allowed: tuple[type, ...]) -> None:
        """Request a feature, or the features that it is composed of."""
        if not isinstance(feature, allowed):
            raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key {key!r}")
        match feature:
            case VarLenFeature():
                self._add_sparse(key, feature.dtype)
            case SparseFeature():
                for index in index_keys(feature):
                    self._add_sparse(index, dtypes.int64)
                self._add_sparse(feature.value_key, feature.dtype)
            case FixedLenFeature():
                self._add_fixed(key, feature)
            case FixedLenSequenceFeature():
                self._add_dense(key, feature, as_dims(feature.shape) or ())
                self.dense_defaults[key] = feature.default_value
                self.may_be_missing[key] = feature.allow_missing
            case RaggedFeature():
                self._add_ragged(feature.value_key or key, feature.dtype, feature.row_splits_dtype)
                for partition in feature.partitions:
                    if not isinstance(partition, RaggedFeature.UniformRowLength):
                        self._add_ragged(partition.key, dtypes.int64, feature.row_splits_dtype)

    def _add_sparse(self, key: str, kind: Any) -> None:
        dtype = _checked_dtype(kind, key)
        if self.sparse.setdefault(key, dtype) is not dtype:
            raise ValueError(f"Conflicting type {self.sparse[key]} vs {dtype} for feature {key}.")

    def _add_ragged(self, key: str, kind: Any, splits: Any) -> None:
        entry = _checked_dtype(kind, key), as_dtype(splits)
        existing = self.ragged.setdefault(key, entry)
        if existing != entry:
            raise ValueError(f"Conflicting type {existing} vs {entry} for feature {key}.")

    def _add_fixed(self, key: str, feature: FixedLenFeature) -> None:
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
        dims = as_dims(feature.shape) or ()
        if None in dims[:1]:
            raise ValueError(
                f"FixedLenFeature '{key}' has an unknown first dimension: use "
                f"FixedLenSequenceFeature for lists of any length. Received: {feature}"
            )
        if None in dims:
            raise ValueError(
                f"FixedLenFeature '{key}' needs a fully known shape. Received: {feature.shape}"
            )
        self._add_dense(key, feature, dims)
        self.dense_defaults[key] = feature.default_value

    def _add_dense(self, key: str, feature: Any, dims: tuple[int | None, ...]) -> None:
        self.dense[key] = _checked_dtype(feature.dtype, key)
        self.dense_shapes[key] = dims

    def default_of(self, key: str) -> Any:
        """Return the default of a dense feature as a tensor; empty if it is required."""
        value, dtype = self.dense_defaults.get(key), self.dense[key]
        if value is None:
            return dispatch.convert([], dtype)
        dims = self.dense_shapes[key]
        tensor = dispatch.convert(value, dtype)
        return tensor if None in dims else reshape(tensor, static_ints(dims))


def requests(features: Mapping[str, Any] | None, allowed: tuple[type, ...]) -> Requests:
    """Return the `Requests` of a dict of features."""
    result = Requests()
    for key in sorted(features or ()):
        result.add(key, features[key], allowed)  # type: ignore[index]
    kinds_by_name: dict[str, Mapping[str, Any]] = {
        "Dense": result.dense,
        "Sparse": result.sparse,
        "Ragged": result.ragged,
    }
    for (one, first), (other, second) in combinations(kinds_by_name.items(), 2):
        twice = sorted(first.keys() & second.keys())
        if twice:
            raise ValueError(
                f"{one} and {other.lower()} keys must not intersect; intersection: {twice}"
            )
    return result


def index_keys(feature: SparseFeature) -> list[str]:
    """Return the keys of the features that hold the indices."""
    keys = feature.index_key
    return [keys] if isinstance(keys, str) else list(keys)


def _checked_dtype(kind: Any, key: str) -> DType:
    if not kind:
        raise ValueError(f"Missing type for feature {key}.")
    return as_dtype(kind)
