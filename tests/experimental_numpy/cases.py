"""Calls of `tf.experimental.numpy`, as text that either library runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.experimental_numpy.array_cases import INDEXING, LINALG, MANIPULATION

# What the expressions name: one array of each kind of dtype.
ARRAYS = {
    "I": np.array([[1, -2, 3], [4, 5, -6]], np.int32),
    "L": np.array([7, -3, 2], np.int64),
    "U": np.array([[3, 200, 7]], np.uint8),
    "F": np.array([[0.5, -1.25, 2.0], [3.5, 0.0, -0.75]], np.float32),
    "D": np.array([0.25, 0.75, -0.5], np.float64),
    "H": np.array([1.5, -2.0, 0.25], np.float16),
    "C": np.array([1 + 2j, -0.5j, 3], np.complex64),
    "B": np.array([[True, False, True], [False, False, True]]),
    "N": np.array([1.0, np.nan, -np.inf, np.inf], np.float32),
    "P": np.array([2, 3, 1], np.int32),
    "Z": np.zeros([0, 3], np.float32),
    "V": np.arange(24, dtype=np.int32).reshape(2, 3, 4),
    "W": np.linspace(-1, 1, 12, dtype=np.float32).reshape(2, 2, 3),
    "M": np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]], np.float32),
}
_VALUES = ("I", "L", "U", "F", "D", "H", "C", "B", "N", "P", "3", "-2.5", "True", "[1, 2]", "[0.5]")

_UNARY = (
    "abs absolute angle arccos arccosh arcsin arcsinh arctan arctanh around bitwise_not cbrt ceil "
    "conj conjugate copy cos cosh deg2rad exp exp2 expm1 fabs fix floor imag iscomplex "
    "iscomplexobj isfinite isinf isnan isneginf isposinf isreal isrealobj log log10 log1p log2 "
    "logical_not negative positive rad2deg real reciprocal round sign signbit sin sinc sinh sqrt "
    "square tan tanh ndim shape size ravel flatten transpose all any amax amin argmax argmin "
    "average count_nonzero cumprod cumsum max mean min nanmean nanprod nansum prod ptp std sum "
    "var sort argsort flip squeeze nonzero diagflat asarray asanyarray ascontiguousarray array "
    "atleast_1d atleast_2d atleast_3d ones_like zeros_like isscalar result_type"
)
UNARY = _UNARY.split()
_BINARY_VALUES = (
    ("I", "P"),
    ("P", "L"),
    ("P", "D"),
    ("I", "F"),
    ("F", "2"),
    ("2.5", "I"),
    ("F", "D"),
    ("U", "P"),
    ("H", "P"),
    ("C", "D"),
    ("B", "I"),
    ("B", "True"),
    ("3", "2"),
    ("3", "2.5"),
    ("[1, 2, 3]", "F"),
    ("N", "0.0"),
    ("np.float32(2)", "P"),
    ("L", "2j"),
)
_BINARY = (
    "add allclose arctan2 array_equal bitwise_and bitwise_or bitwise_xor divide divmod equal "
    "float_power floor_divide gcd greater greater_equal heaviside hypot isclose lcm less "
    "less_equal logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum mod "
    "multiply nextafter not_equal power remainder subtract true_divide result_type"
)
BINARY = _BINARY.split()

CREATION = [
    "tnp.arange(5)",
    "tnp.arange(2, 8, 3)",
    "tnp.arange(0.5, 2.0, 0.5)",
    "tnp.arange(3, dtype=np.float32)",
    "tnp.arange(5, 0, -2)",
    "tnp.arange(0)",
    "tnp.arange(np.int32(3))",
    "tnp.arange(3, 1)",
    "tnp.arange(1, 3, 0)",
    "tnp.arange(1, dtype=np.complex64)",
    "tnp.arange(True)",
    "tnp.array([1, 2.5])",
    "tnp.array([[1, 2], [3, 4]], dtype=np.int8)",
    "tnp.array(3, ndmin=2)",
    "tnp.array(F, ndmin=3)",
    "tnp.array([P, P])",
    "tnp.array([True, 2])",
    "tnp.array([1, 2j])",
    "tnp.array([np.float32(1), 2])",
    "tnp.array([[], []])",
    "tnp.array([])",
    "tnp.array('text')",
    "tnp.array(['a', 'b'])",
    "tnp.array(None)",
    "tnp.array([1, None])",
    "tnp.array([[1], [1, 2]])",
    "tnp.array(range(3))",
    "tnp.array(F, dtype=np.int32)",
    "tnp.array(F, dtype='float64')",
    "tnp.array(F, dtype=int)",
    "tnp.array(F, dtype=complex)",
    "tnp.array([P, F])",
    "tnp.array((1, 2), dtype=bool)",
    "tnp.asarray(2**40)",
    "tnp.asarray(2**63)",
    "tnp.asarray(-(2**31) - 1)",
    "tnp.asarray(I, float)",
    "tnp.asarray(I, dtype=tf.float32)",
    "tnp.asarray(np.float16(1))",
    "tnp.asarray([np.int8(1)])",
    "tnp.empty([2, 0])",
    "tnp.empty_like(F).shape",
    "tnp.eye(2)",
    "tnp.eye(2, 3, 1)",
    "tnp.eye(3, 2, -1, dtype=np.int32)",
    "tnp.eye(3, k=5)",
    "tnp.eye(3, k=-5, dtype=bool)",
    "tnp.full([2], 3)",
    "tnp.full([2], 3.5)",
    "tnp.full([2, 3], P)",
    "tnp.full([2], 3, dtype=np.float32)",
    "tnp.full(2, 1.5)",
    "tnp.full_like(I, 2.7)",
    "tnp.full_like(F, 2, dtype=np.int64)",
    "tnp.full_like(F, P)",
    "tnp.full_like(F, 2, order='C')",
    "tnp.full_like(F, 2, subok=False)",
    "tnp.geomspace(1, 100, 3)",
    "tnp.geomspace(1.0, 16.0, 4, endpoint=False)",
    "tnp.geomspace(1, 100, 3, dtype=np.float32)",
    "tnp.geomspace(D[:2], 8.0, 3, axis=1)",
    "tnp.identity(2)",
    "tnp.identity(2, np.int16)",
    "tnp.linspace(0, 1, 5)",
    "tnp.linspace(0, 1, 5, endpoint=False)",
    "tnp.linspace(0, 1, 3, retstep=True)",
    "tnp.linspace(0, 10, 4, dtype=np.int32)",
    "tnp.linspace(D, 1, 3)",
    "tnp.linspace(D, [1, 2, 3], 2, axis=-1)",
    "tnp.linspace(0, 1, 1)",
    "tnp.linspace(0, 1, 0)",
    "tnp.linspace(F[0], F[1], 3)",
    "tnp.logspace(0, 2, 3)",
    "tnp.logspace(0, 2, 3, base=2.0, endpoint=False)",
    "tnp.logspace(0, 2, 3, dtype=np.float32)",
    "tnp.meshgrid(P, D)",
    "tnp.meshgrid(P, D, indexing='ij')",
    "tnp.meshgrid(P, D, sparse=True)",
    "tnp.meshgrid(P, D, copy=False)",
    "tnp.meshgrid()",
    "tnp.ones([2])",
    "tnp.ones(3, np.int32)",
    "tnp.ones_like(I, np.float32)",
    "tnp.ones([2], dtype=bool)",
    "tnp.tri(3)",
    "tnp.tri(2, 3, 1)",
    "tnp.tri(3, 2, -1, np.int32)",
    "tnp.vander(P)",
    "tnp.vander(F[0], 2)",
    "tnp.vander(P, increasing=True)",
    "tnp.vander(P, 0)",
    "tnp.vander(P, -1)",
    "tnp.vander(I)",
    "tnp.zeros([])",
    "tnp.zeros((1, 2), np.float32)",
    "tnp.zeros(tf.constant([2, 1]))",
    "tnp.zeros_like(C)",
    "tnp.zeros_like(I, dtype=np.float64)",
    "tnp.diag(P)",
    "tnp.diag(P, 1)",
    "tnp.diag(M, -1)",
    "tnp.diag(I, 1)",
    "tnp.diag(I, 5)",
    "tnp.diag(V)",
    "tnp.diag(3)",
    "tnp.diagflat(I, -1)",
    "tnp.diag_indices(3)",
    "tnp.diag_indices(2, 3)",
    "tnp.ix_([0, 1], [2, 3])",
    "tnp.ix_([True, False, True], P)",
    "tnp.ix_(I)",
    "tnp.ix_([])",
]

_REDUCING = (
    "all any amax amin argmax argmin average count_nonzero cumprod cumsum max mean min nanmean "
    "nanprod nansum prod ptp std sum var sort argsort"
)
_OVER_TWO = "all any amax amin average count_nonzero max mean min nansum prod ptp std sum var"
_KEEPING = "all any amax amin max mean min nanmean nanprod nansum prod ptp std sum var"
REDUCTIONS = [
    f"tnp.{name}({array}, axis={axis})"
    for name in _REDUCING.split()
    for array, axis in (("I", 0), ("F", -1), ("W", 1), ("F", 5), ("B", 1), ("Z", 0))
]
REDUCTIONS += [f"tnp.{name}(W, axis=(0, 2))" for name in _OVER_TWO.split()]
REDUCTIONS += [f"tnp.{name}(F, axis=1, keepdims=True)" for name in _KEEPING.split()]
REDUCTIONS += [
    "tnp.amax(F, out=F)",
    "tnp.mean(F, out=F)",
    "tnp.mean(I, dtype=np.float32)",
    "tnp.mean(I, dtype=np.int32)",
    "tnp.sum(I, dtype=np.float32)",
    "tnp.sum(U)",
    "tnp.prod(U, dtype=np.int8)",
    "tnp.cumsum(U)",
    "tnp.cumsum(I, dtype=np.float64, axis=1)",
    "tnp.cumprod(B)",
    "tnp.cumprod(I, axis=-2)",
    "tnp.cumsum(3)",
    "tnp.nansum(N)",
    "tnp.nansum(N[:2], dtype=np.float64)",
    "tnp.nanmean(N[:2])",
    "tnp.nanmean(N[:2], dtype=np.int32)",
    "tnp.nanprod(N[:2])",
    "tnp.var(F, ddof=1)",
    "tnp.var(I, dtype=np.float32)",
    "tnp.var(C)",
    "tnp.var(F, dtype=np.int32)",
    "tnp.var(F, out=F)",
    "tnp.std(I, axis=[0, 1])",
    "tnp.average(I, weights=[1, 2, 3], axis=1)",
    "tnp.average(F, weights=F)",
    "tnp.average(F, weights=F + 1, axis=0, returned=True)",
    "tnp.average(I, returned=True)",
    "tnp.average(F, weights=[1, 2], axis=1)",
    "tnp.average(F, weights=[1, 2])",
    "tnp.average(F, weights=F[:, :2])",
    "tnp.average(I, axis=0, returned=True)",
    "tnp.sort(F, axis=None)",
    "tnp.sort(F, kind='stable')",
    "tnp.sort(F, kind='heapsort')",
    "tnp.sort(F, order='a')",
    "tnp.sort(F, kind='bubble')",
    "tnp.argsort(F, axis=None)",
    "tnp.argsort(I, axis=0, kind='stable')",
    "tnp.argsort(F, kind='heapsort')",
    "tnp.argsort(3)",
    "tnp.argmax([[1, 5], [7, 2]])",
    "tnp.diff(L)",
    "tnp.diff(I, axis=0)",
    "tnp.diff(F, 2)",
    "tnp.diff(F, 0)",
    "tnp.diff(F, -1)",
    "tnp.diff(B)",
    "tnp.diff(3)",
    "tnp.size(I)",
    "tnp.size(I, axis=1)",
    "tnp.size([1, 2])",
    "tnp.size(F, axis=5)",
    "tnp.count_nonzero(N)",
    "tnp.all([])",
    "tnp.any(N)",
    "tnp.max(Z)",
    "tnp.sum(C)",
    "tnp.prod(H)",
    "tnp.mean(H)",
    "tnp.ptp(U)",
]

ELEMENTWISE = [
    "tnp.angle(C, deg=True)",
    "tnp.angle(F, True)",
    "tnp.around(D * 10, 1)",
    "tnp.around(I, -1)",
    "tnp.around([1234.5678], 2)",
    "tnp.around(F, decimals=-1)",
    "tnp.round(D, 1)",
    "tnp.clip(I, -1, 3)",
    "tnp.clip(F, None, 1)",
    "tnp.clip(F, 0, None)",
    "tnp.clip(I, 0.5, 2.5)",
    "tnp.clip(I, None, None)",
    "tnp.clip(F, P, 5)",
    "tnp.clip(U, 10, 100)",
    "tnp.sign(F, out=F)",
    "tnp.sign(F, where=B)",
    "tnp.sign(F, casting='safe')",
    "tnp.isclose(N, N)",
    "tnp.isclose(N, N, equal_nan=True)",
    "tnp.isclose(F, F + 1e-6)",
    "tnp.isclose(I, I + 1, atol=1)",
    "tnp.allclose(N, N, equal_nan=True)",
    "tnp.allclose(F, F + 1e-3, rtol=0.1, atol=0.01)",
    "tnp.array_equal(I, P)",
    "tnp.array_equal(I, I)",
    "tnp.array_equal(I, F)",
    "tnp.array_equal(P, [2, 3, 1])",
    "tnp.isscalar(3)",
    "tnp.isscalar('a')",
    "tnp.isscalar(np.float32(1))",
    "tnp.isscalar(tnp.asarray(1))",
    "tnp.isscalar([1])",
    "tnp.power(I, P)",
    "tnp.power(2, -1)",
    "tnp.power(P, -1)",
    "tnp.divide(P, 0)",
    "tnp.divide(1, 2)",
    "tnp.floor_divide(-7, 2)",
    "tnp.mod(-7, 3)",
    "tnp.divmod(7.5, -2)",
    "tnp.nextafter(F, 1.0)",
    "tnp.heaviside(F, 0.5)",
    "tnp.gcd(12, L)",
    "tnp.lcm(P, 4)",
    "tnp.logaddexp(F, -1e30)",
    "tnp.sinc(0)",
    "tnp.sinc(D)",
    "tnp.cbrt(-8)",
    "tnp.cbrt([-8.0, 27.0])",
    "tnp.add(P, [1, 2])",
    "tnp.add(P, 'a')",
]

PROMOTION = [
    "tnp.result_type(np.int32, np.float32)",
    "tnp.result_type(P, 1.0)",
    "tnp.result_type(F, 1.0)",
    "tnp.result_type(F, 1j)",
    "tnp.result_type(H, 2**20)",
    "tnp.result_type(U, -1)",
    "tnp.result_type(1, 2)",
    "tnp.result_type(1.0)",
    "tnp.result_type()",
    "tnp.result_type('float32', tf.int64)",
    "tnp.result_type([1, 2], F)",
    "tnp.result_type(True, 1)",
    "tnp.result_type(np.float32(1), np.int8)",
    "tnp.promote_types(np.int32, np.float32)",
    "tnp.promote_types(tf.uint8, tf.int8)",
    "tnp.promote_types('int64', 'uint64')",
    "tnp.promote_types(F, P)",
    "tnp.promote_types(np.float16, np.int16)",
    "tnp.promote_types(float, int)",
    "tnp.promote_types(bool, np.uint8)",
    "tnp.finfo(np.float32).eps",
    "tnp.finfo(tf.float64).max",
    "tnp.finfo(np.float16).bits",
    "tnp.finfo(np.int32)",
    "tnp.iinfo(np.int16).max",
    "tnp.iinfo(np.uint8).min",
    "tnp.issubdtype(np.float32, np.inexact)",
    "tnp.issubdtype(np.int32, tnp.inexact)",
    "[tnp.pi, tnp.e, tnp.inf]",
    "tnp.newaxis is None",
]

RANDOM = [
    "tnp.random.rand(2, 3).dtype",
    "tnp.random.rand(2, 3).shape",
    "tnp.random.rand().shape",
    "tnp.random.randn(2).dtype",
    "tnp.random.randn().shape",
    "tnp.random.random(3).dtype",
    "tnp.random.random((3, 1)).shape",
    "tnp.random.random().shape",
    "tnp.random.randint(5).dtype",
    "tnp.random.randint(5).shape",
    "tnp.random.randint(2, 3, size=[2, 2])",
    "tnp.random.randint(2, 3, 4, np.int32)",
    "tnp.random.randint(2, 3, 4, np.int8)",
    "tnp.random.randint(3, 2, 4)",
    "tnp.random.uniform().dtype",
    "tnp.random.uniform(3, 4, [2]).dtype",
    "tnp.random.uniform(D, 4).shape",
    "tnp.random.uniform(D, 4, (2, 3)).shape",
    "tnp.random.poisson(2.0, [3]).dtype",
    "tnp.random.poisson().shape",
    "tnp.random.standard_normal([2]).dtype",
    "tnp.random.standard_normal().shape",
    "tnp.random.randint(1.5)",
    "tnp.random.randint([1, 2], 5)",
    "tnp.random.seed('a')",
    "tnp.random.seed(3)",
    *(
        f"[tnp.random.seed({seed}), tnp.random.rand(2), tnp.random.randn(2), "
        "tnp.random.randint(0, 100, 3), tnp.random.randint(5, size=2, dtype=np.int32), "
        "tnp.random.uniform(1, 2, [2]), tnp.random.poisson(3.0, [4]), "
        "tnp.random.standard_normal([2]), tnp.random.random([2])]"
        for seed in (3, -1, 2**33 + 5)
    ),
]

GROUPS = {
    "unary": [f"tnp.{name}({value})" for name in UNARY for value in _VALUES],
    "binary": [f"tnp.{name}({x}, {y})" for name in BINARY for x, y in _BINARY_VALUES],
    "creation": CREATION,
    "reductions": REDUCTIONS,
    "manipulation": MANIPULATION,
    "linear algebra": LINALG,
    "indexing": INDEXING,
    "elementwise": ELEMENTWISE,
    "promotion": PROMOTION,
    "random": RANDOM,
}


def names(tf: Any) -> dict[str, Any]:
    """What the expressions may use, on the package given."""
    tensors = {name: tf.constant(array) for name, array in ARRAYS.items()}
    return {"tf": tf, "tnp": tf.experimental.numpy, "np": np, **tensors}


def describe(value: Any) -> Any:
    """A result as what JSON can hold: dtypes, shapes and values; the class of what is not one."""
    if isinstance(value, list | tuple):
        return [type(value).__name__, *(describe(item) for item in value)]
    if hasattr(value, "as_list"):
        return ["shape", value.as_list()]
    if hasattr(value, "as_numpy_dtype"):
        return ["dtype", value.name]
    if isinstance(value, np.dtype | type):
        return ["numpy dtype", np.dtype(value).name]
    if value is None or isinstance(value, bool | int | float | str):
        return [type(value).__name__, repr(value)]
    if isinstance(value, np.generic):
        return ["scalar", value.dtype.name, repr(value.item())]
    array = np.asarray(value)
    return [array.dtype.name, list(array.shape), [_text(item) for item in array.ravel().tolist()]]


def _text(item: Any) -> Any:
    if isinstance(item, float):
        return f"{item:.7g}"
    if isinstance(item, complex):
        return f"{item.real:.7g} {item.imag:.7g}"
    return item if isinstance(item, bool | int | str) else repr(item)


def run(expression: str, given: dict[str, Any]) -> Any:
    """The description of what an expression gives, or the class of what it raises."""
    try:
        with np.errstate(all="ignore"):
            return describe(eval(expression, given))
    except Exception as error:
        return {"raises": type(error).__name__}
