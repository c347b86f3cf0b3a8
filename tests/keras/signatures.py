"""The names of Keras and what they take, as text: read here, and where Keras is installed.

`python tests/keras/signatures.py FILE` records Keras' own.
"""

from __future__ import annotations

import inspect
import json
import sys
from typing import Any

NAMESPACES = (
    *("", "activations", "backend", "callbacks", "config", "constraints", "dtype_policies"),
    *("initializers", "layers", "losses", "metrics", "mixed_precision", "models", "ops"),
    *("optimizers", "optimizers.schedules", "random", "regularizers", "saving", "tree"),
    "utils",
)
METHODS = ("call", "build", "get_config", "compute_output_shape", "add_weight", "summary")


def described(function: Any, skip: int) -> list[str] | None:
    """The parameters of a callable with their defaults, without the one for any names.

    None where that is not known, or where it takes whatever it is given.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())[skip:]
    except (TypeError, ValueError):
        return None
    found = []
    for each in parameters:
        if each.kind is each.VAR_POSITIONAL:
            return None
        if each.kind is each.VAR_KEYWORD:
            continue
        default = each.default
        plain = isinstance(default, (int, float, str, bool, tuple, type(None)))
        shown = "" if default is each.empty else f"={default!r}" if plain else "=..."
        found.append(f"{each.name}{shown}")
    return found


def namespace(keras: Any, name: str) -> Any:
    """A namespace of Keras by its name, or None."""
    found = keras
    for part in name.split(".") if name else ():
        found = getattr(found, part, None)
    return found


def names_of(module: Any) -> dict[str, Any]:
    """What a namespace offers, with parameters: of classes those of `__init__` and a few more."""
    found: dict[str, Any] = {}
    for name in sorted(getattr(module, "__all__", dir(module))):
        value = getattr(module, name)
        if name.startswith("_") or inspect.ismodule(value):
            continue
        if inspect.isclass(value):
            known = [m for m in METHODS if inspect.isfunction(getattr(value, m, None))]
            found[name] = {
                method: described(inspect.unwrap(getattr(value, method)), 1)
                for method in ("__init__", *known)
            }
        elif callable(value):
            found[name] = described(value, 0)
    return found


def main() -> None:
    import keras
    import tensorflow as tf

    recorded = {}
    for name in NAMESPACES:
        # `tf.keras` has all but this one, which programs import from Keras itself.
        source = keras if name == "saving" else tf.keras
        recorded[name] = names_of(namespace(source, name))
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(recorded, file, indent=0, sort_keys=True)


if __name__ == "__main__":
    main()
