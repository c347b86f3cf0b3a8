"""`tf.experimental.dlpack`: exchange tensors with other libraries.

NumPy makes and reads the capsules. It has no bfloat16, which is handed over as 16-bit integers
under its own code.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.eager.tensor import EagerTensor

__all__ = ["from_dlpack", "to_dlpack"]

_NAME = b"dltensor"
_UNSIGNED, _BFLOAT = 1, 4
_CPU = (1, 0)


def to_dlpack(tf_tensor: Any) -> Any:
    """Export a tensor as a DLPack capsule; the data is copied, as the consumer may write to it.

    Args:
        tf_tensor: An eager tensor.

    Returns:
        A capsule, which can be consumed once.

    Example:
        >>> capsule = tf.experimental.dlpack.to_dlpack(tf.constant([1, 2]))
        >>> tf.experimental.dlpack.from_dlpack(capsule).numpy()
        array([1, 2], dtype=int32)
    """
    if not isinstance(tf_tensor, EagerTensor):
        raise InvalidArgumentError(
            None,
            None,
            f"The argument to `to_dlpack` must be a TF tensor, not Python object: got "
            f"{type(tf_tensor).__name__}, which is no tensor with a value.",
        )
    dtype: DType = tf_tensor.dtype
    array = np.array(tf_tensor)
    if dtype is dtypes.bfloat16:
        capsule = array.view(np.uint16).__dlpack__()
        _dtype_in(capsule).code = _BFLOAT
        return capsule
    try:
        return array.__dlpack__()
    except BufferError as error:
        raise InvalidArgumentError(
            None, None, f"to_dlpack: {dtype.name} has no place in DLPack: {error}"
        ) from error


def from_dlpack(dlcapsule: Any) -> Any:
    """Import the tensor of a DLPack capsule, sharing its memory; a capsule is consumed once.

    Args:
        dlcapsule: A capsule of another library, or of `to_dlpack`.

    Returns:
        A tensor that shares the memory.

    Raises:
        TypeError: If it is an object instead of a capsule.
        tf.errors.InvalidArgumentError: If it is no such capsule, or was consumed before.

    Example:
        >>> capsule = tf.experimental.dlpack.to_dlpack(tf.constant([1.0, 2.0]))
        >>> tf.experimental.dlpack.from_dlpack(capsule).numpy()
        array([1., 2.], dtype=float32)
    """
    if type(dlcapsule).__name__ != "PyCapsule":
        raise TypeError(
            f"from_dlpack takes a DLPack capsule, got {type(dlcapsule).__name__}: call its "
            f"`__dlpack__()` method, or tf.convert_to_tensor."
        )
    if not _is_valid(dlcapsule, _NAME):
        raise InvalidArgumentError(
            None,
            None,
            f'DLPack tensor must be a capsule with name "dltensor", got {dlcapsule!r}. Note that '
            f"a DLPack tensor may be consumed at most once.",
        )
    kind = _dtype_in(dlcapsule)
    is_bfloat = kind.code == _BFLOAT and kind.bits == 16
    if is_bfloat:
        kind.code = _UNSIGNED
    try:
        array = np.from_dlpack(_Exporter(dlcapsule))
    except (BufferError, RuntimeError, ValueError) as error:
        raise InvalidArgumentError(None, None, f"from_dlpack: {error}") from error
    return EagerTensor(array.view(dtypes.bfloat16.np) if is_bfloat else array)


class _Exporter:
    """An object with NumPy's DLPack protocol that returns an existing capsule."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CPU


# -- inside a capsule -------------------------------------------------------------------------


class _Dtype(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    """The first fields of the DLTensor struct, up to the dtype."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("dtype", _Dtype),
    ]


_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes, _is_valid.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_int
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes, _pointer.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p


def _dtype_in(capsule: Any) -> Any:
    """Return the dtype field of a capsule, which is writable."""
    return ctypes.cast(_pointer(capsule, _NAME), ctypes.POINTER(_Tensor)).contents.dtype
