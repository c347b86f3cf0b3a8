"""The element types of tensors: `DType`, its singletons, and the ways to name one.

This part knows numbers and names only: how a dtype is called, which NumPy type stores it and
which number stands for it in TensorFlow's files. It knows nothing of tensors.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from functools import cache
from typing import Any, Literal, NoReturn

import ml_dtypes
import numpy

Kind = Literal["float", "complex", "int", "uint", "bool", "quantized", "string", "handle"]


class DType:
    """The type of a tensor's elements. Singletons: compare with `is` or `==`.

    `name` is the canonical name, `as_datatype_enum` the number used in GraphDef and checkpoints,
    `size` the bytes of one element (0 where an element has no fixed size), and `np` the NumPy
    dtype of the arrays that store such elements (object for strings and handles).

    Example:
        >>> tf.float32.is_floating, tf.float32.size, tf.float32.as_numpy_dtype
        (True, 4, <class 'numpy.float32'>)
    """

    __slots__ = (
        "__weakref__",
        "as_datatype_enum",
        "is_bool",
        "is_complex",
        "is_floating",
        "is_integer",
        "is_numeric",
        "is_numpy_compatible",
        "is_quantized",
        "is_unsigned",
        "name",
        "np",
        "real_dtype",
        "size",
    )

    name: str
    as_datatype_enum: int
    np: numpy.dtype[Any]
    size: int
    real_dtype: DType
    is_bool: builtins.bool
    is_complex: builtins.bool
    is_floating: builtins.bool
    is_integer: builtins.bool
    is_numeric: builtins.bool
    is_numpy_compatible: builtins.bool
    is_quantized: builtins.bool
    is_unsigned: builtins.bool

    def __new__(cls, type_enum: int) -> DType:
        """Return the dtype of that number: the singleton itself, never a second object."""
        dtype = _BY_ENUM.get(int(type_enum))
        if dtype is None:
            raise TypeError(f"{type_enum} is not the number of a dtype.")
        return dtype

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy scalar type (`np.float32`), or the structured dtype of a quantised type."""
        if not self.is_numpy_compatible:
            raise TypeError(f"{self.name} has no NumPy type: it is a handle, not a value.")
        if self is string:
            return object
        return self.np if self.is_quantized else self.np.type

    @property
    def base_dtype(self) -> DType:
        """The dtype itself: there are no reference dtypes."""
        return self

    @property
    def min(self) -> Any:
        """The smallest (most negative finite) value."""
        return _bound(self, "min", "minimum")

    @property
    def max(self) -> Any:
        """The largest finite value."""
        return _bound(self, "max", "maximum")

    @property
    def limits(self) -> tuple[Any, Any]:
        """The range of intensities of an image of this dtype: 0 to 1, or 0 to the largest int."""
        if self in (float32, float64):
            return 0, 1
        if self is bool:
            return 0, True
        if self in INTEGER:
            return 0, self.max
        raise ValueError(f"{self} does not have defined limits.")

    def is_compatible_with(self, other: Any) -> builtins.bool:
        """Return whether `other` names this dtype; TypeError if it names none.

        Args:
            other: A dtype, or what `tf.as_dtype` accepts.

        Example:
            >>> tf.float32.is_compatible_with("float32")
            True
        """
        return as_dtype(other) is self

    def is_subtype_of(self, other: Any) -> builtins.bool:
        """Return whether `other` is this dtype.

        Args:
            other: A dtype.

        Example:
            >>> tf.float32.is_subtype_of(tf.float32)
            True
        """
        return self is other

    def most_specific_common_supertype(self, types: Iterable[Any]) -> DType | None:
        """Return this dtype if all `types` are it, else None.

        Args:
            types: Dtypes.
        """
        return self if all(self is other for other in types) else None

    def __eq__(self, other: object) -> builtins.bool:
        if self is other:
            return True
        if type(other) is DType or other is None:
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    # Identity: sets and dicts of dtypes are looked up on every op call, and this hash needs no
    # frame.
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return as_dtype, (self.name,)

    def __copy__(self) -> DType:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> DType:
        return self

    def __setattr__(self, attribute: str, value: Any) -> NoReturn:
        raise AttributeError(f"{self!r} cannot be changed: dtypes are shared by the whole process.")

    def __delattr__(self, attribute: str) -> NoReturn:
        raise AttributeError(f"{self!r} cannot be changed: dtypes are shared by the whole process.")


