"""`tf.__operators__`: Python operators of tensors that no other public function is.

Libraries keep the operators that were applied to symbolic values by these names.
"""

from __future__ import annotations

import operator
from typing import Any

from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.core.types import TensorLike


def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """Return `x + y`.

    Args:
        x: A tensor or a number.
        y: A tensor or a number.
        name: Name of the op in a graph.

    Returns:
        A tensor.
    """
    return operator.add(x, y)


def eq(self: Any, other: TensorLike) -> Any:
    """Return `self == other`.

    Args:
        other: What to compare with.

    Returns:
        A bool tensor.
    """
    return operator.eq(self, other)


def ne(self: Any, other: TensorLike) -> Any:
    """Return `self != other`.

    Args:
        other: What to compare with.

    Returns:
        A bool tensor.
    """
    return operator.ne(self, other)


def getitem(tensor: Any, slice_spec: Any, var: Any = None) -> Any:
    """Return `tensor[slice_spec]`; of a variable `var`, a slice that can be assigned to.

    Args:
        tensor: The tensor.
        slice_spec: An index, a slice, an ellipsis, `tf.newaxis`, or a tuple of them.
        var: The variable whose value the tensor is.

    Returns:
        A tensor.
    """
    return operator.getitem(tensor if var is None else var, slice_spec)


def ragged_getitem(rt_input: Any, key: Any) -> Any:
    """Return `rt_input[key]` of a ragged tensor.

    Args:
        rt_input: The ragged tensor.
        key: An index, a slice, or a tuple of them.

    Returns:
        A tensor or a ragged tensor.
    """
    return RaggedTensor.__getitem__(rt_input, key)
