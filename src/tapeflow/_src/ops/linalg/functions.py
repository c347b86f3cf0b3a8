"""Functions of square matrices in the last two axes: the square root and the logarithm."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.batching import on_values
from tapeflow._src.core.dtypes import COMPLEX
from tapeflow._src.core.registry import Op, op
from tapeflow._src.ops.array.common import concat_v2, scalar_int, split, zeros_like
from tapeflow._src.ops.linalg.matrix import adjoint, same_square
from tapeflow._src.ops.linalg.solve import LAPACK

_SCHUR = "computed on the host from a Schur factorisation, which XLA does not have"


def _derivative(function: Op, matrix: Any, direction: Any) -> Any:
    """Return the directional derivative of `function(matrix)`.

    It is the upper right block of the function of `[[matrix, direction], [0, matrix]]`.
    """
    last, rows = scalar_int(-1), scalar_int(-2)
    upper = concat_v2([matrix, direction], last)
    lower = concat_v2([zeros_like(matrix), matrix], last)
    blocks = function(concat_v2([upper, lower], rows))
    return split(last, split(rows, blocks, num_split=2)[0], num_split=2)[1]


@op(
    "MatrixSquareRoot", infer=same_square, dtypes=LAPACK, checked=True, host=_SCHUR, batch=on_values
)
def matrix_square_root(xp, input):
    """Compute the principal square roots; NaN for a real matrix without a real one."""
    return xp.linalg.sqrtm(input)


@matrix_square_root.gradient
def _(dz, *, input):
    return _derivative(matrix_square_root, adjoint(input), dz)


@op(
    "MatrixLogarithm", infer=same_square, dtypes=COMPLEX, checked=True, host=_SCHUR, batch=on_values
)
def matrix_logarithm(xp, input):
    """Compute the principal logarithms."""
    return xp.linalg.logm(input)


@matrix_logarithm.gradient
def _(dz, *, input):
    return _derivative(matrix_logarithm, adjoint(input), dz)
