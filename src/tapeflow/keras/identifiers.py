"""Identifiers of Keras objects: a name, a config, a class, or the object itself."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable
from typing import Any

from tapeflow.keras.saving import deserialize_keras_object


def interpret(identifier: Any, kind: str, known: dict[str, Any], custom: Any = None) -> Any:
    """Return the object that `identifier` stands for.

    Args:
      identifier: a name in `known`, a config, a class, an object, or None.
      kind: what the objects are, for the error.
      known: the objects by name.
      custom: further objects by name.

    Raises:
      ValueError: `identifier` stands for no object.
    """
    if identifier is None:
        return None
    found = identifier
    if isinstance(identifier, (dict, str)):
        found = from_config(identifier, known, custom)
    if inspect.isclass(found):
        found = found()
    if callable(found):
        return found
    raise unknown_identifier(identifier, kind, known)


def check_names(structure: Any, kind: str, known: dict[str, Any]) -> None:
    """Raise ValueError if a string in lists, or in the values of a dict, names no object.

    Nothing is created: classes and functions are only looked up.
    """
    stack = list(structure.values()) if isinstance(structure, dict) else [structure]
    while stack:
        item = stack.pop()
        if isinstance(item, (list, tuple)):
            stack += item
        elif isinstance(item, str) and not _is_name(item, known):
            raise unknown_identifier(item, kind, known)


def _is_name(name: str, known: dict[str, Any]) -> bool:
    return name in known or name.lower() in known or callable(from_config(name, known))


def unknown_identifier(identifier: Any, kind: str, known: Iterable[str]) -> ValueError:
    """The error for an identifier that names nothing, with the name that was probably meant."""
    if not isinstance(identifier, str):
        return ValueError(
            f"Could not interpret {kind} identifier: expected a name, a config, a class or an "
            f"object. Received: {identifier!r} of type {type(identifier).__name__}"
        )
    lower = sorted({name for name in known if name.islower()})
    names = lower if identifier.islower() else sorted(set(known))
    exact = difflib.get_close_matches(identifier, names, 2)
    close = exact or difflib.get_close_matches(identifier.lower(), lower, 2)
    repair = f"Known names are {', '.join(lower)}."
    if close:
        repair = f"Did you mean {' or '.join(map(repr, close))}?"
    return ValueError(f"Could not interpret {kind} identifier: '{identifier}'. {repair}")


def from_config(config: Any, known: dict[str, Any], custom_objects: Any = None) -> Any:
    """The object of a config or of a name."""
    return deserialize_keras_object(config, module_objects=known, custom_objects=custom_objects)
