"""`LinearOperatorBlockLowerTriangular`: operators on and below a diagonal."""

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
from tapeflow._src.ops.math.arithmetic import add_v2, mul, sub


@composite
class LinearOperatorBlockLowerTriangular(BlockOperator):
    """The operator of rows of blocks, with zeros above the diagonal.

    Args:
        operators: The rows: `[[a00], [a10, a11], [a20, a21, a22]]` and so on, all operators of one
            dtype; those on the diagonal are square.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        name: A name for the operator.

    Example:

        >>> one, two = tf.linalg.LinearOperatorDiag([1.0]), tf.linalg.LinearOperatorDiag([2.0])
        >>> operator = tf.linalg.LinearOperatorBlockLowerTriangular([[one], [two, one]])
        >>> operator.to_dense().numpy().tolist()
        [[1.0, 0.0], [2.0, 1.0]]
    """

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._rows = [list(row) for row in operators]
        require_operators(self._flat())
        self._check_blocks()
        if is_square is False:
            raise ValueError("A block lower triangular operator of square blocks is square.")
        derived = every(self._diagonal(), "is_non_singular")
        super().__init__(
            self._rows[0][0].dtype,
            is_non_singular=checked_hint(is_non_singular, derived, "non-singular"),
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def operators(self) -> list[list[Any]]:
        return self._rows

    def _flat(self) -> list[Any]:
        return [operator for row in self._rows for operator in row]

    def _diagonal(self) -> list[Any]:
        return [row[-1] for row in self._rows]

    def _check_blocks(self) -> None:
        for i, row in enumerate(self._rows):
            if len(row) != i + 1:
                raise ValueError(
                    f"Row {i} of a block lower triangular operator has {i + 1} blocks; "
                    f"`operators[{i}]` contains {len(row)}."
                )
            if row[-1].is_square is False:
                raise ValueError(
                    f"The blocks on the diagonal must be square; operators[{i}][{i}] has shape "
                    f"{row[-1].shape}."
                )
            for j, block in enumerate(row):
                wide, high = self._rows[j][j].domain_dimension, row[-1].range_dimension
                if not block.domain_dimension.is_compatible_with(wide):
                    raise ValueError(
                        f"Blocks of one block column must be equally wide: `operators[{i}][{j}]` "
                        f"has {block.domain_dimension} columns, the diagonal block "
                        f"`operators[{j}][{j}]` has {wide}."
                    )
                if not block.range_dimension.is_compatible_with(high):
                    raise ValueError(
                        f"Blocks of one block row must be equally high: `operators[{i}][{j}]` has "
                        f"{block.range_dimension} rows, the diagonal block `operators[{i}][{i}]` "
                        f"has {high}."
                    )

    def _column_sizes(self) -> list[int]:
        return [require_static_size(o.domain_dimension, o) for o in self._diagonal()]

    def _row_sizes(self) -> list[int]:
        return [require_static_size(o.range_dimension, o) for o in self._diagonal()]

    def _shape(self) -> TensorShape:
        sizes = [sum(self._row_sizes()), sum(self._column_sizes())]
        return TensorShape([*joint_batch(self._flat()), *sizes])

    def _multiply_blocks(self, parts: list[Any], adjoint: bool) -> list[Any]:
        count = len(self._rows)
        if adjoint:
            products = [
                [self._rows[i][j].matmul(parts[i], adjoint=True) for i in range(j, count)]
                for j in range(count)
            ]
        else:
            products = [
                [block.matmul(part) for block, part in zip(row, parts, strict=False)]
                for row in self._rows
            ]
        return [reduce(add_v2, row) for row in products]

    def _solve_blocks(self, parts: list[Any], adjoint: bool) -> list[Any]:
        count = len(self._rows)
        solved: dict[int, Any] = {}
        for i in range(count - 1, -1, -1) if adjoint else range(count):
            right_side = parts[i]
            for j, x in solved.items():
                block = self._rows[j][i] if adjoint else self._rows[i][j]
                right_side = sub(right_side, block.matmul(x, adjoint=adjoint))
            solved[i] = self._rows[i][i].solve(right_side, adjoint=adjoint)
        return [solved[i] for i in range(count)]

    def _diag_part(self) -> Any:
        return join_last([o.diag_part() for o in self._diagonal()])

    def _trace(self) -> Any:
        return reduce(add_v2, [o.trace() for o in self._diagonal()])

    def _determinant(self) -> Any:
        return reduce(mul, [o.determinant() for o in self._diagonal()])

    def _log_abs_determinant(self) -> Any:
        return reduce(add_v2, [o.log_abs_determinant() for o in self._diagonal()])

    def _eigvals(self) -> Any:
        return join_last([o.eigvals() for o in self._diagonal()])

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        return all_of(operator.assert_non_singular() for operator in self._diagonal())
