"""`LinearOperatorInversion`: the inverse of another operator."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.linalg.operators.base import LinearOperator
from tapeflow._src.api.linalg.operators.hints import checked_hint
from tapeflow._src.api.linalg.operators.spec import composite
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.math.arithmetic import neg, real_div
from tapeflow._src.ops.math.elementwise import scalar


@composite
class LinearOperatorInversion(LinearOperator):
    """The inverse of `operator`, which is not computed: applying it solves.

    Args:
        operator: The operator.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        name: A name for the operator.

    Example:

        >>> inverse = tf.linalg.LinearOperatorInversion(tf.linalg.LinearOperatorDiag([2.0, 4.0]))
        >>> inverse.matvec([1.0, 1.0]).numpy().tolist()
        [0.5, 0.25]
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
        for hint, value in (("is_square", is_square), ("is_non_singular", is_non_singular)):
            if getattr(operator, hint) is False or value is False:
                raise ValueError(
                    f"An inverse needs `{hint}` to be True or None, of the operator and of the "
                    f"hint passed; received operator.{hint}={getattr(operator, hint)} and "
                    f"{hint}={value}."
                )
        self._operator = operator
        super().__init__(
            operator.dtype,
            is_non_singular=checked_hint(is_non_singular, operator.is_non_singular, "non-singular"),
            is_self_adjoint=checked_hint(is_self_adjoint, operator.is_self_adjoint, "self-adjoint"),
            is_positive_definite=checked_hint(
                is_positive_definite, operator.is_positive_definite, "positive definite"
            ),
            is_square=checked_hint(is_square, operator.is_square, "square"),
            name=name or f"{operator.name}_inv",
            parameters=parameters,
        )

    @property
    def operator(self) -> LinearOperator:
        """The operator of which this is the inverse."""
        return self._operator

    def _shape(self) -> Any:
        return self._operator.shape

    def _matmul(self, x: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        determinant = self._operator.determinant()
        return real_div(scalar(1, determinant), determinant)

    def _log_abs_determinant(self) -> Any:
        return neg(self._operator.log_abs_determinant())

    def _eigvals(self) -> Any:
        values = self._operator.eigvals()
        return real_div(scalar(1, values), values)

    def _cond(self) -> Any:
        return self._operator.cond()

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        return self._operator.assert_non_singular()

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        return self._operator.assert_positive_definite()

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        return self._operator.assert_self_adjoint()
