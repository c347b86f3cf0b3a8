"""Eager tensors that tell as little as those of a graph: to run the paths for unknown shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.eager.tensor import EagerTensor


class Untold(EagerTensor):
    """A tensor that does not say its value, only its shape."""

    __slots__ = ()

    @property
    def static_value(self) -> Any:
        return None


class Hidden(Untold):
    """A tensor that says neither its value nor its sizes, only its rank."""

    __slots__ = ()

    @property
    def static_shape(self) -> Any:
        return (None,) * self._array.ndim


class Formless(Hidden):
    """A tensor that does not even say its rank."""

    __slots__ = ()

    @property
    def static_shape(self) -> Any:
        return None


def hidden(value: Any, dtype: Any = np.int32) -> Untold:
    """A shape, an axis or indices that are yet to be computed."""
    return Untold(np.asarray(value, dtype))
