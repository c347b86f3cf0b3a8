"""Dtypes: the table of facts, the names `as_dtype` knows, and that there is one object each."""

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import FROM_NUMPY, DType, as_dtype

# name: (number in TensorFlow's DataType enum, NumPy type, bytes)
FACTS = {
    "float32": (1, np.float32, 4),
    "float64": (2, np.float64, 8),
    "int32": (3, np.int32, 4),
    "uint8": (4, np.uint8, 1),
    "int16": (5, np.int16, 2),
    "int8": (6, np.int8, 1),
    "string": (7, object, 0),
    "complex64": (8, np.complex64, 8),
    "int64": (9, np.int64, 8),
    "bool": (10, np.bool_, 1),
    "qint8": (11, np.dtype([("qint8", np.int8)]), 1),
    "quint8": (12, np.dtype([("quint8", np.uint8)]), 1),
    "qint32": (13, np.dtype([("qint32", np.int32)]), 4),
    "bfloat16": (14, ml_dtypes.bfloat16, 2),
    "qint16": (15, np.dtype([("qint16", np.int16)]), 2),
    "quint16": (16, np.dtype([("quint16", np.uint16)]), 2),
    "uint16": (17, np.uint16, 2),
    "complex128": (18, np.complex128, 16),
    "float16": (19, np.float16, 2),
    "resource": (20, None, 0),
    "variant": (21, None, 0),
    "uint32": (22, np.uint32, 4),
    "uint64": (23, np.uint64, 8),
    "float8_e5m2": (24, ml_dtypes.float8_e5m2, 1),
    "float8_e4m3fn": (25, ml_dtypes.float8_e4m3fn, 1),
    "float8_e4m3fnuz": (26, ml_dtypes.float8_e4m3fnuz, 1),
    "float8_e4m3b11fnuz": (27, ml_dtypes.float8_e4m3b11fnuz, 1),
    "float8_e5m2fnuz": (28, ml_dtypes.float8_e5m2fnuz, 1),
    "int4": (29, ml_dtypes.int4, 1),
    "uint4": (30, ml_dtypes.uint4, 1),
    "int2": (31, ml_dtypes.int2, 1),
    "uint2": (32, ml_dtypes.uint2, 1),
    "float4_e2m1fn": (33, ml_dtypes.float4_e2m1fn, 1),
}
PLAIN_INTS = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
NARROW_INTS = {"int2", "uint2", "int4", "uint4"}
FLOATS = {name for name in FACTS if "float" in name}
PLAIN_FLOATS = {"float16", "bfloat16", "float32", "float64"}
QUANTIZED = {name for name in FACTS if name.startswith(("qint", "quint"))}
COMPLEX = {"complex64", "complex128"}

every_dtype = pytest.mark.parametrize("dtype", sorted(dtypes.ALL, key=lambda d: d.name), ids=repr)


def names(group):
    return {dtype.name for dtype in group}


def test_the_table_is_complete():
    assert names(dtypes.ALL) == set(FACTS)


@pytest.mark.parametrize("name", FACTS)
def test_facts(name):
    number, numpy_type, size = FACTS[name]
    dtype = getattr(dtypes, name)
    assert (dtype.name, dtype.as_datatype_enum, dtype.size) == (name, number, size)
    assert DType(number) is as_dtype(number) is as_dtype(name) is dtype
    if numpy_type is None:
        assert not dtype.is_numpy_compatible
        assert dtype.np == np.dtype(object)
        with pytest.raises(TypeError, match="no NumPy type"):
            _ = dtype.as_numpy_dtype
    else:
        assert dtype.is_numpy_compatible
        assert dtype.as_numpy_dtype is numpy_type or dtype.as_numpy_dtype == numpy_type
        assert dtype.np == np.dtype(numpy_type)
        assert FROM_NUMPY[np.dtype(numpy_type)] is as_dtype(numpy_type) is dtype


@pytest.mark.parametrize(
    ("flag", "expected"),
    [
        ("is_floating", FLOATS),
        ("is_integer", PLAIN_INTS | NARROW_INTS),
        ("is_unsigned", {"uint2", "uint4", "uint8", "uint16", "uint32", "uint64"}),
        ("is_complex", COMPLEX),
        ("is_bool", {"bool"}),
        ("is_quantized", QUANTIZED),
        ("is_numeric", PLAIN_FLOATS | PLAIN_INTS | COMPLEX | QUANTIZED),
        ("is_numpy_compatible", set(FACTS) - {"resource", "variant"}),
    ],
)
def test_flags(flag, expected):
    assert {name for name in FACTS if getattr(as_dtype(name), flag)} == expected


@every_dtype
def test_each_is_one_immutable_object(dtype):
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert copy.copy(dtype) is copy.deepcopy(dtype) is dtype
    assert dtype.base_dtype is dtype
    assert repr(dtype) == f"tf.{dtype.name}"
    assert str(dtype) == f"<dtype: '{dtype.name}'>"
    with pytest.raises(AttributeError, match="cannot be changed"):
        dtype.name = "other"
    with pytest.raises(AttributeError, match="cannot be changed"):
        del dtype.name


def test_short_names():
    assert dtypes.half is dtypes.float16
    assert dtypes.double is dtypes.float64


def test_unknown_number():
    with pytest.raises(TypeError, match="77"):
        DType(77)


