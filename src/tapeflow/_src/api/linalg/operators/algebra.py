"""Rules for products, adjoints, inverses and Cholesky factors that preserve structure."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.arrays.shapes import expand_dims
from tapeflow._src.api.linalg.factors import cholesky
from tapeflow._src.api.linalg.operators.adjoint import LinearOperatorAdjoint
from tapeflow._src.api.linalg.operators.base import LinearOperator, rule
from tapeflow._src.api.linalg.operators.block_diag import LinearOperatorBlockDiag
from tapeflow._src.api.linalg.operators.block_lower_triangular import (
    LinearOperatorBlockLowerTriangular,
)
from tapeflow._src.api.linalg.operators.circulant import (
    LinearOperatorCirculant,
    LinearOperatorCirculant2D,
    LinearOperatorCirculant3D,
)
from tapeflow._src.api.linalg.operators.composition import LinearOperatorComposition, joint_batch
from tapeflow._src.api.linalg.operators.diag import LinearOperatorDiag
from tapeflow._src.api.linalg.operators.full_matrix import LinearOperatorFullMatrix
from tapeflow._src.api.linalg.operators.hints import (
    commuting_is_positive_definite,
    commuting_is_self_adjoint,
    product_is_non_singular,
)
from tapeflow._src.api.linalg.operators.householder import LinearOperatorHouseholder
from tapeflow._src.api.linalg.operators.identity import LinearOperatorIdentity
from tapeflow._src.api.linalg.operators.inversion import LinearOperatorInversion
from tapeflow._src.api.linalg.operators.kronecker import LinearOperatorKronecker
from tapeflow._src.api.linalg.operators.lower_triangular import LinearOperatorLowerTriangular
from tapeflow._src.api.linalg.operators.scaled_identity import LinearOperatorScaledIdentity
from tapeflow._src.api.linalg.operators.zeros import LinearOperatorZeros
from tapeflow._src.ops.math.arithmetic import conj_of, mul, neg, real_div
from tapeflow._src.ops.math.elementwise import scalar, sqrt

Operator = LinearOperator
Identity = LinearOperatorIdentity
Scaled = LinearOperatorScaledIdentity
Diag = LinearOperatorDiag
Lower = LinearOperatorLowerTriangular
BlockDiag = LinearOperatorBlockDiag
Zeros = LinearOperatorZeros
_CIRCULANTS = (LinearOperatorCirculant, LinearOperatorCirculant2D, LinearOperatorCirculant3D)


def _commuting(a: Operator, b: Operator) -> dict[str, Any]:
    """Return the hints of a product of commuting operators."""
    return {
        "is_non_singular": product_is_non_singular(a, b),
        "is_self_adjoint": commuting_is_self_adjoint(a, b),
        "is_positive_definite": commuting_is_positive_definite(a, b),
        "is_square": True,
    }


def _same_hints(a: Operator) -> dict[str, Any]:
    return {
        "is_non_singular": a.is_non_singular,
        "is_self_adjoint": a.is_self_adjoint,
        "is_positive_definite": a.is_positive_definite,
        "is_square": True,
    }


# -- products ----------------------------------------------------------------------------------


@rule("matmul", Operator, Operator)
def _(a, b):
    square = True if a.is_square and b.is_square else None
    return LinearOperatorComposition(
        [a, b], is_non_singular=product_is_non_singular(a, b), is_square=square
    )


@rule("matmul", Identity, Operator)
def _(a, b):
    return b._with_batch(_joint(a, b)) if a.batch_shape.rank else b


@rule("matmul", Operator, Identity)
def _(a, b):
    return a._with_batch(_joint(a, b)) if b.batch_shape.rank else a


@rule("matmul", Identity, Identity)
def _(a, b):
    return LinearOperatorIdentity(a.shape[-1], batch_shape=_joint(a, b), dtype=a.dtype)


def _joint(a: Operator, b: Operator) -> Any:
    return a.batch_shape if a is b else type(a.batch_shape)(joint_batch([a, b]))


def _zeros(a: Operator, b: Operator) -> Zeros:
    square = a.shape[-2] == b.shape[-1]
    return LinearOperatorZeros(
        a.shape[-2],
        b.shape[-1],
        batch_shape=_joint(a, b),
        dtype=a.dtype,
        is_self_adjoint=square,
        is_square=square,
    )


for _left, _right in (
    (Zeros, Operator),
    (Operator, Zeros),
    (Zeros, Zeros),
    (Zeros, Identity),
    (Identity, Zeros),
):
    rule("matmul", _left, _right)(_zeros)


@rule("matmul", Scaled, Scaled)
def _(a, b):
    return LinearOperatorScaledIdentity(
        a.shape[-1], mul(a.multiplier, b.multiplier), **_commuting(a, b)
    )


@rule("matmul", Diag, Diag)
def _(a, b):
    return LinearOperatorDiag(mul(a.diag, b.diag), **_commuting(a, b))


@rule("matmul", Scaled, Diag)
def _(a, b):
    return LinearOperatorDiag(mul(expand_dims(a.multiplier, -1), b.diag), **_commuting(a, b))


@rule("matmul", Diag, Scaled)
def _(a, b):
    return LinearOperatorDiag(mul(a.diag, expand_dims(b.multiplier, -1)), **_commuting(a, b))


@rule("matmul", Diag, Lower)
def _(a, b):
    product = mul(expand_dims(a.diag, -1), b.to_dense())
    return LinearOperatorLowerTriangular(product, is_non_singular=product_is_non_singular(a, b))


@rule("matmul", Lower, Diag)
def _(a, b):
    product = mul(a.to_dense(), expand_dims(b.diag, -2))
    return LinearOperatorLowerTriangular(product, is_non_singular=product_is_non_singular(a, b))


@rule("matmul", BlockDiag, BlockDiag)
def _(a, b):
    if a._column_sizes() != b._row_sizes():
        return LinearOperatorComposition(
            [a, b], is_non_singular=product_is_non_singular(a, b), is_square=True
        )
    blocks = [x.matmul(y) for x, y in zip(a.operators, b.operators, strict=True)]
    return LinearOperatorBlockDiag(blocks, is_non_singular=product_is_non_singular(a, b))


# -- adjoints ----------------------------------------------------------------------------------


@rule("adjoint", Operator)
def _(a):
    return LinearOperatorAdjoint(a, is_non_singular=a.is_non_singular, is_square=a.is_square)


@rule("adjoint", LinearOperatorAdjoint)
def _(a):
    return a.operator


@rule("adjoint", Scaled)
def _(a):
    return LinearOperatorScaledIdentity(a.shape[-1], conj_of(a.multiplier), **_same_hints(a))


@rule("adjoint", Diag)
def _(a):
    return LinearOperatorDiag(conj_of(a.diag), **_same_hints(a))


@rule("adjoint", BlockDiag)
def _(a):
    blocks = [block.adjoint() for block in a.operators]
    return LinearOperatorBlockDiag(blocks, **{**_same_hints(a), "is_square": a.is_square})


@rule("adjoint", LinearOperatorKronecker)
def _(a):
    factors = [factor.adjoint() for factor in a.operators]
    return LinearOperatorKronecker(factors, **{**_same_hints(a), "is_square": a.is_square})


# -- inverses ----------------------------------------------------------------------------------


@rule("inverse", Operator)
def _(a):
    return LinearOperatorInversion(a, **_same_hints(a))


@rule("inverse", LinearOperatorInversion)
def _(a):
    return a.operator


@rule("inverse", Identity)
@rule("inverse", LinearOperatorHouseholder)
def _(a):
    return a


@rule("inverse", Scaled)
def _(a):
    inverse = real_div(scalar(1, a.multiplier), a.multiplier)
    return LinearOperatorScaledIdentity(a.shape[-1], inverse, **_same_hints(a))


@rule("inverse", Diag)
def _(a):
    return LinearOperatorDiag(real_div(scalar(1, a.diag), a.diag), **_same_hints(a))


@rule("inverse", BlockDiag)
def _(a):
    if not all(block.is_square for block in a.operators):
        return LinearOperatorInversion(a, **_same_hints(a))
    return LinearOperatorBlockDiag([b.inverse() for b in a.operators], **_same_hints(a))


@rule("inverse", LinearOperatorKronecker)
def _(a):
    if not all(factor.is_square for factor in a.operators):
        return LinearOperatorInversion(a, **_same_hints(a))
    return LinearOperatorKronecker([f.inverse() for f in a.operators], **_same_hints(a))


@rule("inverse", LinearOperatorBlockLowerTriangular)
def _(a):
    """Below its diagonal, block (i, j) is minus the i-th inverse times what stands left of it,
    applied to the j-th column computed before."""
    rows: list[list[Operator]] = []
    for i, blocks in enumerate(a.operators):
        corner = blocks[i].inverse()
        row = [_below_diagonal(corner, blocks, rows, j) for j in range(i)]
        rows.append([*row, corner])
    return LinearOperatorBlockLowerTriangular(rows, **_same_hints(a))


def _below_diagonal(corner: Any, blocks: list[Any], rows: list[list[Any]], j: int) -> Operator:
    total = None
    for k in range(j, len(rows)):
        term = blocks[k].matmul(rows[k][j].to_dense())
        total = term if total is None else total + term
    return LinearOperatorFullMatrix(neg(corner.matmul(total)))


# -- Cholesky factors --------------------------------------------------------------------------


@rule("cholesky", Operator)
def _(a):
    return LinearOperatorLowerTriangular(
        cholesky(a.to_dense()), is_non_singular=True, is_self_adjoint=False, is_square=True
    )


@rule("cholesky", Identity)
def _(a):
    return a


@rule("cholesky", Scaled)
def _(a):
    return LinearOperatorScaledIdentity(a.shape[-1], sqrt(a.multiplier), **_positive())


@rule("cholesky", Diag)
def _(a):
    return LinearOperatorDiag(sqrt(a.diag), **_positive())


def _positive() -> dict[str, Any]:
    return {
        "is_non_singular": True,
        "is_self_adjoint": True,
        "is_positive_definite": True,
        "is_square": True,
    }


@rule("cholesky", BlockDiag)
def _(a):
    blocks = [block.cholesky() for block in a.operators]
    return LinearOperatorBlockDiag(blocks, is_non_singular=True, is_square=True)


@rule("cholesky", LinearOperatorKronecker)
def _(a):
    factors = [factor.cholesky() for factor in a.operators]
    return LinearOperatorKronecker(factors, is_non_singular=True, is_square=True)


# -- circulant operators -----------------------------------------------------------------------


def _product_of_circulants(a: Any, b: Any) -> Operator:
    spectrum = mul(a._numbers, b._numbers)
    return type(a)(spectrum, input_output_dtype=a.dtype, **_commuting(a, b))


def _adjoint_of_circulant(a: Any) -> Operator:
    return type(a)(conj_of(a._spectrum), input_output_dtype=a.dtype, **_same_hints(a))


def _inverse_of_circulant(a: Any) -> Operator:
    inverse = real_div(scalar(1, a._spectrum), a._spectrum)
    hints = _same_hints(a) | {"is_non_singular": True}
    return type(a)(inverse, input_output_dtype=a.dtype, **hints)


for _kind in _CIRCULANTS:
    rule("matmul", _kind, _kind)(_product_of_circulants)
    rule("adjoint", _kind)(_adjoint_of_circulant)
    rule("inverse", _kind)(_inverse_of_circulant)
