"""A family of ops as a module: its functions, and on request its classes.

Keras has the `Operation` class `Sum` in the module of the function `sum`: files and pickles name
it there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.core.lazy import later
from tapeflow._src.keras.ops.catalogue import module_of, places
from tapeflow._src.keras.ops.declaring import operation_class


def family(name: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of the module of a family."""
    function, names = later(module_of(name), {}, places((name,)))

    def load(attribute: str) -> Any:
        cls = operation_class(name, attribute) if attribute[:1].isupper() else None
        return function(attribute) if cls is None else cls

    return load, names
