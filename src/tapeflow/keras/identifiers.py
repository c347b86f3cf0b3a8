"""What users may write for an object of Keras: its name, its config, its class, or the object."""

from __future__ import annotations

import inspect
from typing import Any

from tapeflow.keras.saving import deserialize_keras_object


def interpret(identifier: Any, kind: str, known: dict[str, Any], custom: Any = None) -> Any:
    """The object that `identifier` stands for; ValueError unless there is one.

    `known` has the objects that go by names, of which `kind` says what they are.
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
    raise ValueError(f"Could not interpret {kind} identifier: {identifier}")


def from_config(config: Any, known: dict[str, Any], custom_objects: Any = None) -> Any:
    """The object of a config or of a name."""
    return deserialize_keras_object(config, module_objects=known, custom_objects=custom_objects)
