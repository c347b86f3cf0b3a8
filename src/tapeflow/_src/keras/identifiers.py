"""Identifiers of Keras objects: a name, a config, a class, or the object itself."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable
from typing import Any

from tapeflow._src.keras.saving.deserialization import read_object
from tapeflow._src.keras.saving.object_registration import get_registered_object
from tapeflow._src.keras.saving.registry import Kind


def interpret(identifier: Any, kind: Kind, known: dict[str, Any], custom: Any = None) -> Any:
    """Return the object that `identifier` stands for.

    Args:
      identifier: a name in `known`, a config, a class, an object, or None.
      kind: what the objects are; a config must be of it.
      known: the objects by name.
      custom: further objects by name.

    Raises:
      ValueError: `identifier` stands for no object.
    """
    if identifier is None:
        return None
    resolved = identifier
    if (
        isinstance(identifier, str)
        and identifier in known
        and get_registered_object(identifier, custom) is None
    ):
        # A name of Keras' own, as layers have by default, needs no reader of configs (100 us).
        resolved = known[identifier]
    elif isinstance(identifier, (dict, str)):
        resolved = from_config(identifier, kind, known, custom)
    if inspect.isclass(resolved):
        resolved = resolved()
    if callable(resolved):
        return resolved
    raise unknown_identifier(identifier, kind.label, known)


def check_names(structure: Any, kind: Kind, known: dict[str, Any]) -> None:
    """Raise ValueError if a string in lists, or in the values of a dict, names no object.

    Nothing is created: classes and functions are only looked up.
    """
    stack = list(structure.values()) if isinstance(structure, dict) else [structure]
    while stack:
        item = stack.pop()
        if isinstance(item, (list, tuple)):
            stack += item
        elif isinstance(item, str) and not _is_name(item, kind, known):
            raise unknown_identifier(item, kind.label, known)


def _is_name(name: str, kind: Kind, known: dict[str, Any]) -> bool:
    return name in known or name.lower() in known or callable(from_config(name, kind, known))


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


def from_config(config: Any, kind: Kind, known: dict[str, Any], custom_objects: Any = None) -> Any:
    """The object of a config or of a name."""
    return read_object(config, kind, custom_objects, named=known, required=False)
