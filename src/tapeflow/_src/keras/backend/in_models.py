"""Functions on tensors that take KerasTensors, too: the call is then a part of a model."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from tapeflow._src.core.lazy import load_module
from tapeflow._src.keras.backend.catalogue import FILES
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.operation import Operation
from tapeflow._src.keras.utils.naming import auto_name

# The plain functions, by name.
_functions: dict[str, Callable[..., Any]] = {}


class BackendFunction(Operation):
    """A call of a function of `keras.backend` in a model."""

    def __init__(self, function: str, name: str | None = None) -> None:
        super().__init__(name or auto_name(function))
        self.function = function
        self._compute = _function(function)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the function on tensors."""
        return self._compute(*args, **kwargs)

    def get_config(self) -> dict[str, Any]:
        """The name of the operation and that of the function."""
        return {"name": self.name, "function": self.function}


def _function(name: str) -> Callable[..., Any]:
    if name not in _functions:
        for file, names in FILES.items():
            if name in names:
                load_module(f"tapeflow._src.keras.backend.{file}")
    if name not in _functions:
        raise ValueError(f"`keras.backend` has no function for models of the name {name!r}.")
    return _functions[name]


def _has_symbolic(values: Iterable[Any]) -> bool:
    for value in values:
        if isinstance(value, KerasTensor):
            return True
        if isinstance(value, (list, tuple)) and _has_symbolic(value):
            return True
    return False


def in_models(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let calls of `function` with KerasTensors be operations of a model."""
    name = function.__name__
    _functions[name] = function

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if _has_symbolic(args) or (kwargs and _has_symbolic(kwargs.values())):
            return BackendFunction(name)(*args, **kwargs)
        return function(*args, **kwargs)

    return wrapper
