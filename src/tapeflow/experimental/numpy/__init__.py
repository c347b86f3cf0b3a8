"""`tf.experimental.numpy`: NumPy's functions on tensors, with NumPy's promotion of dtypes."""

from tapeflow._src.api.experimental.numpy.arithmetic import add as add
from tapeflow._src.api.experimental.numpy.arithmetic import arctan2 as arctan2
from tapeflow._src.api.experimental.numpy.arithmetic import bitwise_and as bitwise_and
from tapeflow._src.api.experimental.numpy.arithmetic import bitwise_or as bitwise_or
from tapeflow._src.api.experimental.numpy.arithmetic import bitwise_xor as bitwise_xor
from tapeflow._src.api.experimental.numpy.arithmetic import clip as clip
from tapeflow._src.api.experimental.numpy.arithmetic import divide as divide
from tapeflow._src.api.experimental.numpy.arithmetic import divmod as divmod
from tapeflow._src.api.experimental.numpy.arithmetic import float_power as float_power
from tapeflow._src.api.experimental.numpy.arithmetic import floor_divide as floor_divide
from tapeflow._src.api.experimental.numpy.arithmetic import gcd as gcd
from tapeflow._src.api.experimental.numpy.arithmetic import heaviside as heaviside
from tapeflow._src.api.experimental.numpy.arithmetic import hypot as hypot
from tapeflow._src.api.experimental.numpy.arithmetic import lcm as lcm
from tapeflow._src.api.experimental.numpy.arithmetic import logaddexp as logaddexp
from tapeflow._src.api.experimental.numpy.arithmetic import logaddexp2 as logaddexp2
from tapeflow._src.api.experimental.numpy.arithmetic import maximum as maximum
from tapeflow._src.api.experimental.numpy.arithmetic import minimum as minimum
from tapeflow._src.api.experimental.numpy.arithmetic import mod as mod
from tapeflow._src.api.experimental.numpy.arithmetic import multiply as multiply
from tapeflow._src.api.experimental.numpy.arithmetic import nextafter as nextafter
from tapeflow._src.api.experimental.numpy.arithmetic import power as power
from tapeflow._src.api.experimental.numpy.arithmetic import remainder as remainder
from tapeflow._src.api.experimental.numpy.arithmetic import subtract as subtract
from tapeflow._src.api.experimental.numpy.arithmetic import true_divide as true_divide
from tapeflow._src.api.experimental.numpy.behavior import (
    experimental_enable_numpy_behavior as experimental_enable_numpy_behavior,
)
from tapeflow._src.api.experimental.numpy.creation import arange as arange
from tapeflow._src.api.experimental.numpy.creation import array as array
from tapeflow._src.api.experimental.numpy.creation import asanyarray as asanyarray
from tapeflow._src.api.experimental.numpy.creation import ascontiguousarray as ascontiguousarray
from tapeflow._src.api.experimental.numpy.creation import copy as copy
from tapeflow._src.api.experimental.numpy.creation import empty as empty
from tapeflow._src.api.experimental.numpy.creation import empty_like as empty_like
from tapeflow._src.api.experimental.numpy.creation import eye as eye
from tapeflow._src.api.experimental.numpy.creation import full as full
from tapeflow._src.api.experimental.numpy.creation import full_like as full_like
from tapeflow._src.api.experimental.numpy.creation import geomspace as geomspace
from tapeflow._src.api.experimental.numpy.creation import identity as identity
from tapeflow._src.api.experimental.numpy.creation import linspace as linspace
from tapeflow._src.api.experimental.numpy.creation import logspace as logspace
from tapeflow._src.api.experimental.numpy.creation import meshgrid as meshgrid
from tapeflow._src.api.experimental.numpy.creation import ones as ones
from tapeflow._src.api.experimental.numpy.creation import ones_like as ones_like
from tapeflow._src.api.experimental.numpy.creation import tri as tri
from tapeflow._src.api.experimental.numpy.creation import vander as vander
from tapeflow._src.api.experimental.numpy.creation import zeros as zeros
from tapeflow._src.api.experimental.numpy.creation import zeros_like as zeros_like
from tapeflow._src.api.experimental.numpy.dtypes import bool_ as bool_
from tapeflow._src.api.experimental.numpy.dtypes import complex64 as complex64
from tapeflow._src.api.experimental.numpy.dtypes import complex128 as complex128
from tapeflow._src.api.experimental.numpy.dtypes import complex_ as complex_
from tapeflow._src.api.experimental.numpy.dtypes import e as e
from tapeflow._src.api.experimental.numpy.dtypes import finfo as finfo
from tapeflow._src.api.experimental.numpy.dtypes import float16 as float16
from tapeflow._src.api.experimental.numpy.dtypes import float32 as float32
from tapeflow._src.api.experimental.numpy.dtypes import float64 as float64
from tapeflow._src.api.experimental.numpy.dtypes import float_ as float_
from tapeflow._src.api.experimental.numpy.dtypes import iinfo as iinfo
from tapeflow._src.api.experimental.numpy.dtypes import inexact as inexact
from tapeflow._src.api.experimental.numpy.dtypes import inf as inf
from tapeflow._src.api.experimental.numpy.dtypes import int8 as int8
from tapeflow._src.api.experimental.numpy.dtypes import int16 as int16
from tapeflow._src.api.experimental.numpy.dtypes import int32 as int32
from tapeflow._src.api.experimental.numpy.dtypes import int64 as int64
from tapeflow._src.api.experimental.numpy.dtypes import int_ as int_
from tapeflow._src.api.experimental.numpy.dtypes import issubdtype as issubdtype
from tapeflow._src.api.experimental.numpy.dtypes import newaxis as newaxis
from tapeflow._src.api.experimental.numpy.dtypes import object_ as object_
from tapeflow._src.api.experimental.numpy.dtypes import pi as pi
from tapeflow._src.api.experimental.numpy.dtypes import string_ as string_
from tapeflow._src.api.experimental.numpy.dtypes import uint8 as uint8
from tapeflow._src.api.experimental.numpy.dtypes import uint16 as uint16
from tapeflow._src.api.experimental.numpy.dtypes import uint32 as uint32
from tapeflow._src.api.experimental.numpy.dtypes import uint64 as uint64
from tapeflow._src.api.experimental.numpy.dtypes import unicode_ as unicode_
from tapeflow._src.api.experimental.numpy.elementwise import abs as abs
from tapeflow._src.api.experimental.numpy.elementwise import absolute as absolute
from tapeflow._src.api.experimental.numpy.elementwise import angle as angle
from tapeflow._src.api.experimental.numpy.elementwise import around as around
from tapeflow._src.api.experimental.numpy.elementwise import bitwise_not as bitwise_not
from tapeflow._src.api.experimental.numpy.elementwise import cbrt as cbrt
from tapeflow._src.api.experimental.numpy.elementwise import ceil as ceil
from tapeflow._src.api.experimental.numpy.elementwise import conj as conj
from tapeflow._src.api.experimental.numpy.elementwise import conjugate as conjugate
from tapeflow._src.api.experimental.numpy.elementwise import exp as exp
from tapeflow._src.api.experimental.numpy.elementwise import exp2 as exp2
from tapeflow._src.api.experimental.numpy.elementwise import expm1 as expm1
from tapeflow._src.api.experimental.numpy.elementwise import fabs as fabs
from tapeflow._src.api.experimental.numpy.elementwise import fix as fix
from tapeflow._src.api.experimental.numpy.elementwise import floor as floor
from tapeflow._src.api.experimental.numpy.elementwise import imag as imag
from tapeflow._src.api.experimental.numpy.elementwise import log as log
from tapeflow._src.api.experimental.numpy.elementwise import log1p as log1p
from tapeflow._src.api.experimental.numpy.elementwise import log2 as log2
from tapeflow._src.api.experimental.numpy.elementwise import log10 as log10
from tapeflow._src.api.experimental.numpy.elementwise import negative as negative
from tapeflow._src.api.experimental.numpy.elementwise import positive as positive
from tapeflow._src.api.experimental.numpy.elementwise import real as real
from tapeflow._src.api.experimental.numpy.elementwise import reciprocal as reciprocal
from tapeflow._src.api.experimental.numpy.elementwise import round as round
from tapeflow._src.api.experimental.numpy.elementwise import sign as sign
from tapeflow._src.api.experimental.numpy.elementwise import signbit as signbit
from tapeflow._src.api.experimental.numpy.elementwise import sqrt as sqrt
from tapeflow._src.api.experimental.numpy.elementwise import square as square
from tapeflow._src.api.experimental.numpy.indexing import compress as compress
from tapeflow._src.api.experimental.numpy.indexing import ix_ as ix_
from tapeflow._src.api.experimental.numpy.indexing import nonzero as nonzero
from tapeflow._src.api.experimental.numpy.indexing import select as select
from tapeflow._src.api.experimental.numpy.indexing import take as take
from tapeflow._src.api.experimental.numpy.indexing import take_along_axis as take_along_axis
from tapeflow._src.api.experimental.numpy.indexing import where as where
from tapeflow._src.api.experimental.numpy.joining import append as append
from tapeflow._src.api.experimental.numpy.joining import concatenate as concatenate
from tapeflow._src.api.experimental.numpy.joining import dsplit as dsplit
from tapeflow._src.api.experimental.numpy.joining import dstack as dstack
from tapeflow._src.api.experimental.numpy.joining import hsplit as hsplit
from tapeflow._src.api.experimental.numpy.joining import hstack as hstack
from tapeflow._src.api.experimental.numpy.joining import split as split
from tapeflow._src.api.experimental.numpy.joining import stack as stack
from tapeflow._src.api.experimental.numpy.joining import vsplit as vsplit
from tapeflow._src.api.experimental.numpy.joining import vstack as vstack
from tapeflow._src.api.experimental.numpy.linear_algebra import cross as cross
from tapeflow._src.api.experimental.numpy.linear_algebra import diag as diag
from tapeflow._src.api.experimental.numpy.linear_algebra import diag_indices as diag_indices
from tapeflow._src.api.experimental.numpy.linear_algebra import diagflat as diagflat
from tapeflow._src.api.experimental.numpy.linear_algebra import diagonal as diagonal
from tapeflow._src.api.experimental.numpy.linear_algebra import dot as dot
from tapeflow._src.api.experimental.numpy.linear_algebra import einsum as einsum
from tapeflow._src.api.experimental.numpy.linear_algebra import inner as inner
from tapeflow._src.api.experimental.numpy.linear_algebra import kron as kron
from tapeflow._src.api.experimental.numpy.linear_algebra import matmul as matmul
from tapeflow._src.api.experimental.numpy.linear_algebra import outer as outer
from tapeflow._src.api.experimental.numpy.linear_algebra import polyval as polyval
from tapeflow._src.api.experimental.numpy.linear_algebra import tensordot as tensordot
from tapeflow._src.api.experimental.numpy.linear_algebra import trace as trace
from tapeflow._src.api.experimental.numpy.linear_algebra import vdot as vdot
from tapeflow._src.api.experimental.numpy.logic import allclose as allclose
from tapeflow._src.api.experimental.numpy.logic import array_equal as array_equal
from tapeflow._src.api.experimental.numpy.logic import count_nonzero as count_nonzero
from tapeflow._src.api.experimental.numpy.logic import equal as equal
from tapeflow._src.api.experimental.numpy.logic import greater as greater
from tapeflow._src.api.experimental.numpy.logic import greater_equal as greater_equal
from tapeflow._src.api.experimental.numpy.logic import isclose as isclose
from tapeflow._src.api.experimental.numpy.logic import isscalar as isscalar
from tapeflow._src.api.experimental.numpy.logic import less as less
from tapeflow._src.api.experimental.numpy.logic import less_equal as less_equal
from tapeflow._src.api.experimental.numpy.logic import logical_and as logical_and
from tapeflow._src.api.experimental.numpy.logic import logical_not as logical_not
from tapeflow._src.api.experimental.numpy.logic import logical_or as logical_or
from tapeflow._src.api.experimental.numpy.logic import logical_xor as logical_xor
from tapeflow._src.api.experimental.numpy.logic import not_equal as not_equal
from tapeflow._src.api.experimental.numpy.manipulation import atleast_1d as atleast_1d
from tapeflow._src.api.experimental.numpy.manipulation import atleast_2d as atleast_2d
from tapeflow._src.api.experimental.numpy.manipulation import atleast_3d as atleast_3d
from tapeflow._src.api.experimental.numpy.manipulation import broadcast_arrays as broadcast_arrays
from tapeflow._src.api.experimental.numpy.manipulation import broadcast_to as broadcast_to
from tapeflow._src.api.experimental.numpy.manipulation import expand_dims as expand_dims
from tapeflow._src.api.experimental.numpy.manipulation import flatten as flatten
from tapeflow._src.api.experimental.numpy.manipulation import flip as flip
from tapeflow._src.api.experimental.numpy.manipulation import fliplr as fliplr
from tapeflow._src.api.experimental.numpy.manipulation import flipud as flipud
from tapeflow._src.api.experimental.numpy.manipulation import moveaxis as moveaxis
from tapeflow._src.api.experimental.numpy.manipulation import ndim as ndim
from tapeflow._src.api.experimental.numpy.manipulation import pad as pad
from tapeflow._src.api.experimental.numpy.manipulation import ravel as ravel
from tapeflow._src.api.experimental.numpy.manipulation import repeat as repeat
from tapeflow._src.api.experimental.numpy.manipulation import reshape as reshape
from tapeflow._src.api.experimental.numpy.manipulation import roll as roll
from tapeflow._src.api.experimental.numpy.manipulation import rot90 as rot90
from tapeflow._src.api.experimental.numpy.manipulation import shape as shape
from tapeflow._src.api.experimental.numpy.manipulation import size as size
from tapeflow._src.api.experimental.numpy.manipulation import squeeze as squeeze
from tapeflow._src.api.experimental.numpy.manipulation import swapaxes as swapaxes
from tapeflow._src.api.experimental.numpy.manipulation import tile as tile
from tapeflow._src.api.experimental.numpy.manipulation import transpose as transpose
from tapeflow._src.api.experimental.numpy.manipulation import tril as tril
from tapeflow._src.api.experimental.numpy.manipulation import triu as triu
from tapeflow._src.api.experimental.numpy.number_kinds import iscomplex as iscomplex
from tapeflow._src.api.experimental.numpy.number_kinds import iscomplexobj as iscomplexobj
from tapeflow._src.api.experimental.numpy.number_kinds import isfinite as isfinite
from tapeflow._src.api.experimental.numpy.number_kinds import isinf as isinf
from tapeflow._src.api.experimental.numpy.number_kinds import isnan as isnan
from tapeflow._src.api.experimental.numpy.number_kinds import isneginf as isneginf
from tapeflow._src.api.experimental.numpy.number_kinds import isposinf as isposinf
from tapeflow._src.api.experimental.numpy.number_kinds import isreal as isreal
from tapeflow._src.api.experimental.numpy.number_kinds import isrealobj as isrealobj
from tapeflow._src.api.experimental.numpy.promotion import asarray as asarray
from tapeflow._src.api.experimental.numpy.promotion import promote_types as promote_types
from tapeflow._src.api.experimental.numpy.promotion import result_type as result_type
from tapeflow._src.api.experimental.numpy.reductions import all as all
from tapeflow._src.api.experimental.numpy.reductions import amax as amax
from tapeflow._src.api.experimental.numpy.reductions import amin as amin
from tapeflow._src.api.experimental.numpy.reductions import any as any
from tapeflow._src.api.experimental.numpy.reductions import argmax as argmax
from tapeflow._src.api.experimental.numpy.reductions import argmin as argmin
from tapeflow._src.api.experimental.numpy.reductions import average as average
from tapeflow._src.api.experimental.numpy.reductions import cumprod as cumprod
from tapeflow._src.api.experimental.numpy.reductions import cumsum as cumsum
from tapeflow._src.api.experimental.numpy.reductions import diff as diff
from tapeflow._src.api.experimental.numpy.reductions import max as max
from tapeflow._src.api.experimental.numpy.reductions import mean as mean
from tapeflow._src.api.experimental.numpy.reductions import min as min
from tapeflow._src.api.experimental.numpy.reductions import nanmean as nanmean
from tapeflow._src.api.experimental.numpy.reductions import nanprod as nanprod
from tapeflow._src.api.experimental.numpy.reductions import nansum as nansum
from tapeflow._src.api.experimental.numpy.reductions import prod as prod
from tapeflow._src.api.experimental.numpy.reductions import ptp as ptp
from tapeflow._src.api.experimental.numpy.reductions import std as std
from tapeflow._src.api.experimental.numpy.reductions import sum as sum
from tapeflow._src.api.experimental.numpy.reductions import var as var
from tapeflow._src.api.experimental.numpy.sorting import argsort as argsort
from tapeflow._src.api.experimental.numpy.sorting import sort as sort
from tapeflow._src.api.experimental.numpy.trigonometry import arccos as arccos
from tapeflow._src.api.experimental.numpy.trigonometry import arccosh as arccosh
from tapeflow._src.api.experimental.numpy.trigonometry import arcsin as arcsin
from tapeflow._src.api.experimental.numpy.trigonometry import arcsinh as arcsinh
from tapeflow._src.api.experimental.numpy.trigonometry import arctan as arctan
from tapeflow._src.api.experimental.numpy.trigonometry import arctanh as arctanh
from tapeflow._src.api.experimental.numpy.trigonometry import cos as cos
from tapeflow._src.api.experimental.numpy.trigonometry import cosh as cosh
from tapeflow._src.api.experimental.numpy.trigonometry import deg2rad as deg2rad
from tapeflow._src.api.experimental.numpy.trigonometry import rad2deg as rad2deg
from tapeflow._src.api.experimental.numpy.trigonometry import sin as sin
from tapeflow._src.api.experimental.numpy.trigonometry import sinc as sinc
from tapeflow._src.api.experimental.numpy.trigonometry import sinh as sinh
from tapeflow._src.api.experimental.numpy.trigonometry import tan as tan
from tapeflow._src.api.experimental.numpy.trigonometry import tanh as tanh
from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.core.tensor import Tensor as ndarray
from tapeflow.experimental.numpy import random as random

