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


def unknown_identifier(identifier: Any, kind: str, known: Iterable[str]) -> ValueError:
    """The error for an identifier that names nothing, with the name that was probably meant."""
    names = sorted(set(known))
    if not isinstance(identifier, str):
        return ValueError(
            f"Could not interpret {kind} identifier: expected a name, a config, a class or an "
            f"object. Received: {identifier!r} of type {type(identifier).__name__}"
        )
    exact = difflib.get_close_matches(identifier, names, 2)
    close = exact or difflib.get_close_matches(identifier.lower(), names, 2)
    repair = (
        f"Did you mean {' or '.join(map(repr, close))}?"
        if close
        else f"Known names are {', '.join(name for name in names if name.islower())}."
    )
    return ValueError(f"Could not interpret {kind} identifier: '{identifier}'. {repair}")


def from_config(config: Any, known: dict[str, Any], custom_objects: Any = None) -> Any:
    """The object of a config or of a name."""
    return deserialize_keras_object(config, module_objects=known, custom_objects=custom_objects)
