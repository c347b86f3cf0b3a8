"""Regularizers by name and by config."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.identifiers import from_config, interpret
from tapeflow._src.keras.regularizers.regularizers import (
    L1,
    L1L2,
    L2,
    OrthogonalRegularizer,
    Regularizer,
)
from tapeflow._src.keras.saving.registry import REGULARIZER
from tapeflow.keras.saving import serialize_keras_object

_CLASSES = (Regularizer, L1, L2, L1L2, OrthogonalRegularizer)
KNOWN: dict[str, Any] = {
    **{cls.__name__: cls for cls in _CLASSES},
    **{cls.__name__.lower(): cls for cls in _CLASSES},
    "l1_l2": L1L2,
    "orthogonal_regularizer": OrthogonalRegularizer,
}


def serialize(regularizer: Any) -> Any:
    """Return the config of a regularizer."""
    return serialize_keras_object(regularizer)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Create a regularizer from its config."""
    return from_config(config, REGULARIZER, KNOWN, custom_objects)


def get(identifier: Any) -> Any:
    """Return the regularizer for a name, config, class or function."""
    return interpret(identifier, REGULARIZER, KNOWN)