__all__ = [
    "abs",
    "absolute",
    "add",
    "all",
    "allclose",
    "amax",
    "amin",
    "angle",
    "any",
    "append",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argsort",
    "around",
    "array",
    "array_equal",
    "asanyarray",
    "asarray",
    "ascontiguousarray",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "average",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "bool_",
    "broadcast_arrays",
    "broadcast_to",
    "cbrt",
    "ceil",
    "clip",
    "complex128",
    "complex64",
    "complex_",
    "compress",
    "concatenate",
    "conj",
    "conjugate",
    "copy",
    "cos",
    "cosh",
    "count_nonzero",
    "cross",
    "cumprod",
    "cumsum",
    "deg2rad",
    "diag",
    "diag_indices",
    "diagflat",
    "diagonal",
    "diff",
    "divide",
    "divmod",
    "dot",
    "dsplit",
    "dstack",
    "e",
    "einsum",
    "empty",
    "empty_like",
    "equal",
    "exp",
    "exp2",
    "expand_dims",
    "experimental_enable_numpy_behavior",
    "expm1",
    "eye",
    "fabs",
    "finfo",
    "fix",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "float16",
    "float32",
    "float64",
    "float_",
    "float_power",
    "floor",
    "floor_divide",
    "full",
    "full_like",
    "gcd",
    "geomspace",
    "greater",
    "greater_equal",
    "heaviside",
    "hsplit",
    "hstack",
    "hypot",
    "identity",
    "iinfo",
    "imag",
    "inexact",
    "inf",
    "inner",
    "int16",
    "int32",
    "int64",
    "int8",
    "int_",
    "isclose",
    "iscomplex",
    "iscomplexobj",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "isscalar",
    "issubdtype",
    "ix_",
    "kron",
    "lcm",
    "less",
    "less_equal",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logspace",
    "matmul",
    "max",
    "maximum",
    "mean",
    "meshgrid",
    "min",
    "minimum",
    "mod",
    "moveaxis",
    "multiply",
    "nanmean",
    "nanprod",
    "nansum",
    "ndarray",
    "ndim",
    "negative",
    "newaxis",
    "nextafter",
    "nonzero",
    "not_equal",
    "object_",
    "ones",
    "ones_like",
    "outer",
    "pad",
    "pi",
    "polyval",
    "positive",
    "power",
    "prod",
    "promote_types",
    "ptp",
    "rad2deg",
    "random",
    "ravel",
    "real",
    "reciprocal",
    "remainder",
    "repeat",
    "reshape",
    "result_type",
    "roll",
    "rot90",
    "round",
    "select",
    "shape",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "size",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "string_",
    "subtract",
    "sum",
    "swapaxes",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "trace",
    "transpose",
    "tri",
    "tril",
    "triu",
    "true_divide",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unicode_",
    "vander",
    "var",
    "vdot",
    "vsplit",
    "vstack",
    "where",
    "zeros",
    "zeros_like",
]

_explain_missing(__name__)
