"""Matrix functions: `tf.linalg.expm`, `logm` and `sqrtm`."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from tapeflow._src.api.arrays.shapes import stop_gradient
from tapeflow._src.api.arrays.slicing import where
from tapeflow._src.api.linalg.products import matmul
from tapeflow._src.api.math.reduction import reduce_max, reduce_sum
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.linalg.functions import matrix_logarithm, matrix_square_root
from tapeflow._src.ops.linalg.matrix import identity_like
from tapeflow._src.ops.linalg.solve import LAPACK, matrix_solve
from tapeflow._src.ops.math.arithmetic import absolute, add_v2, mul, neg, real_div, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import greater
from tapeflow._src.ops.math.elementwise import log, scalar
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.math.power import pow_
from tapeflow._src.ops.math.rounding import ceil, is_finite

# The degree of a Padé approximant, and up to which 1-norm of a matrix it is exact to the precision
# of the dtype (N. J. Higham, SIAM Review 51(4), 2009).
_SINGLE = (7, 3.925724783138660)
_DOUBLE = (13, 5.371920351148152)
# While tracing, the norm is not known: so many squarings are written out, which do for a norm of
# 10 ** 10.
_WRITTEN_OUT = 32


def sqrtm(input: TensorLike, name: str | None = None) -> Tensor:
    """Compute the principal square roots of square matrices.

    Args:
        input: Square matrices in the last two axes, without negative real eigenvalues.
        name: Name of the op in a graph.

    Returns:
        A tensor `x` of the shape of `input` with `x @ x = input`.

    Example:

        >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy().round(3).tolist()
        [[2.0, 0.0], [0.0, 3.0]]
    """
    return matrix_square_root(input, name=name)


def logm(input: TensorLike, name: str | None = None) -> Tensor:
    """Compute the principal logarithms of complex square matrices.

    Args:
        input: Complex matrices in the last two axes, invertible and without negative real
            eigenvalues.
        name: Name of the op in a graph.

    Returns:
        A complex tensor of the shape of `input`: the inverse of `tf.linalg.expm`.

    Example:

        >>> x = tf.constant([[1.0, 0.0], [0.0, 1.0]], tf.complex64)
        >>> tf.abs(tf.linalg.logm(x)).numpy().tolist()
        [[0.0, 0.0], [0.0, 0.0]]
    """
    return matrix_logarithm(input, name=name)


@scoped("matrix_exponential")
def expm(input: TensorLike, name: str | None = None) -> Tensor:
    """Compute the exponentials of square matrices.

    That is the sum of `input^n / n!`, not the exponential of each element. Matrices with elements
    that are not finite yield NaN.

    Args:
        input: Square matrices in the last two axes, floating-point or complex.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `input`.

    Raises:
        ValueError: The matrices are neither floating-point nor complex.

    Example:

        >>> tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]]).numpy().tolist()
        [[1.0, 1.0], [0.0, 1.0]]
    """
    matrix = convert(input)
    if matrix.dtype not in LAPACK:
        raise ValueError(
            "tf.linalg.expm expects floating-point or complex matrices, received dtype "
            f"{matrix.dtype.name}: use tf.cast."
        )
    if matrix.dtype is dtypes.float16:
        return cast(expm(cast(matrix, DstT=dtypes.float32)), DstT=dtypes.float16)
    if matrix.static_shape is not None and 0 in matrix.static_shape:
        return matmul(matrix, matrix)
    norms = _norms(matrix)
    # No system can be solved with infinite or undefined elements: zeros in their place.
    finite = is_finite(norms)
    matrix = where(finite, matrix, scalar(0, matrix))
    degree, limit = _DOUBLE if matrix.dtype.real_dtype is dtypes.float64 else _SINGLE
    count = _squarings(where(finite, norms, scalar(0, norms)), limit)
    scale = cast(pow_(scalar(2, count), neg(count)), DstT=matrix.dtype)
    scaled = mul(matrix, scale)
    odd, even = _approximant(scaled, matmul(scaled, scaled), degree)
    result = matrix_solve(sub(even, odd), add_v2(even, odd))
    return where(finite, _square_repeatedly(result, count), scalar(math.nan, matrix))


def _norms(matrix: TensorLike) -> Any:
    """Compute the 1-norm of each matrix, keeping two axes of size 1."""
    columns = reduce_sum(absolute(stop_gradient(matrix)), -2, keepdims=True)
    return reduce_max(columns, -1, keepdims=True)


def _squarings(norms: Any, limit: float) -> Any:
    """Compute the number of halvings after which each matrix is small enough."""
    halvings = real_div(log(real_div(norms, scalar(limit, norms))), scalar(math.log(2), norms))
    return ceil(maximum(halvings, scalar(0, norms)))


@lru_cache
def _coefficients(degree: int) -> tuple[float, ...]:
    """Return the coefficients of the Padé numerator by power, normalised to 1 at power 0."""
    f = math.factorial
    whole = f(2 * degree)
    return tuple(
        f(2 * degree - j) * f(degree) / (whole * f(degree - j) * f(j)) for j in range(degree + 1)
    )


def _approximant(matrix: TensorLike, squared: Any, degree: int) -> tuple[Any, Any]:
    """Compute the odd and even part of the numerator; the denominator has the odd part negated."""
    fourth = matmul(squared, squared)
    powers = (identity_like(matrix), squared, fourth, matmul(fourth, squared))
    coefficients = _coefficients(degree)
    odd = _polynomial(coefficients[1::2], powers)
    return matmul(matrix, odd), _polynomial(coefficients[::2], powers)


def _polynomial(coefficients: tuple[float, ...], powers: tuple[Any, ...]) -> Any:
    """Evaluate a polynomial of degree at most 6 from the matrix powers 0 to 3."""
    low = _combination(coefficients[:4], powers)
    if len(coefficients) <= 4:
        return low
    return add_v2(low, matmul(powers[3], _combination(coefficients[4:], powers[1:])))


def _combination(factors: tuple[float, ...], matrices: tuple[Any, ...]) -> Any:
    total = None
    for factor, matrix in zip(factors, matrices, strict=False):
        term = mul(scalar(factor, matrix), matrix)
        total = term if total is None else add_v2(total, term)
    return total


def _square_repeatedly(result: Any, count: Any) -> Any:
    static_count = count.static_value
    least, most = (
        (0, _WRITTEN_OUT) if static_count is None else (static_count.min(), static_count.max())
    )
    for step in range(int(most)):
        squared = matmul(result, result)
        if step < least:
            result = squared
        else:
            result = where(greater(count, scalar(step, count)), squared, result)
    return result