def test_real_dtype():
    for name in FACTS:
        expected = {"complex64": "float32", "complex128": "float64"}.get(name, name)
        assert as_dtype(name).real_dtype.name == expected


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("int2", -2, 1),
        ("uint2", 0, 3),
        ("int4", -8, 7),
        ("uint4", 0, 15),
        ("int8", -128, 127),
        ("uint8", 0, 255),
        ("int32", -2147483648, 2147483647),
        ("int64", -9223372036854775808, 9223372036854775807),
        ("uint64", 0, 18446744073709551615),
        ("float4_e2m1fn", -6.0, 6.0),
        ("float8_e4m3b11fnuz", -30.0, 30.0),
        ("float8_e4m3fnuz", -240.0, 240.0),
        ("float8_e4m3fn", -448.0, 448.0),
        ("float8_e5m2", -57344.0, 57344.0),
        ("float16", -65504.0, 65504.0),
        ("bfloat16", -3.3895313892515355e38, 3.3895313892515355e38),
        ("float32", -3.4028234663852886e38, 3.4028234663852886e38),
        ("float64", -1.7976931348623157e308, 1.7976931348623157e308),
    ],
)
def test_min_and_max(name, low, high):
    dtype = as_dtype(name)
    plain = int if dtype.is_integer else float
    assert (plain(dtype.min), plain(dtype.max)) == (low, high)
    assert type(dtype.min) is (int if dtype.is_integer else dtype.as_numpy_dtype)


@pytest.mark.parametrize("name", ["bool", "string", "complex64", "qint8", "resource", "variant"])
def test_no_min_nor_max(name):
    with pytest.raises(TypeError, match="minimum"):
        _ = as_dtype(name).min
    with pytest.raises(TypeError, match="maximum"):
        _ = as_dtype(name).max


def test_limits():
    assert dtypes.uint8.limits == (0, 255)
    assert dtypes.int16.limits == (0, 32767)
    assert dtypes.float32.limits == dtypes.float64.limits == (0, 1)
    assert dtypes.bool.limits == (0, True)
    for name in ("float16", "bfloat16", "complex64", "string", "int4", "qint8"):
        with pytest.raises(ValueError, match="does not have defined limits"):
            _ = as_dtype(name).limits


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (float, "float32"),
        (bool, "bool"),
        (object, "string"),
        ("float", "float32"),
        ("half", "float16"),
        ("double", "float64"),
        (np.dtype("f4"), "float32"),
        (np.dtype(">f4"), "float32"),
        (np.dtype(">i8"), "int64"),
        (np.dtype("S3"), "string"),
        (np.dtype("U3"), "string"),
        (np.dtype("O"), "string"),
        (np.dtypes.StringDType(), "string"),
        (np.str_, "string"),
        (np.bytes_, "string"),
        (np.object_, "string"),
        (np.intc, "int32"),
        (np.longlong, "int64"),
        (np.ulonglong, "uint64"),
        (np.dtype("longlong"), "int64"),
        (np.array(1.0), "float64"),
        (np.array(["a"]), "string"),
        (np.float32(1.5), "float32"),
        (19, "float16"),
    ],
    ids=repr,
)
def test_as_dtype(given, name):
    assert as_dtype(given).name == name


@pytest.mark.parametrize(
    "given",
    [
        *(int, complex, str, bytes, list, type, np.number, np.floating, np.longdouble),
        *("f4", "<f4", "int", "str", "object", "foo", "INT32", "tf.float32", "<dtype: 'float32'>"),
        *(0, 100, 1.5, None, False, [], {}, (), [1], object()),
        *(np.dtype("M8[s]"), np.dtype("V2"), np.dtype([("a", "f4")]), ml_dtypes.float8_e4m3),
    ],
)
def test_as_dtype_refuses(given):
    with pytest.raises(TypeError, match="no dtype: expected a"):
        as_dtype(given)
    assert dtypes.float32 != given


def test_equality_goes_through_as_dtype():
    assert dtypes.float32 == "float32" == dtypes.float32
    assert dtypes.float32 == np.float32 and np.dtype("f4") == dtypes.float32
    assert dtypes.float32 == float  # noqa: E721
    assert dtypes.float32 == 1
    assert dtypes.float32 != dtypes.float64 and dtypes.float32 != "double"
    assert dtypes.float32 in {dtypes.float32: 0}


def test_compatibility():
    assert dtypes.float32.is_compatible_with("float32")
    assert not dtypes.float32.is_compatible_with(dtypes.float64)
    with pytest.raises(TypeError, match="None"):
        dtypes.float32.is_compatible_with(None)
    assert dtypes.float32.is_subtype_of(dtypes.float32)
    assert not dtypes.float32.is_subtype_of(dtypes.float64)
    assert dtypes.float32.most_specific_common_supertype([dtypes.float32]) is dtypes.float32
    assert dtypes.float32.most_specific_common_supertype([dtypes.int32]) is None


def test_groups():
    assert names(dtypes.FLOATING) == PLAIN_FLOATS
    assert names(dtypes.COMPLEX) == COMPLEX
    assert names(dtypes.FLOATING_COMPLEX) == PLAIN_FLOATS | COMPLEX
    assert names(dtypes.INTEGER) == PLAIN_INTS
    assert dtypes.SIGNED_INTEGER | dtypes.UNSIGNED == dtypes.INTEGER
    assert names(dtypes.REAL) == names(dtypes.ORDERED) == PLAIN_FLOATS | PLAIN_INTS
    assert names(dtypes.NUMERIC) == PLAIN_FLOATS | PLAIN_INTS | COMPLEX
    assert names(dtypes.INDEX) == {"int32", "int64"}
    assert names(dtypes.QUANTIZED) == QUANTIZED
    assert names(dtypes.FLOAT8) == {name for name in FACTS if name.startswith("float8")}


@every_dtype
def test_an_array_finds_its_dtype(dtype):
    if dtype.is_numpy_compatible:
        assert FROM_NUMPY[np.empty(2, dtype.np).dtype] is dtype
