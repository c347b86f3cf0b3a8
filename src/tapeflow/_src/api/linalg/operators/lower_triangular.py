"""`LinearOperatorLowerTriangular`: a lower triangular matrix."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeflow._src.api.linalg.diagonals import band_part, diag_part
from tapeflow._src.api.linalg.operators.assertions import require_nonzero
from tapeflow._src.api.linalg.operators.base import LinearOperator, log_of_absolute
from tapeflow._src.api.linalg.operators.references import hold
from tapeflow._src.api.linalg.operators.spec import composite
from tapeflow._src.api.linalg.products import adjoint as adjoint_of
from tapeflow._src.api.linalg.products import matmul
from tapeflow._src.api.math.reduction import reduce_prod
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.linalg.solve import matrix_triangular_solve


@composite
class LinearOperatorLowerTriangular(LinearOperator):
    """The operator of the lower triangle of a matrix; what stands above it is not read.

    Args:
        tril: `[..., n, n]`, floating-point or complex.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        name: A name for the operator.

    Example:

        >>> operator = tf.linalg.LinearOperatorLowerTriangular([[2.0, 99.0], [1.0, 1.0]])
        >>> operator.solvevec([2.0, 3.0]).numpy().tolist()
        [1.0, 2.0]
    """

    _matrix_axes: ClassVar[dict[str, int]] = {"tril": 2}

    def __init__(
        self,
        tril: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        if is_square is False:
            raise ValueError(
                "is_square=False is not possible: LinearOperatorLowerTriangular holds square "
                "matrices only."
            )
        self._held = hold(tril)
        if self._held.shape.rank is not None and self._held.shape.rank < 2:
            raise ValueError(
                "`tril` must be one matrix or a batch of them (rank 2 or more), received shape "
                f"{self._held.shape}."
            )
        super().__init__(
            self._held.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def tril(self) -> Any:
        """The lower triangle, with zeros above it."""
        return self._lower

    @property
    def _lower(self) -> Any:
        return band_part(convert(self._held), -1, 0)

    def _shape(self) -> Any:
        return self._held.shape

    def _matmul(self, x: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        return matmul(self._lower, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        return matrix_triangular_solve(self._lower, rhs, lower=True, adjoint=adjoint)

    def _to_dense(self) -> Any:
        return self._lower

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _determinant(self) -> Any:
        return reduce_prod(diag_part(self._lower), -1)

    def _log_abs_determinant(self) -> Any:
        return log_of_absolute(diag_part(self._lower))

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        return require_nonzero(
            diag_part(self._lower), "Singular operator: zero values on the diagonal."
        )
