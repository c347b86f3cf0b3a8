"""Constraints by name and by config."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.constraints.constraints import (
    Constraint,
    MaxNorm,
    MinMaxNorm,
    NonNeg,
    RadialConstraint,
    UnitNorm,
)
from tapeflow._src.keras.identifiers import from_config, interpret
from tapeflow._src.keras.saving.registry import CONSTRAINT
from tapeflow._src.keras.utils.naming import to_snake_case
from tapeflow.keras.saving import serialize_keras_object

_CLASSES = (Constraint, MaxNorm, MinMaxNorm, NonNeg, RadialConstraint, UnitNorm)
KNOWN: dict[str, Any] = {
    **{cls.__name__: cls for cls in _CLASSES},
    **{to_snake_case(cls.__name__): cls for cls in _CLASSES},
}


def serialize(constraint: Any) -> Any:
    """Return the config of a constraint."""
    return serialize_keras_object(constraint)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Create a constraint from its config."""
    return from_config(config, CONSTRAINT, KNOWN, custom_objects)


def get(identifier: Any) -> Any:
    """Return the constraint for a name, config, class or function."""
    return interpret(identifier, CONSTRAINT, KNOWN)
