"""Regularizers by name and by config."""

from __future__ import annotations

from typing import Any

from tapeflow._src.internal.argument_types import Identifier
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


def serialize(regularizer: Identifier) -> Any:
    """Return the config of a regularizer.

    Args:
        regularizer: A regularizer.

    Returns:
        A dict, which `deserialize` takes.

    Example:
        >>> tf.keras.regularizers.serialize(tf.keras.regularizers.L2(0.5))["config"]
        {'l2': 0.5}
    """
    return serialize_keras_object(regularizer)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Create a regularizer from its config.

    Args:
        config: A config of `serialize`, or a name; other strings are returned as they are.
        custom_objects: Dict from names to own classes and functions, which configs may name.

    Returns:
        A new object, or a function.

    Raises:
        TypeError: A config names a class that is not registered.

    Example:
        >>> tf.keras.regularizers.deserialize({"class_name": "L1", "config": {"l1": 0.5}}).l1
        0.5
    """
    return from_config(config, REGULARIZER, KNOWN, custom_objects)


def get(identifier: Any) -> Any:
    """Return the regularizer for a name, config, class or function.

    Args:
        identifier: A name such as "l2", a config, a class, an object or function, or None.

    Returns:
        An object or a function; objects and functions as they are, None for None.

    Raises:
        ValueError: Nothing of that name is registered, or the identifier is of another type.

    Example:
        >>> tf.keras.regularizers.get("l2").l2
        0.01
    """
    return interpret(identifier, REGULARIZER, KNOWN)
