"""Names for classes and functions that are not Keras' own, under which configs refer to them."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from typing import Any

# For every thread, by `package>name`; names in scopes are a thread's own.
_objects: dict[str, Any] = {}
_names: dict[Any, str] = {}


class _Scopes(threading.local):
    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}


_scopes = _Scopes()


class CustomObjectScope:
    """Context in which configs may refer to `custom_objects` by name.

    Args:
        custom_objects: Dict from names to classes and functions. They hold in the block, in this
            thread, besides registered ones.

    Example:
        >>> def twice(x):
        ...     return 2 * x
        >>> with tf.keras.utils.CustomObjectScope({"twice": twice}):
        ...     function = tf.keras.activations.deserialize("twice")
        >>> function(3)
        6
    """

    def __init__(self, custom_objects: dict[str, Any] | None) -> None:
        self.custom_objects = custom_objects or {}
        self._outer: list[dict[str, Any]] = []

    def __enter__(self) -> CustomObjectScope:
        self._outer.append(_scopes.objects)
        _scopes.objects = {**_scopes.objects, **self.custom_objects}
        return self

    def __exit__(self, *error: Any) -> None:
        _scopes.objects = self._outer.pop()


custom_object_scope = CustomObjectScope


def get_custom_objects() -> dict[str, Any]:
    """Return the registered objects by name: the dict itself, not a copy.

    Returns:
        A dict from names to classes and functions.

    Example:
        >>> isinstance(tf.keras.utils.get_custom_objects(), dict)
        True
    """
    return _objects


def registered() -> tuple[dict[str, Any], dict[Any, str]]:
    """All registered objects and their names, for `set_registered`."""
    return dict(_objects), dict(_names)


def set_registered(objects: tuple[dict[str, Any], dict[Any, str]]) -> None:
    """Register these objects, and no others."""
    for known, saved in zip((_objects, _names), objects):
        known.clear()
        known.update(saved)  # type: ignore[attr-defined]


def known_objects(custom_objects: dict[str, Any] | None = None) -> dict[str, Any]:
    """`custom_objects` with those of the scopes and the registered ones."""
    return {**(custom_objects or {}), **_scopes.objects, **_objects}


def register_keras_serializable(
    package: str = "Custom", name: str | None = None
) -> Callable[[Any], Any]:
    """Decorator that registers a class or function, so that configs can refer to it.

    Args:
        package: Prefix of the registered name, `package>name`.
        name: Name; by default that of the class or function.

    Returns:
        A decorator, which returns the class or function as it is.

    Raises:
        ValueError: A class has no `get_config` (when it is decorated).

    Example:
        >>> @tf.keras.saving.register_keras_serializable(package="mine")
        ... def twice(x):
        ...     return 2 * x
        >>> tf.keras.saving.get_registered_name(twice)
        'mine>twice'
    """

    def decorator(arg: Any) -> Any:
        registered_name = f"{package}>{arg.__name__ if name is None else name}"
        if inspect.isclass(arg) and not hasattr(arg, "get_config"):
            raise ValueError(
                f"{arg.__name__} must define `get_config()` to be registered: files hold the "
                f"config, from which the object is created again."
            )
        _objects[registered_name] = arg
        _names[arg] = registered_name
        return arg

    return decorator


def get_registered_name(obj: Any) -> str:
    """Return the name under which a class or function is registered, else its own name.

    Args:
        obj: A class or function.

    Returns:
        A string such as "package>name".

    Example:
        >>> tf.keras.saving.get_registered_name(tf.keras.layers.Dense)
        'Dense'
    """
    name = _names.get(obj)
    return obj.__name__ if name is None else name


def get_registered_object(
    name: Any,
    custom_objects: dict[str, Any] | None = None,
    module_objects: dict[str, Any] | None = None,
) -> Any:
    """Look up a class or function by name, in scopes and the registry; None if absent.

    Args:
        name: A name such as "package>name".
        custom_objects: Dict of further objects to search.
        module_objects: Dict of further objects to search, the last one.

    Returns:
        A class, a function, or None.

    Example:
        >>> tf.keras.saving.get_registered_object("Nobody>knows_this") is None
        True
    """
    for known in (_scopes.objects, _objects, custom_objects, module_objects):
        if known and name in known:
            return known[name]
    return None
