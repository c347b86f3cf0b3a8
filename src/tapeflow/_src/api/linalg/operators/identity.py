"""`LinearOperatorIdentity`: the identity matrix."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.arrays.creation import eye, ones
from tapeflow._src.api.control_flow.grouping import no_op
from tapeflow._src.api.linalg.operators.base import LinearOperator
from tapeflow._src.api.linalg.operators.sizes import batch_sizes, repeated, row_count
from tapeflow._src.api.linalg.operators.spec import composite
from tapeflow._src.api.linalg.products import adjoint as adjoint_of
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.ops.array.diag import matrix_diag_part, matrix_set_diag
from tapeflow._src.ops.math.arithmetic import add_v2


@composite
class LinearOperatorIdentity(LinearOperator):
    """The identity, of `num_rows` rows, in batches of `batch_shape`.

    Args:
        num_rows: The number of rows and columns.
        batch_shape: The shape of the batch; none by default.
        dtype: The dtype; float32 by default.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        assert_proper_shapes: Whether to check sizes when the graph runs.
        name: A name for the operator.

    Example:

        >>> tf.linalg.LinearOperatorIdentity(2, batch_shape=[3]).shape
        TensorShape([3, 2, 2])
    """

    def __init__(
        self,
        num_rows: Any,
        batch_shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        is_non_singular: bool | None = True,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        for hint, what in (
            (is_self_adjoint, "self adjoint"),
            (is_non_singular, "non-singular"),
            (is_positive_definite, "positive-definite"),
        ):
            if not hint:
                raise ValueError(f"Identity matrices are {what}, but the hint is {hint}.")
        self._rows = row_count(num_rows, "num_rows", assert_proper_shapes)
        self._batch = batch_sizes(batch_shape)
        super().__init__(
            as_dtype(dtype or dtypes.float32),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )

    def _shape(self) -> TensorShape:
        return TensorShape([*self._batch, self._rows, self._rows])

    def _matmul(self, x: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        return repeated(adjoint_of(x) if adjoint_arg else x, self._batch)

    def _solve(self, rhs: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _to_dense(self) -> Any:
        return eye(self._rows, batch_shape=self._batch, dtype=self.dtype)

    def _diag_part(self) -> Any:
        return ones([*self._batch, self._rows], dtype=self.dtype)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _trace(self) -> Any:
        return ones(self._batch, dtype=self.dtype) * convert(self._rows, self.dtype)

    def _determinant(self) -> Any:
        return ones(self._batch, dtype=self.dtype)

    def _log_abs_determinant(self) -> Any:
        return ones(self._batch, dtype=self.dtype) * convert(0, self.dtype)

    def _cond(self) -> Any:
        return ones(self._batch, dtype=self.dtype)

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:
        """Add ones to the diagonal of `mat`.

        Args:
            mat: Matrices of the dtype of the operator.
            name: Name of the op in a graph.

        Returns:
            A tensor.
        """
        mat = repeated(self._tpf_converted(mat), self._batch)
        return matrix_set_diag(mat, add_v2(matrix_diag_part(mat), convert(1, self.dtype)))

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Do nothing: the identity is non-singular."""
        return no_op(name=name)

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Do nothing: the identity is positive definite."""
        return no_op(name=name)

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Do nothing: the identity is self-adjoint."""
        return no_op(name=name)
