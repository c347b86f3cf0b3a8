"""`tensorflow.python.framework.type_spec_registry`: TypeSpecs by the names that files have."""

from __future__ import annotations

from typing import Any

from tapeflow import (
    NoneTensorSpec,
    RaggedTensorSpec,
    SparseTensorSpec,
    TensorArraySpec,
    TensorSpec,
)
from tapeflow._src.composite.ragged.row_partition import RowPartitionSpec
from tapeflow._src.standin.modules.bounded_spec import BoundedTensorSpec

# Those that libraries write into configurations by name.
_NAME_TO_TYPE_SPEC: dict[str, type] = {
    "tf.BoundedTensorSpec": BoundedTensorSpec,
    "tf.NoneTensorSpec": NoneTensorSpec,
    "tf.RaggedTensorSpec": RaggedTensorSpec,
    "tf.RowPartitionSpec": RowPartitionSpec,
    "tf.SparseTensorSpec": SparseTensorSpec,
    "tf.TensorArraySpec": TensorArraySpec,
    "tf.TensorSpec": TensorSpec,
}
_TYPE_SPEC_TO_NAME: dict[type, str] = {cls: name for name, cls in _NAME_TO_TYPE_SPEC.items()}


def register(name: str) -> Any:
    """Return a decorator that registers a TypeSpec under a name."""

    def decorate(cls: type) -> type:
        if name in _NAME_TO_TYPE_SPEC:
            raise ValueError(
                f"{name} is registered already, by {_NAME_TO_TYPE_SPEC[name].__qualname__}."
            )
        _NAME_TO_TYPE_SPEC[name] = cls
        _TYPE_SPEC_TO_NAME[cls] = name
        return cls

    return decorate


def get_name(cls: type) -> str:
    """Return the name that a TypeSpec is registered under."""
    if cls not in _TYPE_SPEC_TO_NAME:
        raise ValueError(f"The TypeSpec {cls.__qualname__} is not registered.")
    return _TYPE_SPEC_TO_NAME[cls]


def lookup(name: str) -> type:
    """Return the TypeSpec that is registered under a name."""
    if name not in _NAME_TO_TYPE_SPEC:
        raise ValueError(f"No TypeSpec is registered under {name!r}.")
    return _NAME_TO_TYPE_SPEC[name]
