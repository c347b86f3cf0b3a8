"""`tensorflow.python.util.tf_export`: marks of public names, which have no effect."""

from __future__ import annotations

from typing import Any

import tapeflow


class tf_export:
    """A decorator that leaves what it decorates as it is."""

    def __init__(self, *names: str, **kwargs: Any) -> None:
        self._names = names

    def __call__(self, target: Any) -> Any:
        """Return the target."""
        return target

    def export_constant(self, module_name: str, name: str) -> None:
        """Nothing to do: names are exported by the files of a namespace."""


keras_export = estimator_export = tf_export


def get_canonical_name_for_symbol(
    symbol: Any, api_name: str = "tensorflow", add_prefix_to_v1_names: bool = False
) -> str | None:
    """Return the public name of a function or class, or None."""
    name = getattr(symbol, "__name__", None)
    for space in ("", "math", "nn", "linalg", "image", "sparse", "strings", "random", "keras"):
        holder = getattr(tapeflow, space) if space else tapeflow
        if name is not None and getattr(holder, name, None) is symbol:
            return f"{space}.{name}" if space else str(name)
    return None


def get_symbol_from_name(name: str) -> Any:
    """Return what a public name stands for, or None."""
    found: Any = tapeflow
    for part in name.split("."):
        found = getattr(found, part, None)
        if found is None:
            return None
    return found
