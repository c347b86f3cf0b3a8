"""`LinearOperatorFullMatrix`: a matrix, as an operator."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeflow._src.api.linalg.operators.base import LinearOperator
from tapeflow._src.api.linalg.operators.references import hold
from tapeflow._src.api.linalg.operators.spec import composite
from tapeflow._src.api.linalg.products import matmul
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.linalg.solve import LAPACK


@composite
class LinearOperatorFullMatrix(LinearOperator):
    """The operator of a dense matrix.

    Args:
        matrix: `[..., rows, columns]`, floating-point or complex.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        name: A name for the operator.

    Example:

        >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
        >>> operator.trace().numpy(), operator.shape
        (np.float32(5.0), TensorShape([2, 2]))
    """

    _matrix_axes: ClassVar[dict[str, int]] = {"matrix": 2}

    def __init__(
        self,
        matrix: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._held = hold(matrix)
        if self._held.dtype not in LAPACK:
            allowed = ", ".join(sorted(d.name for d in LAPACK))
            raise TypeError(
                f"`matrix` must have one of the dtypes {allowed}, received "
                f"{self._held.dtype.name}: use tf.cast."
            )
        if self._held.shape.rank is not None and self._held.shape.rank < 2:
            raise ValueError(
                "`matrix` must be one matrix or a batch of them (rank 2 or more), received "
                f"shape {self._held.shape}."
            )
        super().__init__(
            self._held.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )

    @property
    def matrix(self) -> Any:
        return self._held

    @property
    def _matrix(self) -> Any:
        return convert(self._held)

    def _shape(self) -> Any:
        return self._held.shape

    def _matmul(self, x: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        return matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self) -> Any:
        return self._matrix
