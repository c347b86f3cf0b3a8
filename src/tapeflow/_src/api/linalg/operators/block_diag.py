"""`LinearOperatorBlockDiag`: operators along a diagonal."""

from __future__ import annotations

from functools import reduce
from typing import Any

from tapeflow._src.api.linalg.operators.assertions import all_of
from tapeflow._src.api.linalg.operators.blocks import BlockOperator, join_last
from tapeflow._src.api.linalg.operators.composition import joint_batch, require_operators
from tapeflow._src.api.linalg.operators.hints import checked_hint, every
from tapeflow._src.api.linalg.operators.sizes import require_static_size
from tapeflow._src.api.linalg.operators.spec import composite
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.ops.math.arithmetic import add_v2, mul


@composite
class LinearOperatorBlockDiag(BlockOperator):
    """The operator with `operators` as blocks on its diagonal and zeros elsewhere.

    Args:
        operators: A list of operators of one dtype.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        name: A name for the operator.

    Example:

        >>> blocks = [tf.linalg.LinearOperatorIdentity(1), tf.linalg.LinearOperatorDiag([2.0, 3.0])]
        >>> tf.linalg.LinearOperatorBlockDiag(blocks).to_dense().numpy().tolist()
        [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]]
    """

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._operators = require_operators(operators)
        derived = {
            hint: every(self._operators, f"is_{hint}")
            for hint in ("non_singular", "self_adjoint", "positive_definite")
        }
        super().__init__(
            self._operators[0].dtype,
            is_non_singular=checked_hint(is_non_singular, derived["non_singular"], "non-singular"),
            is_self_adjoint=checked_hint(is_self_adjoint, derived["self_adjoint"], "self-adjoint"),
            is_positive_definite=checked_hint(
                is_positive_definite, derived["positive_definite"], "positive definite"
            ),
            is_square=is_square,
            name=name or "_ds_".join(o.name for o in self._operators),
            parameters=parameters,
        )

    @property
    def operators(self) -> list[Any]:
        return self._operators

    def _column_sizes(self) -> list[int]:
        return [require_static_size(o.domain_dimension, o) for o in self._operators]

    def _row_sizes(self) -> list[int]:
        return [require_static_size(o.range_dimension, o) for o in self._operators]

    def _shape(self) -> TensorShape:
        sizes = [sum(self._row_sizes()), sum(self._column_sizes())]
        return TensorShape([*joint_batch(self._operators), *sizes])

    def _multiply_blocks(self, parts: list[Any], adjoint: bool) -> list[Any]:
        return [o.matmul(p, adjoint=adjoint) for o, p in zip(self._operators, parts, strict=True)]

    def _solve_blocks(self, parts: list[Any], adjoint: bool) -> list[Any]:
        return [o.solve(p, adjoint=adjoint) for o, p in zip(self._operators, parts, strict=True)]

    def _diag_part(self) -> Any:
        if not all(o.is_square for o in self._operators):
            return super()._diag_part()
        return join_last([o.diag_part() for o in self._operators])

    def _trace(self) -> Any:
        if not all(o.is_square for o in self._operators):
            return super()._trace()
        return reduce(add_v2, [o.trace() for o in self._operators])

    def _determinant(self) -> Any:
        return reduce(mul, [o.determinant() for o in self._operators])

    def _log_abs_determinant(self) -> Any:
        return reduce(add_v2, [o.log_abs_determinant() for o in self._operators])

    def _eigvals(self) -> Any:
        return join_last([o.eigvals() for o in self._operators])

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        return all_of(operator.assert_non_singular() for operator in self._operators)

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        return all_of(operator.assert_self_adjoint() for operator in self._operators)

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        return all_of(operator.assert_positive_definite() for operator in self._operators)
