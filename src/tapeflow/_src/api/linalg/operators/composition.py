"""`LinearOperatorComposition`: the product of operators."""

from __future__ import annotations

from functools import reduce
from typing import Any

from tapeflow._src.api.linalg.operators.adjoint import LinearOperatorAdjoint
from tapeflow._src.api.linalg.operators.assertions import all_of
from tapeflow._src.api.linalg.operators.base import LinearOperator
from tapeflow._src.api.linalg.operators.hints import checked_hint, every
from tapeflow._src.api.linalg.operators.sizes import joint_sizes
from tapeflow._src.api.linalg.operators.spec import composite
from tapeflow._src.api.linalg.products import adjoint as adjoint_of
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.math.arithmetic import add_v2, mul


def require_operators(operators: Any) -> list[LinearOperator]:
    """Return the operators as a list: at least one, all of one dtype."""
    checked = list(operators)
    if not checked:
        raise ValueError(f"Expected one operator or more, received {operators}.")
    if any(o.dtype is not checked[0].dtype for o in checked):
        kinds = ", ".join(f"{o.name}: {o.dtype.name}" for o in checked)
        raise TypeError(f"Operators must share one dtype, received {kinds}.")
    return checked


def joint_batch(operators: list[LinearOperator]) -> list[int | None]:
    """Return the batch shape that all are broadcast to."""
    return joint_sizes(*(o.batch_shape for o in operators))


def _is_product_with_adjoint(operators: list[LinearOperator]) -> bool:
    """Whether the product has the form `A @ adjoint(A)`."""
    middle, rest = divmod(len(operators), 2)
    pairs = zip(operators[:middle], operators[::-1])
    return not rest and all(_are_adjoint(first, last) for first, last in pairs)


def _are_adjoint(a: LinearOperator, b: LinearOperator) -> bool:
    if isinstance(a, LinearOperatorAdjoint) and a.operator is b:
        return True
    if isinstance(b, LinearOperatorAdjoint) and b.operator is a:
        return True
    return a is b and bool(a.is_self_adjoint)


@composite
class LinearOperatorComposition(LinearOperator):
    """The product of `operators`, of which the last is applied first.

    Args:
        operators: A list of operators of one dtype; the columns of each are the rows of the next.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        name: A name for the operator.

    Example:

        >>> left = tf.linalg.LinearOperatorDiag([1.0, 2.0])
        >>> right = tf.linalg.LinearOperatorFullMatrix([[1.0, 1.0], [1.0, 1.0]])
        >>> tf.linalg.LinearOperatorComposition([left, right]).to_dense().numpy().tolist()
        [[1.0, 1.0], [2.0, 2.0]]
    """

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._operators = require_operators(operators)
        derived = every(self._operators, "is_non_singular")
        non_singular = checked_hint(is_non_singular, derived, "non-singular")
        # A product `A @ A.H` is semi-definite.
        folded = _is_product_with_adjoint(self._operators) or None
        definite = True if folded and non_singular else None
        super().__init__(
            self._operators[0].dtype,
            is_non_singular=non_singular,
            is_self_adjoint=checked_hint(is_self_adjoint, folded, "self-adjoint"),
            is_positive_definite=checked_hint(is_positive_definite, definite, "positive-definite"),
            is_square=checked_hint(is_square, folded, "square"),
            name=name or "_o_".join(o.name for o in self._operators),
            parameters=parameters,
        )

    @property
    def operators(self) -> list[LinearOperator]:
        return self._operators

    def _shape(self) -> TensorShape:
        for before, after in zip(self._operators, self._operators[1:], strict=False):
            before.domain_dimension.assert_is_compatible_with(after.range_dimension)
        first, last = self._operators[0], self._operators[-1]
        sizes = [first.range_dimension.value, last.domain_dimension.value]
        return TensorShape([*joint_batch(self._operators), *sizes])

    def _matmul(self, x: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        x = adjoint_of(x) if adjoint_arg else x
        ordered = self._operators if adjoint else self._operators[::-1]
        return reduce(lambda y, operator: operator.matmul(y, adjoint=adjoint), ordered, x)

    def _solve(self, rhs: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        ordered = self._operators[::-1] if adjoint else self._operators
        return reduce(lambda y, operator: operator.solve(y, adjoint=adjoint), ordered, rhs)

    def _determinant(self) -> Any:
        return reduce(mul, [o.determinant() for o in self._operators])

    def _log_abs_determinant(self) -> Any:
        return reduce(add_v2, [o.log_abs_determinant() for o in self._operators])

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        if all(operator.is_square for operator in self._operators):
            return all_of(operator.assert_non_singular() for operator in self._operators)
        return super().assert_non_singular()
