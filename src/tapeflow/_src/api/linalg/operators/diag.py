"""`LinearOperatorDiag`: a diagonal matrix."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeflow._src.api.arrays.shapes import expand_dims
from tapeflow._src.api.linalg.diagonals import diag as matrix_of
from tapeflow._src.api.linalg.operators.assertions import (
    require_nonzero,
    require_positive,
    require_real,
)
from tapeflow._src.api.linalg.operators.base import LinearOperator, log_of_absolute
from tapeflow._src.api.linalg.operators.references import hold
from tapeflow._src.api.linalg.operators.spec import composite
from tapeflow._src.api.linalg.products import adjoint as adjoint_of
from tapeflow._src.api.math.reduction import reduce_max, reduce_min, reduce_prod
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.diag import matrix_diag_part, matrix_set_diag
from tapeflow._src.ops.math.arithmetic import absolute, add_v2, conj_of, mul, real_div
from tapeflow._src.ops.math.cast import cast


@composite
class LinearOperatorDiag(LinearOperator):
    """The operator of a diagonal matrix.

    Args:
        diag: The diagonal, `[..., n]`, floating-point or complex.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        name: A name for the operator.

    Example:

        >>> operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])
        >>> operator.matvec([10.0, 10.0]).numpy().tolist()
        [10.0, 20.0]
    """

    _matrix_axes: ClassVar[dict[str, int]] = {"diag": 1}

    def __init__(
        self,
        diag: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._held = hold(diag)
        if self._held.shape.rank == 0:
            raise ValueError(
                "`diag` must be a vector or a batch of vectors (rank 1 or more), received a "
                f"scalar: {self._held}."
            )
        if not self._held.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(
                    "is_self_adjoint=False contradicts the real `diag`: a diagonal matrix of real "
                    "numbers equals its adjoint."
                )
            is_self_adjoint = True
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
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
    def diag(self) -> Any:
        return self._held

    @property
    def _diag(self) -> Any:
        return convert(self._held)

    def _shape(self) -> Any:
        return self._held.shape.concatenate(self._held.shape[-1:])

    def _column(self, adjoint: bool) -> Any:
        return expand_dims(conj_of(self._diag) if adjoint else self._diag, -1)

    def _matmul(self, x: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        return mul(self._column(adjoint), adjoint_of(x) if adjoint_arg else x)

    def _solve(self, rhs: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        return real_div(adjoint_of(rhs) if adjoint_arg else rhs, self._column(adjoint))

    def _to_dense(self) -> Any:
        return matrix_of(self._diag)

    def _diag_part(self) -> Any:
        return self._diag

    def _add_to_tensor(self, x: Any) -> Any:
        batch = x.shape[:-2]
        if not batch.is_fully_defined() or batch != self.batch_shape:
            return add_v2(x, self.to_dense())
        return matrix_set_diag(x, add_v2(matrix_diag_part(x), self._diag))

    def _determinant(self) -> Any:
        return reduce_prod(self._diag, -1)

    def _log_abs_determinant(self) -> Any:
        return cast(log_of_absolute(self._diag), DstT=self.dtype)

    def _eigvals(self) -> Any:
        return self._diag

    def _cond(self) -> Any:
        sizes = absolute(self._diag)
        return real_div(reduce_max(sizes, -1), reduce_min(sizes, -1))

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        return require_nonzero(self._diag, "Singular operator: zero values on the diagonal.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        return require_positive(
            self._diag,
            "The operator is not positive definite: the real part of its diagonal must be above 0 "
            "everywhere.",
        )

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        return require_real(
            self._diag,
            "The operator is not self-adjoint: the imaginary part of its diagonal must be 0 "
            "everywhere.",
        )
