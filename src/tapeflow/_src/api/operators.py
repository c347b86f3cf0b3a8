"""`tf.__operators__`: Python operators of tensors that no other public function is.

Libraries keep the operators that were applied to symbolic values by these names.
"""

from __future__ import annotations

import operator
from typing import Any

from tapeflow._src.composite.ragged.tensor import RaggedTensor


def add(x: Any, y: Any, name: str | None = None) -> Any:
    """Return `x + y`."""
    return operator.add(x, y)


def eq(self: Any, other: Any) -> Any:
    """Return `self == other`."""
    return operator.eq(self, other)


def ne(self: Any, other: Any) -> Any:
    """Return `self != other`."""
    return operator.ne(self, other)


def getitem(tensor: Any, slice_spec: Any, var: Any = None) -> Any:
    """Return `tensor[slice_spec]`; of a variable `var`, a slice that can be assigned to."""
    return operator.getitem(tensor if var is None else var, slice_spec)


def ragged_getitem(rt_input: Any, key: Any) -> Any:
    """Return `rt_input[key]` of a ragged tensor."""
    return RaggedTensor.__getitem__(rt_input, key)
