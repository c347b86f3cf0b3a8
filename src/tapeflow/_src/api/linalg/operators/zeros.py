"""`LinearOperatorZeros`: the matrix of zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.api.arrays.creation import zeros
from tapeflow._src.api.control_flow.grouping import no_op
from tapeflow._src.api.linalg.operators.base import LinearOperator
from tapeflow._src.api.linalg.operators.sizes import batch_sizes, repeated, row_count
from tapeflow._src.api.linalg.operators.spec import composite
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.types import DTypeLike, ShapeLike
from tapeflow._src.ops.array.common import fill, static_ints


@composite
class LinearOperatorZeros(LinearOperator):
    """Zeros, of `num_rows` rows and `num_columns` columns, in batches of `batch_shape`.

    Args:
        num_rows: The number of rows.
        num_columns: The number of columns; `num_rows` by default.
        batch_shape: The shape of the batch; none by default.
        dtype: The dtype; float32 by default.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        assert_proper_shapes: Whether to check sizes when the graph runs.
        name: A name for the operator.

    Example:

        >>> tf.linalg.LinearOperatorZeros(2).to_dense().numpy().tolist()
        [[0.0, 0.0], [0.0, 0.0]]
    """

    def __init__(
        self,
        num_rows: Any,
        num_columns: Any = None,
        batch_shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        is_non_singular: bool | None = False,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._rows = row_count(num_rows, "num_rows", assert_proper_shapes)
        self._columns = self._rows
        if num_columns is not None:
            self._columns = row_count(num_columns, "num_columns", assert_proper_shapes)
        self._batch = batch_sizes(batch_shape)
        if is_non_singular:
            raise ValueError("is_non_singular=True is not possible: a zero matrix is singular.")
        if is_self_adjoint and not is_square:
            raise ValueError("A non-square zero operator is never self adjoint.")
        if is_positive_definite:
            raise ValueError(
                "is_positive_definite=True is not possible: a zero matrix has the eigenvalue 0."
            )
        if is_square and self._rows != self._columns:
            raise ValueError(
                "is_square=True needs equal numbers of rows and columns, received "
                f"num_rows={num_rows} and num_columns={num_columns}."
            )
        super().__init__(
            as_dtype(dtype or dtypes.float32),
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )

    def _shape(self) -> TensorShape:
        return TensorShape([*self._batch, self._rows, self._columns])

    def _matmul(self, x: Any, adjoint: bool, adjoint_arg: bool) -> Any:
        batch = np.broadcast_shapes(tuple(self._batch), tuple(x.shape.as_list()[:-2]))
        rows = self._columns if adjoint else self._rows
        columns = x.shape[-2] if adjoint_arg else x.shape[-1]
        return zeros([*batch, rows, columns], dtype=self.dtype)

    def _to_dense(self) -> Any:
        return zeros([*self._batch, self._rows, self._columns], dtype=self.dtype)

    def _diag_part(self) -> Any:
        return zeros([*self._batch, min(self._rows, self._columns)], dtype=self.dtype)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _trace(self) -> Any:
        return zeros(self._batch, dtype=self.dtype)

    def _determinant(self) -> Any:
        return zeros(self._batch, dtype=self.dtype)

    def _log_abs_determinant(self) -> Any:
        return fill(static_ints(tuple(self._batch)), convert(-np.inf, self.dtype))

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:
        """Return `mat`, broadcast to the batch shape.

        Args:
            mat: Matrices of the dtype of the operator.
            name: Name of the op in a graph.

        Returns:
            A tensor.
        """
        return repeated(self._tpf_converted(mat), self._batch)

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        raise InvalidArgumentError(None, None, "A zero operator is singular: it has no inverse.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        raise InvalidArgumentError(None, None, "A zero operator is not positive definite.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Do nothing: zeros are self-adjoint."""
        return no_op(name=name)
