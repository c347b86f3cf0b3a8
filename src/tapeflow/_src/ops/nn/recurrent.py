"""Shared by the ops of recurrent layers: shape rules, activations, products over all steps."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.infer import merge_shape, require_rank
from tapeflow._src.core.registry import InferError
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.filling import fill
from tapeflow._src.ops.linalg.matmul import multiply

Sizes = tuple[int | None, int | None, int | None]


def check_sequence(
    x: Spec, kernel: Spec, states: dict[str, Spec], mask: Spec | None, gates: int
) -> Sizes:
    """Return the numbers of steps, rows and units; raise InferError unless all shapes agree."""
    require_rank(x, 3, "x")
    require_rank(kernel, 2, "kernel")
    steps, batch, wide = x.shape or (None, None, None)
    units, columns = kernel.shape or (None, None)
    state: Any = (batch, units)
    for name, spec in states.items():
        require_rank(spec, 2, name)
        state = merge_shape(state, spec.shape, f"{name} must have a row for each row of x") or state
    batch, units = state
    if mask is not None:
        require_rank(mask, 2, "mask")
        merged = merge_shape((steps, batch), mask.shape, "mask must have shape [steps, batch]")
        steps, batch = merged or (steps, batch)
    for name, size in (("x", wide), ("kernel", columns)):
        if size is not None and units is not None and size != gates * units:
            raise InferError(
                f"the last axis of {name} must hold {gates} gates of {units} units, "
                f"{gates * units} values; received {size}"
            )
    return steps, batch, units


def sigmoid(xp: ModuleType, x: Any) -> Any:
    """Compute the logistic function with one hyperbolic tangent, which neither overflows nor
    divides.
    """
    half = np.asarray(0.5, x.dtype)
    return xp.tanh(x * half) * half + half


def product(xp: ModuleType, a: Any, b: Any) -> Any:
    """Compute the product of two matrices, summed as `MatMul` does on each backend."""
    return multiply(a, b) if xp.name == "numpy" else xp.matmul(a, b)


def summed_product(xp: ModuleType, a: Any, b: Any) -> Any:
    """Compute the sum over steps and rows of the outer products of `a` and `b`, as one product."""
    rows = a.reshape(-1, a.shape[-1]), b.reshape(-1, b.shape[-1])
    return product(xp, xp.swapaxes(rows[0], 0, 1), rows[1])


def previous(xp: ModuleType, initial: Any, states: Any) -> Any:
    """Return the state before each step."""
    return xp.concatenate([initial[None], states[:-1]], 0)


def or_empty(gradient: Any, like: Any) -> Any:
    """Return `gradient`, or an empty tensor if nothing depends on that output."""
    return fill([0, 0, 0], like.dtype.as_numpy_dtype(0)) if gradient is None else gradient
