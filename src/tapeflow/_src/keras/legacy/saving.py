"""`tf.keras.legacy.saving`: configs in the form of Keras 2, which has no modules in them."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.saving.deserialization import (
    deserialize_keras_object as _deserialize_keras_object,
)
from tapeflow._src.keras.saving.object_registration import (
    get_registered_name as _get_registered_name,
)
from tapeflow._src.keras.saving.object_registration import known_objects as _known_objects


def serialize_keras_object(instance: Any) -> Any:
    """Return the config of an object: its class and arguments; of a function, its name.

    Args:
        instance: An object with `get_config`, a function, or None.

    Returns:
        A dict, a name, or None.

    Raises:
        ValueError: It is something else.

    Example:
        >>> keras.legacy.saving.serialize_keras_object(keras.regularizers.L2(0.5))
        {'class_name': 'L2', 'config': {'l2': 0.5}}
    """
    if instance is None:
        return None
    if hasattr(instance, "get_config"):
        name = _get_registered_name(type(instance))
        return {"class_name": name, "config": instance.get_config()}
    if hasattr(instance, "__name__"):
        return _get_registered_name(instance)
    raise ValueError(
        f"Expected an object with `get_config()`, or a function. Received: {instance!r}"
    )


def deserialize_keras_object(
    identifier: Any,
    module_objects: dict[str, Any] | None = None,
    custom_objects: dict[str, Any] | None = None,
    printable_module_name: str = "object",
) -> Any:
    """Create the object that `serialize_keras_object` described.

    Args:
        identifier: a config, or the name of a class or function.
        module_objects: classes and functions by name.
        custom_objects: those of the program, which come first.
        printable_module_name: what is looked for, in messages.

    Returns:
        The object; functions and None as they are.

    Raises:
        ValueError: A name is not registered.

    Example:
        >>> keras.legacy.saving.deserialize_keras_object("L2", {"L2": keras.regularizers.L2}).l2
        0.01
    """
    if identifier is None or (callable(identifier) and not isinstance(identifier, type)):
        return identifier
    if isinstance(identifier, dict):
        return _deserialize_keras_object(
            identifier, custom_objects, module_objects=module_objects or {}
        )
    if not isinstance(identifier, str):
        raise ValueError(f"Expected a config or a name. Received: {identifier!r}")
    named = {**(module_objects or {}), **_known_objects(custom_objects)}
    if identifier not in named:
        raise ValueError(
            f"Unknown {printable_module_name}: '{identifier}'. Pass it in `custom_objects`, or "
            f"register it with `@keras.saving.register_keras_serializable()`."
        )
    value = named[identifier]
    return value() if isinstance(value, type) else value
