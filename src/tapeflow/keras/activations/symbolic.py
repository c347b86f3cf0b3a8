"""Functions of a tensor that can also become part of a model that is put together."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tapeflow.keras.keras_tensor import KerasTensor
from tapeflow.keras.operation import Operation


def activation(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let `function` of a KerasTensor be an operation of a model."""
    name = "".join(word.capitalize() for word in function.__name__.split("_"))

    def call(self: Operation, *args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    members = {"call": call, "__module__": __name__, "__doc__": function.__doc__}
    operation = type(name, (Operation,), members)

    @functools.wraps(function)
    def wrapper(x: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(x, KerasTensor):
            return operation()(x, *args, **kwargs)
        return function(x, *args, **kwargs)

    return wrapper
