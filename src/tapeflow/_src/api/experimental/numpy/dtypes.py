"""NumPy's names of dtypes, and functions about dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.types import DTypeLike

bool_ = np.bool_
complex128 = np.complex128
complex64 = np.complex64
complex_ = np.complex128
float16 = np.float16
float32 = np.float32
float64 = np.float64
float_ = np.float64
inexact = np.inexact
int16 = np.int16
int32 = np.int32
int64 = np.int64
int8 = np.int8
int_ = np.int64
object_ = np.object_
string_ = np.bytes_
uint16 = np.uint16
uint32 = np.uint32
uint64 = np.uint64
uint8 = np.uint8
unicode_ = np.str_

iinfo = np.iinfo
issubdtype = np.issubdtype

e = float(np.e)
inf = float(np.inf)
newaxis = None
pi = float(np.pi)


def finfo(dtype: DTypeLike) -> np.finfo[Any]:
    """Return the limits of a floating-point dtype.

    Args:
        dtype: A floating-point dtype of NumPy or TensorFlow.

    Returns:
        NumPy's `finfo` object.

    Example:
        >>> float(tf.experimental.numpy.finfo(tf.float32).max) > 1e38
        True
    """
    return np.finfo(dtype.as_numpy_dtype if isinstance(dtype, DType) else dtype)
