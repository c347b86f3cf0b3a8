"""`add_weight("kernel", ...)`: Keras 2 has the name first, where Keras 3 has the shape."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def accepts_name_first(*order: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a method so that a first argument that is a string is taken for the name.

    Args:
        *order: The names of the positional arguments of Keras 2.
    """

    def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            if args and isinstance(args[0], str):
                if len(args) > len(order):
                    raise TypeError(
                        f"`{method.__name__}` with the name first takes at most {len(order)} "
                        f"positional arguments: {', '.join(order)}. Received {len(args)}."
                    )
                return method(self, **dict(zip(order, args)), **kwargs)
            return method(self, *args, **kwargs)

        return call

    return decorate
