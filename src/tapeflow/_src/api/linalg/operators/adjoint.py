"""`LinearOperatorAdjoint`: the adjoint of another operator."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.linalg.operators.base import LinearOperator
from tapeflow._src.api.linalg.operators.hints import checked_hint
from tapeflow._src.api.linalg.operators.spec import composite
from tapeflow._src.api.linalg.products import adjoint as adjoint_of
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.math.arithmetic import conj_of


@composite
class LinearOperatorAdjoint(LinearOperator):
    """The adjoint of `operator`, which is not computed.

    Args:
        operator: The operator.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        name: A name for the operator.

    Example:

        >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
        >>> tf.linalg.LinearOperatorAdjoint(operator).to_dense().numpy().tolist()
        [[1.0, 3.0], [2.0, 4.0]]
    """

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._operator = operator
        super().__init__(
            operator.dtype,
            is_non_singular=checked_hint(is_non_singular, operator.is_non_singular, "non-singular"),
            is_self_adjoint=checked_hint(is_self_adjoint, operator.is_self_adjoint, "self-adjoint"),
            is_positive_definite=checked_hint(
                is_positive_definite, operator.is_positive_definite, "positive definite"
            ),
            is_square=checked_hint(is_square, operator.is_square, "square"),
            name=name or f"{operator.name}_adjoint",
            parameters=parameters,
        )

    @property
    def operator(self) -> LinearOperator:
        """The operator of which this is the adjoint."""
        return self._operator

    def _shape(self) -> Any:
        shape = self._operator.shape
        return shape[:-2].concatenate([shape[-1], shape[-2]])

    def _matmul(self, x: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _to_dense(self) -> Any:
        return adjoint_of(self._operator.to_dense())

    def _diag_part(self) -> Any:
        return conj_of(self._operator.diag_part())

    def _trace(self) -> Any:
        return conj_of(self._operator.trace())

    def _determinant(self) -> Any:
        return conj_of(self._operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self._operator.log_abs_determinant()

    def _cond(self) -> Any:
        return self._operator.cond()

    def _eigvals(self) -> Any:
        return conj_of(self._operator.eigvals())

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        return self._operator.assert_non_singular()

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        return self._operator.assert_positive_definite()

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        return self._operator.assert_self_adjoint()
