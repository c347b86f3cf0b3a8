"""`LinearOperatorToeplitz`: a matrix that is constant along its diagonals."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeflow._src.api.arrays.joining import concat
from tapeflow._src.api.arrays.movement import reverse
from tapeflow._src.api.arrays.shapes import broadcast_to, expand_dims
from tapeflow._src.api.arrays.slicing import gather
from tapeflow._src.api.linalg.operators.base import LinearOperator
from tapeflow._src.api.linalg.operators.references import hold
from tapeflow._src.api.linalg.operators.sizes import joint_sizes, with_one_batch
from tapeflow._src.api.linalg.operators.spec import composite
from tapeflow._src.api.math.reduction import reduce_sum
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.ops.array.common import range_, scalar_int, shape_of
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.arithmetic import add_v2, sub


@composite
class LinearOperatorToeplitz(LinearOperator):
    """The matrix with first column `col` and first row `row`; each diagonal is constant.

    Args:
        col: `[..., n]`: the first column. `col[0]` stands on the diagonal.
        row: `[..., n]`: the first row.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        name: A name for the operator.

    Example:

        >>> operator = tf.linalg.LinearOperatorToeplitz([1.0, 2.0], [1.0, 5.0])
        >>> operator.to_dense().numpy().round(3).tolist()
        [[1.0, 5.0], [2.0, 1.0]]
    """

    _matrix_axes: ClassVar[dict[str, int]] = {"col": 1, "row": 1}

    def __init__(
        self,
        col: Any,
        row: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._held = (hold(col), hold(row, getattr(col, "dtype", None)))
        for what, tensor in zip(("col", "row"), self._held, strict=True):
            if tensor.shape.rank == 0:
                raise ValueError(
                    f"`{what}` must be a vector or a batch of vectors (rank 1 or more), received a "
                    f"scalar: {tensor}."
                )
        if not self._col.shape[-1:].is_compatible_with(self._row.shape[-1:]):
            raise ValueError(
                f"Expected square matrix, got `col` of shape {self._col.shape} and `row` of shape "
                f"{self._row.shape}."
            )
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        super().__init__(
            self._col.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def col(self) -> Any:
        return self._held[0]

    @property
    def row(self) -> Any:
        return self._held[1]

    @property
    def _col(self) -> Any:
        return convert(self._held[0])

    @property
    def _row(self) -> Any:
        return convert(self._held[1], None, self._held[0].dtype)

    def _shape(self) -> TensorShape:
        size = self._col.shape[-1]
        return TensorShape([*joint_sizes(self._col.shape[:-1], self._row.shape[:-1]), size, size])

    def _to_dense(self) -> Any:
        col, row = with_one_batch(self._col, self._row, inner=1)
        above = reverse(get_item(row, (..., slice(1, None))), [-1])
        # The values of all diagonals, from the last of the row to the last of the column.
        values = concat([above, col], axis=-1)
        size = get_item(shape_of(col), -1)
        every = range_(scalar_int(0), size, scalar_int(1))
        diagonals = add_v2(sub(expand_dims(every, 1), every), sub(size, scalar_int(1)))
        return gather(values, diagonals, axis=-1)

    def _diag_part(self) -> Any:
        col, _ = with_one_batch(self._col, self._row, inner=1)
        return broadcast_to(get_item(col, (..., slice(None, 1))), shape_of(col))

    def _trace(self) -> Any:
        return reduce_sum(self._diag_part(), -1)
