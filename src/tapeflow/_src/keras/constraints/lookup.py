"""Constraints by name and by config."""

from __future__ import annotations

from typing import Any

from tapeflow._src.internal.argument_types import Identifier
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


def serialize(constraint: Identifier) -> Any:
    """Return the config of a constraint.

    Args:
        constraint: A constraint.

    Returns:
        A dict, which `deserialize` takes.

    Example:
        >>> tf.keras.constraints.serialize(tf.keras.constraints.MaxNorm(3.0))["config"]
        {'max_value': 3.0, 'axis': 0}
    """
    return serialize_keras_object(constraint)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Create a constraint from its config.

    Args:
        config: A config of `serialize`, or a name; other strings are returned as they are.
        custom_objects: Dict from names to own classes and functions, which configs may name.

    Returns:
        A new object, or a function.

    Raises:
        TypeError: A config names a class that is not registered.

    Example:
        >>> tf.keras.constraints.deserialize({"class_name": "NonNeg", "config": {}}).get_config()
        {}
    """
    return from_config(config, CONSTRAINT, KNOWN, custom_objects)


def get(identifier: Any) -> Any:
    """Return the constraint for a name, config, class or function.

    Args:
        identifier: A name such as "max_norm", a config, a class, an object or function, or None.

    Returns:
        An object or a function; objects and functions as they are, None for None.

    Raises:
        ValueError: Nothing of that name is registered, or the identifier is of another type.

    Example:
        >>> tf.keras.constraints.get("unit_norm").axis
        0
    """
    return interpret(identifier, CONSTRAINT, KNOWN)
