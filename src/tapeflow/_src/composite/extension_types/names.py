"""The names under which files know the specs of extension types.

A type is known to files if its class has a `__name__` of its own: the name must mean the same
class wherever a file is read.
"""

from __future__ import annotations

_classes: dict[str, type] = {}
_names: dict[type, str] = {}


def register(name: str, cls: type) -> None:
    """Register the name of a spec class in files; raise ValueError if the name is taken."""
    if name in _classes:
        existing = _classes[name]
        raise ValueError(
            f"Name {name} has already been registered for class "
            f"{existing.__module__}.{existing.__qualname__}."
        )
    _classes[name] = cls
    _names[cls] = name


def name_of(cls: type) -> str | None:
    """Return the name of a spec class in files, if it has one."""
    return _names.get(cls)


def class_of(name: str) -> type | None:
    """Return the spec class of that name in files, if it is known."""
    return _classes.get(name)
