"""Shared by declarations of random ops: shapes, dtypes, and blocks to reserve."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import DType, as_dtype, float16, float32, float64, int32, int64
from tapeflow._src.core.errors import InvalidArgumentError, fmt_shape
from tapeflow._src.core.infer import Shape, shape_from_value
from tapeflow._src.core.random_state import reserves
from tapeflow._src.core.registry import InferError
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.kernels.random.fill import RESERVED
from tapeflow._src.kernels.random.philox import Array

COUNTS = frozenset({float16, float32, float64, int32, int64})
"""The dtypes of counts, such as Poisson numbers."""

GAMMA_DTYPES = frozenset({float16, float32, float64})


def dims_of(shape: np.ndarray) -> tuple[int, ...]:
    """Return the sizes in a shape tensor."""
    if shape.ndim != 1:
        raise InvalidArgumentError(
            None,
            None,
            f"shape must be a vector of {{int32,int64}}, got shape {fmt_shape(shape.shape)}",
        )
    dims = tuple(shape.tolist())
    for size in dims:
        if size < 0:
            raise InvalidArgumentError(None, None, f"Dimension {size} must be >= 0")
    return dims


def requested_shape(spec: Spec) -> Shape:
    """Like `dims_of`, for a shape rule."""
    if spec.shape is not None and len(spec.shape) != 1:
        raise InferError(
            f"shape must be a vector of {{int32,int64}}, got shape {fmt_shape(spec.shape)}"
        )
    return shape_from_value(spec)


def one_of(dtype: DTypeLike, allowed: frozenset[DType]) -> DType:
    """Return the attribute `dtype`; raise an error if the op does not support it."""
    chosen = as_dtype(dtype)
    if chosen not in allowed:
        names = ", ".join(sorted(d.name for d in allowed))
        text = (
            f"Value for attr 'dtype' of {chosen.name} is not in the list of allowed values: {names}"
        )
        raise InvalidArgumentError(None, None, text)
    return chosen


def fills(allowed: frozenset[DType]) -> Callable[..., Spec]:
    """Infer the shape of ops `(shape, …, *, dtype)`."""

    def rule(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
        return Spec(requested_shape(specs[0]), one_of(attrs["dtype"], allowed))

    return rule


def require_range(xp: ModuleType, low: Array, high: Array) -> None:
    """Raise InferError unless integer bounds are scalars, the lower one below the upper one."""
    for name, bound in (("minval", low), ("maxval", high)):
        if bound.ndim:
            raise InvalidArgumentError(
                None, None, f"{name} must be 0-D, got shape {fmt_shape(bound.shape)}"
            )
    xp.require(low < high, lambda: f"Need minval < maxval, got {low} >= {high}")


def trailing(dims: tuple[int, ...], parameters: tuple[int, ...]) -> int:
    """Return the samples per distribution of a shape that ends with the parameters' shape."""
    if dims[len(dims) - len(parameters) :] != parameters or len(dims) < len(parameters):
        raise InvalidArgumentError(None, None, "Shape passed in must end with broadcasted shape.")
    return math.prod(dims[: len(dims) - len(parameters)])


def require_trailing(shape: Shape, parameters: Shape) -> Shape:
    """Like `trailing`, for a shape rule, as far as sizes are static."""
    if shape is not None and parameters is not None:
        end = shape[len(shape) - len(parameters) :]
        if len(end) != len(parameters) or any(
            a is not None and b is not None and a != b for a, b in zip(end, parameters)
        ):
            raise InferError("Shape passed in must end with broadcasted shape.")
    return shape


def by_sample(numbers: Array, dims: tuple[int, ...]) -> Array:
    """Transpose `[distributions, samples]` to a shape whose last axes are the distributions."""
    return numbers.T.reshape(dims)


def count_of(shape: Any) -> int:
    """Return how many numbers a shape tensor requests; 0 if it is invalid (the body says why)."""
    return max(math.prod(shape.tolist()), 0) if shape.ndim == 1 else 0


def reserve_outputs(op_name: str) -> None:
    """Reserve blocks for every output of an op whose first input is a shape."""
    reserves(op_name)(lambda arrays, attrs: RESERVED * count_of(arrays[0]))


def reserve_outputs_each(op_name: str) -> None:
    """Likewise, where the second input has one distribution per element."""
    reserves(op_name)(lambda arrays, attrs: RESERVED * count_of(arrays[0]) * int(arrays[1].size))