@cache
def _bound(dtype: DType, which: str, word: str) -> Any:
    """Return an end of the range of numbers; looking it up takes as long as a small op."""
    if dtype.is_floating:
        return getattr(ml_dtypes.finfo(dtype.np), which)
    if dtype.is_integer:
        return int(getattr(ml_dtypes.iinfo(dtype.np), which))
    raise TypeError(f"Cannot find the {word} value of {dtype}.")


_BY_ENUM: dict[int, DType] = {}

# The table of `as_dtype`: names, numbers, NumPy dtypes and scalar types, Python types.
_BY_ALIAS: dict[Any, DType] = {}

# The dtype of an array in one lookup: `FROM_NUMPY[array.dtype]`. Byte strings, unicode strings
# and arrays of the other byte order are not here: they must be converted first (`as_dtype` knows).
FROM_NUMPY: dict[numpy.dtype[Any], DType] = {}

# TensorFlow counts only these widths among the numeric types, not the 8-bit floats and below.
_NARROW = ("float8", "float4", "int4", "uint4", "int2", "uint2")


def _make(name: str, number: int, kind: Kind, stored_as: Any) -> DType:
    dtype = object.__new__(DType)
    array_dtype = numpy.dtype(stored_as)
    has_values = kind not in ("string", "handle")
    fields = {
        "name": name,
        "as_datatype_enum": number,
        "np": array_dtype,
        "size": array_dtype.itemsize if has_values else 0,
        "real_dtype": dtype,
        "is_bool": kind == "bool",
        "is_complex": kind == "complex",
        "is_floating": kind == "float",
        "is_integer": kind in ("int", "uint"),
        "is_numeric": has_values and kind != "bool" and not name.startswith(_NARROW),
        "is_numpy_compatible": kind != "handle",
        "is_quantized": kind == "quantized",
        "is_unsigned": kind == "uint",
    }
    for field, value in fields.items():
        object.__setattr__(dtype, field, value)
    _BY_ENUM[number] = _BY_ALIAS[number] = _BY_ALIAS[name] = dtype
    if dtype.is_numpy_compatible:
        FROM_NUMPY[array_dtype] = _BY_ALIAS[array_dtype] = dtype
        if kind != "quantized":
            _BY_ALIAS[array_dtype.type] = dtype
    return dtype


float16 = half = _make("float16", 19, "float", numpy.float16)
bfloat16 = _make("bfloat16", 14, "float", ml_dtypes.bfloat16)
float32 = _make("float32", 1, "float", numpy.float32)
float64 = double = _make("float64", 2, "float", numpy.float64)
float8_e5m2 = _make("float8_e5m2", 24, "float", ml_dtypes.float8_e5m2)
float8_e4m3fn = _make("float8_e4m3fn", 25, "float", ml_dtypes.float8_e4m3fn)
float8_e4m3fnuz = _make("float8_e4m3fnuz", 26, "float", ml_dtypes.float8_e4m3fnuz)
float8_e4m3b11fnuz = _make("float8_e4m3b11fnuz", 27, "float", ml_dtypes.float8_e4m3b11fnuz)
float8_e5m2fnuz = _make("float8_e5m2fnuz", 28, "float", ml_dtypes.float8_e5m2fnuz)
float4_e2m1fn = _make("float4_e2m1fn", 33, "float", ml_dtypes.float4_e2m1fn)

int8 = _make("int8", 6, "int", numpy.int8)
int16 = _make("int16", 5, "int", numpy.int16)
int32 = _make("int32", 3, "int", numpy.int32)
int64 = _make("int64", 9, "int", numpy.int64)
uint8 = _make("uint8", 4, "uint", numpy.uint8)
uint16 = _make("uint16", 17, "uint", numpy.uint16)
uint32 = _make("uint32", 22, "uint", numpy.uint32)
uint64 = _make("uint64", 23, "uint", numpy.uint64)
int4 = _make("int4", 29, "int", ml_dtypes.int4)
uint4 = _make("uint4", 30, "uint", ml_dtypes.uint4)
int2 = _make("int2", 31, "int", ml_dtypes.int2)
uint2 = _make("uint2", 32, "uint", ml_dtypes.uint2)

