"""`LinearOperatorKronecker`: the Kronecker product of operators."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

from tapeflow._src.api.arrays.movement import transpose
from tapeflow._src.api.arrays.shapes import broadcast_to, expand_dims, reshape
from tapeflow._src.api.linalg.operators.assertions import all_of
from tapeflow._src.api.linalg.operators.base import LinearOperator
from tapeflow._src.api.linalg.operators.composition import joint_batch, require_operators
from tapeflow._src.api.linalg.operators.hints import checked_hint, every
from tapeflow._src.api.linalg.operators.sizes import (
    joint_sizes,
    require_static_size,
    require_static_sizes,
)
from tapeflow._src.api.linalg.operators.spec import composite
from tapeflow._src.api.linalg.products import adjoint as adjoint_of
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.math.arithmetic import add_v2, mul
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.power import pow_


@composite
class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of `operators`, which is applied factor by factor.

    Args:
        operators: A list of operators of one dtype.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        name: A name for the operator.

    Example:

        >>> left = tf.linalg.LinearOperatorDiag([1.0, 2.0])
        >>> right = tf.linalg.LinearOperatorDiag([1.0, 10.0])
        >>> tf.linalg.LinearOperatorKronecker([left, right]).diag_part().numpy().tolist()
        [1.0, 10.0, 2.0, 20.0]
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
        if not list(operators):
            raise ValueError(
                "A Kronecker product needs one operator or more in `operators`, received "
                f"{operators}."
            )
        self._operators = require_operators(operators)
        derived = {
            hint: every(self._operators, f"is_{hint}")
            for hint in ("non_singular", "self_adjoint", "positive_definite", "square")
        }
        super().__init__(
            self._operators[0].dtype,
            is_non_singular=checked_hint(is_non_singular, derived["non_singular"], "non-singular"),
            is_self_adjoint=checked_hint(is_self_adjoint, derived["self_adjoint"], "self-adjoint"),
            is_positive_definite=checked_hint(
                is_positive_definite, derived["positive_definite"], "positive definite"
            ),
            is_square=checked_hint(is_square, derived["square"], "square"),
            name=name or "_x_".join(o.name for o in self._operators),
            parameters=parameters,
        )

    @property
    def operators(self) -> list[Any]:
        return self._operators

    def _shape(self) -> TensorShape:
        rows = math.prod(require_static_size(o.range_dimension, o) for o in self._operators)
        columns = math.prod(require_static_size(o.domain_dimension, o) for o in self._operators)
        return TensorShape([*joint_batch(self._operators), rows, columns])

    def _applied(self, x: Any, adjoint: bool, solve: bool) -> Any:
        """Apply each factor to its own axis of `x`, whose rows are viewed as several axes."""
        batch = require_static_sizes(TensorShape(joint_sizes(self.batch_shape, x.shape[:-2])))
        columns = x.shape[-1]
        rest = x.shape[-2]
        if columns is None or rest is None:
            raise ValueError(f"{self.name} is applied to matrices of known size, got {x.shape}.")
        x = broadcast_to(x, [*batch, rest, columns])
        # The axis of the factor at hand is taken from the front of the rows, its result put last:
        # after all factors their order is again the first.
        for operator in self._operators:
            size = operator.range_dimension if solve != adjoint else operator.domain_dimension
            inner = rest // int(size)
            x = reshape(x, [*batch, int(size), inner * columns])
            x = operator.solve(x, adjoint=adjoint) if solve else operator.matmul(x, adjoint=adjoint)
            rows = x.shape[-2]
            x = reshape(x, [*batch, rows, inner, columns])
            axes = list(range(len(batch)))
            n = len(batch)
            x = transpose(x, [*axes, n + 1, n, n + 2])
            rest = inner * rows
            x = reshape(x, [*batch, rest, columns])
        return x

    def _matmul(self, x: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        return self._applied(adjoint_of(x) if adjoint_arg else x, adjoint, solve=False)

    def _solve(self, rhs: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        return self._applied(adjoint_of(rhs) if adjoint_arg else rhs, adjoint, solve=True)

    def _of_all(self, values: list[Any]) -> Any:
        """Compute the Kronecker product of vectors."""
        return reduce(_all_products, values)

    def _diag_part(self) -> Any:
        if not all(o.is_square for o in self._operators):
            return super()._diag_part()
        return self._of_all([o.diag_part() for o in self._operators])

    def _eigvals(self) -> Any:
        return self._of_all([o.eigvals() for o in self._operators])

    def _trace(self) -> Any:
        if not all(o.is_square for o in self._operators):
            return super()._trace()
        return reduce(mul, [o.trace() for o in self._operators])

    def _exponents(self) -> list[int]:
        """Return the exponent of each factor's determinant in that of the product."""
        total = int(self.domain_dimension)
        return [total // int(o.domain_dimension) for o in self._operators]

    def _determinant(self) -> Any:
        determinants = [o.determinant() for o in self._operators]
        powers = zip(determinants, self._exponents(), strict=True)
        return reduce(mul, [pow_(d, scalar(n, d)) for d, n in powers])

    def _log_abs_determinant(self) -> Any:
        logarithms = [o.log_abs_determinant() for o in self._operators]
        terms = zip(logarithms, self._exponents(), strict=True)
        return reduce(add_v2, [mul(d, scalar(n, d)) for d, n in terms])

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        if all(operator.is_square for operator in self._operators):
            return all_of(operator.assert_non_singular() for operator in self._operators)
        return super().assert_non_singular()

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        return all_of(operator.assert_self_adjoint() for operator in self._operators)


def _all_products(x: Any, y: Any) -> Any:
    product = mul(expand_dims(x, -1), expand_dims(y, -2))
    return reshape(product, [*product.shape.as_list()[:-2], x.shape[-1] * y.shape[-1]])
