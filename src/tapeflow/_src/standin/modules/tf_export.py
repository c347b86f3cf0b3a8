"""`tensorflow.python.util.tf_export`: the public names of what libraries export."""

from __future__ import annotations

import functools
from typing import Any

from tapeflow._src.internal.decorator import unwrap
from tapeflow._src.internal.public_functions import names, public_function

_symbols: dict[str, Any] = {}


class tf_export:
    """A decorator that notes the public names of a function or class, which stays as it is.

    Args:
        names: Public names, the preferred one first.
        v1: Names in the interface of version 1, if they differ.
        api_name: Whose interface it is.
    """

    def __init__(
        self, *names: str, v1: Any = None, api_name: str = "tensorflow", **options: Any
    ) -> None:
        self._names, self._api_name = names, api_name
        self._names_v1 = names if v1 is None else tuple(v1)

    def __call__(self, target: Any) -> Any:
        """Return the target."""
        _, plain = unwrap(target)
        for attribute, own in (("", self._names), ("_v1", self._names_v1)):
            if own:
                setattr(plain, f"_{self._api_name}_api_names{attribute}", own)
        _symbols.update(dict.fromkeys(self._names, target))
        _symbols.update(dict.fromkeys((f"compat.v1.{n}" for n in self._names_v1), target))
        return target

    def export_constant(self, module_name: str, name: str) -> None:
        """Nothing to note: constants have no names of their own."""


keras_export = functools.partial(tf_export, api_name="keras")
estimator_export = functools.partial(tf_export, api_name="estimator")


def get_canonical_name_for_symbol(
    symbol: Any, api_name: str = "tensorflow", add_prefix_to_v1_names: bool = False
) -> str | None:
    """Return the public name of a function or class, or None."""
    own = getattr(unwrap(symbol)[1], "__dict__", {})
    if exported := own.get(f"_{api_name}_api_names"):
        return str(exported[0])
    if exported := own.get(f"_{api_name}_api_names_v1"):
        return f"compat.v1.{exported[0]}" if add_prefix_to_v1_names else str(exported[0])
    return names().get(id(symbol)) if api_name == "tensorflow" else None


def get_symbol_from_name(name: str) -> Any:
    """Return what a public name stands for, or None."""
    symbol = _symbols.get(name)
    return public_function(name) if symbol is None else symbol