complex64 = _make("complex64", 8, "complex", numpy.complex64)
complex128 = _make("complex128", 18, "complex", numpy.complex128)
object.__setattr__(complex64, "real_dtype", float32)
object.__setattr__(complex128, "real_dtype", float64)

bool = _make("bool", 10, "bool", numpy.bool_)
string = _make("string", 7, "string", object)
resource = _make("resource", 20, "handle", object)
variant = _make("variant", 21, "handle", object)

qint8 = _make("qint8", 11, "quantized", [("qint8", numpy.int8)])
quint8 = _make("quint8", 12, "quantized", [("quint8", numpy.uint8)])
qint16 = _make("qint16", 15, "quantized", [("qint16", numpy.int16)])
quint16 = _make("quint16", 16, "quantized", [("quint16", numpy.uint16)])
qint32 = _make("qint32", 13, "quantized", [("qint32", numpy.int32)])

_BY_ALIAS.update(
    {
        "half": float16,
        "float": float32,
        "double": float64,
        builtins.float: float32,
        builtins.bool: bool,
        builtins.object: string,
        numpy.str_: string,
        numpy.bytes_: string,
        # On some platforms these are distinct types beside int32 and int64.
        numpy.intc: int32,
        numpy.uintc: uint32,
        numpy.longlong: int64,
        numpy.ulonglong: uint64,
    }
)

# Groups of dtypes that ops accept.
FLOATING = frozenset({float16, bfloat16, float32, float64})
COMPLEX = frozenset({complex64, complex128})
FLOATING_COMPLEX = FLOATING | COMPLEX
SIGNED_INTEGER = frozenset({int8, int16, int32, int64})
UNSIGNED = frozenset({uint8, uint16, uint32, uint64})
INTEGER = SIGNED_INTEGER | UNSIGNED
REAL = FLOATING | INTEGER
NUMERIC = REAL | COMPLEX
ORDERED = REAL
INDEX = frozenset({int32, int64})
QUANTIZED = frozenset({qint8, quint8, qint16, quint16, qint32})
FLOAT8 = frozenset(
    {float8_e5m2, float8_e4m3fn, float8_e4m3fnuz, float8_e4m3b11fnuz, float8_e5m2fnuz}
)
ALL = frozenset(_BY_ENUM.values())


# The dtypes of variable cells and tensor lists, which take the place of arrays.
FROM_NUMPY[resource] = resource  # type: ignore[index]
FROM_NUMPY[variant] = variant  # type: ignore[index]


def as_dtype(type_value: Any) -> DType:
    """Return the dtype that `type_value` names.

    A DType, a name (`"float32"`, `"half"`, `"double"`), a NumPy dtype, scalar type or array, the
    Python types `float`, `bool` and `object`, or a number of TensorFlow's `DataType` enum.
    Python's `int`, `complex` and `str` name none, as their width would be a guess.

    Args:
        type_value: The dtype or its name.

    Returns:
        A `tf.DType`.

    Raises:
        TypeError: If it names no dtype.

    Example:
        >>> tf.as_dtype("int32"), tf.as_dtype(np.float64)
        (tf.int32, tf.float64)
    """
    if type(type_value) is DType:
        return type_value
    try:
        dtype = _BY_ALIAS.get(type_value)
    except TypeError:  # unhashable, such as an array
        dtype = None
    if dtype is None:
        dtype = _from_array_dtype(getattr(type_value, "dtype", type_value))
    if dtype is None:
        raise TypeError(
            f"{type_value!r} is no dtype: expected a tf.DType such as tf.float32, its name "
            "('float32'), a NumPy dtype or a Python type."
        )
    return dtype


def _from_array_dtype(dtype: Any) -> DType | None:
    """Return the dtype of arrays of `dtype`, whatever their byte order or string length."""
    if not isinstance(dtype, numpy.dtype):
        return None
    if dtype.kind in "SUT":
        return string
    return FROM_NUMPY.get(dtype.newbyteorder("="))
