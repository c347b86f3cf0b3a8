"""Control flow over symbolic values of a Keras model that is being built.

Such a value has no number of rows to go through and is neither true nor false. Its class defines
`__tf_control_flow__(function, args, kwargs)`, which computes the result instead.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from tapeflow._src.core import nest
from tapeflow._src.core.types import TensorLike

_F = TypeVar("_F", bound=Callable[..., Any])


def stands_for_tensor(value: TensorLike) -> bool:
    """Whether control flow over `value` is deferred."""
    return hasattr(type(value), "__tf_control_flow__")


def deferring(parameter: str, position: int) -> Callable[[_F], _F]:
    """Declare the parameter that decides whether a call of the function is deferred."""

    def decorate(function: _F) -> _F:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            value = args[position] if position < len(args) else kwargs.get(parameter)
            for leaf in nest.flatten(value):
                if stands_for_tensor(leaf):
                    return leaf.__tf_control_flow__(call, args, kwargs)
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return decorate
