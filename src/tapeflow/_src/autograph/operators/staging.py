"""Staging: conditions with a symbolic tensor, and leaves of loop variables."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.eager.variable import Variable
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.graph.subgraphs import current_graph, is_composite
from tapeflow._src.graph.tensor import SymbolicTensor, tracing
from tapeflow._src.ops.array.shape import reshape, static_ints

_PYTHON_VALUES = (bool, int, float, complex, str, bytes, np.generic, np.ndarray)
_STAGEABLE = (Tensor, Variable, *_PYTHON_VALUES)


def is_staged(value: Any) -> bool:
    """Whether code that depends on this value must be staged."""
    if isinstance(value, SymbolicTensor):
        return True
    return isinstance(value, Variable) and tracing()


def condition(value: Any, of: str) -> Any:
    """Convert to a scalar bool tensor, or raise an error that shows the value."""
    tensor = dispatch.convert(value)
    if tensor.dtype is not dtypes.bool:
        raise ValueError(
            f"condition of {of}: expected a `tf.bool` scalar, received {tensor}; compare it (x != "
            "0), or use tf.cast(x, tf.bool); to test for None, write `x is not None`"
        )
    dims = tensor.static_shape
    if dims == ():
        return tensor
    if dims is not None and any(d is not None and d > 1 for d in dims):
        raise ValueError(
            f"condition of {of}: expected a `tf.bool` scalar, received a tensor of shape "
            f"{tensor.shape}: {tensor}; use tf.reduce_any(x) or tf.reduce_all(x), or tf.where(x, "
            "a, b) to choose element by element"
        )
    return reshape(tensor, static_ints(()))


@contextmanager
def scratch() -> Iterator[FuncGraph]:
    """Trace the block into a temporary graph, to see its results."""
    outer = current_graph()
    graph = FuncGraph("scratch", outer=outer, part=True)
    # Random draws in here do not count.
    graph.seeds = copy.copy(outer.seeds)
    with graph.as_default(), dispatch.use_recorders(()):
        yield graph


def placeholder(dtype: Any, dims: tuple[int | None, ...] | None = ()) -> Any:
    """Return a tensor of which nothing else is known, in the temporary graph."""
    return current_graph().placeholder(dtype, dims, "unknown")


def unknown(leaf: Any) -> Any:
    """Return an unknown value like the initial one of a loop variable."""
    if not can_be_staged(leaf) or is_composite(leaf):
        return leaf
    tensor = dispatch.convert(leaf)
    return placeholder(tensor.dtype, tensor.static_shape)


def can_be_staged(leaf: Any) -> bool:
    """Whether a value can be passed through a branch or a loop of the graph."""
    return isinstance(leaf, _STAGEABLE) or is_composite(leaf)


def as_tensor(leaf: Any) -> Any:
    """Convert a value that can be staged to a tensor; composites stay unchanged."""
    if isinstance(leaf, Tensor) or is_composite(leaf):
        return leaf
    return dispatch.convert(leaf)


def dtype_of(leaf: Any) -> Any:
    """Return the dtype of a value that can be staged; None for a composite that has none."""
    if isinstance(leaf, Tensor | Variable) or is_composite(leaf):
        return getattr(leaf, "dtype", None)
    return dispatch.base_mode().convert(leaf, None, None, None).dtype


def zeros_like(value: Any) -> Any:
    """Return a dummy value of the same structure, dtypes and shapes.

    Unknown dimensions have size 0.
    """
    return nest.map_structure(_zero, value, expand_composites=True)


def _zero(leaf: Any) -> Any:
    if leaf is None or not can_be_staged(leaf):
        return leaf
    tensor = dispatch.convert(leaf)
    dims = tuple(d or 0 for d in tensor.static_shape or ())
    if tensor.dtype is dtypes.string:
        filled = np.full(dims, b"", object)
    else:
        filled = np.zeros(dims, tensor.dtype.as_numpy_dtype)
    return dispatch.convert(filled, tensor.dtype)
