"""The signatures of callable objects that stand for functions."""

from __future__ import annotations

import inspect
from typing import Any


class WrappedSignature:
    """The `__signature__` of objects with a function as `__wrapped__`: that of the function.

    Computed when it is read, since such objects are created often and inspected rarely.
    """

    def __get__(self, instance: Any, owner: Any = None) -> inspect.Signature | None:
        if instance is None:
            return None
        try:
            return inspect.signature(instance.__wrapped__)
        except (TypeError, ValueError) as error:
            raise AttributeError(f"{instance!r} has no signature: {error}") from None
