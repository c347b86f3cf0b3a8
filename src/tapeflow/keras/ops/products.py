"""Products of matrices and tensors."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow.keras.ops.declaring import declare
from tapeflow.keras.ops.promotion import result_type, to_tensor

_binary = functools.partial(declare, family="numpy", call=("x1", "x2"))


@_binary()
def matmul(x1: Any, x2: Any) -> Any:
    """Multiplies matrices, or stacks of them; a vector counts as one row or column."""
    x1, x2 = to_tensor(x1), to_tensor(x2)
    first, second = x1.dtype, x2.dtype
    if first is not second or not first.is_floating:
        result = "int32" if first is second is tf.int8 else result_type(first, second)
        compute = result_type(first, second, float)
        return tf.cast(_matmul(tf.cast(x1, compute), tf.cast(x2, compute)), result)
    return _matmul(x1, x2)


def _matmul(x1: Any, x2: Any) -> Any:
    ranks = x1.shape.rank, x2.shape.rank
    if ranks[1] == 1:
        return tf.tensordot(x1, x2, 1)
    if ranks[0] == 1:
        return tf.tensordot(x1, x2, [[0], [-2]])
    return tf.matmul(x1, x2)
