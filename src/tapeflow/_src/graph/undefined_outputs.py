"""Placeholders for results that the branch taken does not define.

Their values are never used, but they are carried along, collected in lists, and queried for their
shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.tensor_list import TensorList


def absent(tensor: Any) -> Any:
    """Return a value like those of `tensor`, with size 0 where the shape is unknown."""
    if tensor.dtype is dtypes.variant:
        return TensorList(dtypes.float32, None)
    dims = tuple(0 if size is None else size for size in tensor.static_shape or ())
    filler = b"" if tensor.dtype is dtypes.string else 0
    # Broadcast from one element: no memory is used.
    return np.broadcast_to(np.array(filler, tensor.dtype.np), dims)
