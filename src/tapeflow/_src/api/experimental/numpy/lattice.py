"""Type promotion where every operation promotes: strong dtypes, and weak ones of Python numbers.

A weak dtype yields to a strong one of its kind or of a wider kind. `PromoMode.SAFE` allows a
combination only if the result has the dtype of one operand and the other loses no bits.
"""

from __future__ import annotations

from enum import Enum

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import DType

Kind = tuple[DType, bool]  # a dtype, and whether it is weak


class PromoMode(Enum):
    """Whether operations promote the dtypes of their operands, and how far."""

    NONE = 0
    LEGACY = 1
    SAFE = 2
    ALL = 3


_BOOL, _INT, _FLOAT, _COMPLEX = range(4)
_INT_BITS = {
    dtypes.int8: 7,
    dtypes.uint8: 8,
    dtypes.int16: 15,
    dtypes.uint16: 16,
    dtypes.int32: 31,
    dtypes.uint32: 32,
    dtypes.int64: 63,
    dtypes.uint64: 64,
}
_SIGNED = {8: dtypes.int8, 16: dtypes.int16, 32: dtypes.int32, 64: dtypes.int64}
# The whole numbers that a float holds exactly have so many bits.
_FLOAT_BITS = {
    dtypes.bfloat16: 8,
    dtypes.float16: 11,
    dtypes.float32: 24,
    dtypes.float64: 53,
    dtypes.complex64: 24,
    dtypes.complex128: 53,
}


def _family(dtype: DType) -> int:
    if dtype.is_bool:
        return _BOOL
    if dtype.is_integer:
        return _INT
    return _FLOAT if dtype.is_floating else _COMPLEX


def _wider_int(a: DType, b: DType) -> Kind:
    if a.is_unsigned == b.is_unsigned:
        return (a if a.size >= b.size else b), False
    unsigned, signed = (a, b) if a.is_unsigned else (b, a)
    if signed.size > unsigned.size:
        return signed, False
    # No integer holds both of 64 bits: a weak float is the least wrong.
    wider = _SIGNED.get(unsigned.size * 16)
    return (dtypes.float64, True) if wider is None else (wider, False)


def _wider_float(a: DType, b: DType) -> DType:
    if {a, b} == {dtypes.bfloat16, dtypes.float16}:
        return dtypes.float32
    if _family(a) == _family(b):
        return a if a.size >= b.size else b
    real, complex_ = (a, b) if a.is_floating else (b, a)
    return dtypes.complex128 if real is dtypes.float64 else complex_


def _strong(a: DType, b: DType) -> Kind:
    families = _family(a), _family(b)
    if families == (_INT, _INT):
        return _wider_int(a, b)
    if min(families) >= _FLOAT:
        return _wider_float(a, b), False
    return (a if families[0] > families[1] else b), False


def _weak_with_strong(weak: DType, strong: DType) -> Kind:
    weak_family, strong_family = _family(weak), _family(strong)
    if strong_family == _BOOL:
        return weak, True
    if weak_family <= strong_family:
        return strong, False
    if strong_family == _INT:
        return (dtypes.float64 if weak_family == _FLOAT else dtypes.complex128), True
    return (dtypes.complex128 if strong is dtypes.float64 else dtypes.complex64), False


def _join(a: Kind, b: Kind) -> Kind:
    if a == b:
        return a
    if a[1] and b[1]:
        family, other_family = _family(a[0]), _family(b[0])
        if family != other_family:
            return a if family > other_family else b
        return a if a[0].size >= b[0].size else b
    if a[1] or b[1]:
        weak, strong = (a[0], b[0]) if a[1] else (b[0], a[0])
        return _weak_with_strong(weak, strong)
    return _strong(a[0], b[0])


def _is_safe(a: Kind, b: Kind, result: DType) -> bool:
    if result not in (a[0], b[0]):
        return False
    for dtype, weak in (a, b):
        whole = dtype in _INT_BITS and not weak
        if whole and result in _FLOAT_BITS and _INT_BITS[dtype] > _FLOAT_BITS[result]:
            return False
    return True


def join(a: Kind, b: Kind, mode: PromoMode) -> Kind:
    """Return the common dtype of two operands; raise TypeError where the mode forbids it."""
    for kind in (a, b):
        if not (kind[0].is_numeric or kind[0].is_bool):
            if a[0] is b[0]:
                return a[0], False
            raise NotImplementedError(
                f"Implicit conversion between {_kind_text(a)} and {_kind_text(b)} is not "
                f"supported: cast one of them."
            )
    result = _join(a, b)
    if mode is PromoMode.SAFE and not _is_safe(a, b, result[0]):
        raise TypeError(
            f"{_kind_text(a)} and {_kind_text(b)} are not combined in promotion mode {mode}: "
            "the result could lose precision. Pass a dtype, use tf.cast, or enable the mode 'all'."
        )
    return result


def _kind_text(kind: Kind) -> str:
    return f"({kind[0]}, weak={kind[1]})"
