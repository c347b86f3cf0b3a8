"""The public names of Keras' own classes and functions, as configs write them: `keras.layers`, …"""

from __future__ import annotations

from typing import Any

import tapeflow as tf

_HOME = "tapeflow.keras."
# Where configs without a module look for functions.
_FUNCTIONS = ("activations", "losses", "metrics", "ops", "initializers", "regularizers")


def public_module(obj: Any) -> str | None:
    """The namespace that offers a class or function, from `keras` on; None for those of others."""
    home = getattr(obj, "__module__", None) or ""
    if not home.startswith(_HOME):
        return None
    name = obj.__name__
    if getattr(tf.keras, name, None) is obj:
        return "keras"
    namespace: Any = tf.keras
    public = "keras"
    for part in home[len(_HOME) :].split("."):
        namespace, public = getattr(namespace, part, None), f"{public}.{part}"
        if hasattr(namespace, "__path__") and getattr(namespace, name, None) is obj:
            return public
    # Classes that are not offered, such as what `Model(inputs, outputs)` makes.
    return f"keras.src.{home[len(_HOME) :]}"


def builtin(module: str, name: str) -> Any:
    """What stands under a public name such as (`keras.layers`, `Dense`), or None."""
    path = module.split(".")
    if path[0] != "keras":
        return None
    # What is not offered stands in the file of that name.
    parts = path[2:] if path[1:2] == ["src"] else path[1:]
    found: Any = tf.keras
    for part in parts:
        found = getattr(found, part, None)
    return getattr(found, name, None)


def builtin_function(name: str) -> Any:
    """The function of that name, in whichever namespace there is one; or None."""
    for namespace in _FUNCTIONS:
        found = getattr(getattr(tf.keras, namespace, None), name, None)
        if found is not None:
            return found
    return None
