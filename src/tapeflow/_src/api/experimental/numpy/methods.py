"""NumPy's array methods and attributes that tensors get with NumPy behaviour."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.experimental.numpy import arithmetic, manipulation, reductions
from tapeflow._src.api.experimental.numpy.promotion import as_tensor_dtype
from tapeflow._src.api.math.casting import cast
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.types import Axis, DTypeLike


def astype(self: Any, dtype: DTypeLike) -> Any:
    """Cast the tensor to `dtype`; Python's `float` is float32."""
    try:
        target = as_dtype(dtype)
    except TypeError:
        target = as_tensor_dtype(dtype)
    return cast(self, target)


def clip(self: Any, a_min: Any, a_max: Any) -> Any:
    """Clip the tensor to `[a_min, a_max]`."""
    return arithmetic.clip(self, a_min, a_max)


def flatten(self: Any, order: str = "C") -> Any:
    """Flatten the tensor."""
    return manipulation.flatten(self, order)


def ravel(self: Any) -> Any:
    """Flatten the tensor."""
    return manipulation.ravel(self)


def reshape(self: Any, *newshape: Any, **kwargs: Any) -> Any:
    """Reshape the tensor; the shape is one argument or several."""
    order = kwargs.pop("order", "C")
    if kwargs:
        raise ValueError(f"Unsupported arguments: {', '.join(kwargs)}.")
    shape = newshape if len(newshape) > 1 or not newshape else newshape[0]
    return manipulation.reshape(self, shape, order)


def transpose(self: Any, axes: Axis | None = None) -> Any:
    """Permute the axes; reversed by default."""
    return manipulation.transpose(self, axes)


def tolist(self: Any) -> Any:
    """Return the values as nested Python lists."""
    return self.numpy().tolist()


def max(self: Any, axis: Axis | None = None, keepdims: Any = None) -> Any:
    """Compute the largest element."""
    return reductions.max(self, axis, keepdims)


def min(self: Any, axis: Axis | None = None, keepdims: Any = None) -> Any:
    """Compute the smallest element."""
    return reductions.min(self, axis, keepdims)


def mean(
    self: Any,
    axis: Axis | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: Any = None,
) -> Any:
    """Compute the mean."""
    return reductions.mean(self, axis, dtype, out, keepdims)


def _return_self(self: Any) -> Any:
    """Return the tensor itself: it has no strided memory."""
    return self


# Name -> attribute of a class of tensors.
METHODS: dict[str, Any] = {
    "T": property(manipulation.transpose),
    "astype": astype,
    "clip": clip,
    "data": property(_return_self),
    "flatten": flatten,
    "max": max,
    "mean": mean,
    "min": min,
    "ravel": ravel,
    "reshape": reshape,
    "size": property(manipulation.size),
    "tolist": tolist,
    "transpose": transpose,
}
