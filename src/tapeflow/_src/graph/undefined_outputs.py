"""What stands for a result that the branch taken left out.

Nothing looks at its value, but it is carried along, collected in lists, and may be asked its shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.tensor_list import TensorList


def absent(tensor: Any) -> Any:
    """A value like those of `tensor`, as far as its shape is known: of size 0 where it is not."""
    if tensor.dtype is dtypes.variant:
        return TensorList(dtypes.float32, None)
    dims = tuple(0 if size is None else size for size in tensor._dims or ())
    filler = b"" if tensor.dtype is dtypes.string else 0
    # One element however many there are: no memory is taken.
    return np.broadcast_to(np.array(filler, tensor.dtype.np), dims)
