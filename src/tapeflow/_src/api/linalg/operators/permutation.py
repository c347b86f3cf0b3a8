"""`LinearOperatorPermutation`: puts the rows of a matrix in another order."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tapeflow._src.api.arrays.creation import ones
from tapeflow._src.api.linalg.operators.base import LinearOperator
from tapeflow._src.api.linalg.operators.spec import composite
from tapeflow._src.api.linalg.products import matmul
from tapeflow._src.api.linalg.solvers import det
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.ops.array.filling import one_hot
from tapeflow._src.ops.math.arithmetic import mul


@composite
class LinearOperatorPermutation(LinearOperator):
    """The operator whose row i takes row `perm[i]` of what it is applied to.

    Args:
        perm: Integers `[..., n]`: a permutation of 0 to n - 1.
        dtype: The dtype of the matrices; float32 by default.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        name: A name for the operator.

    Example:

        >>> operator = tf.linalg.LinearOperatorPermutation([2, 0, 1])
        >>> operator.matvec([10.0, 20.0, 30.0]).numpy().tolist()
        [30.0, 10.0, 20.0]
    """

    _matrix_axes: ClassVar[dict[str, int]] = {"perm": 1}

    def __init__(
        self,
        perm: Any,
        dtype: DTypeLike = dtypes.float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._perm = convert(perm)
        _require_permutation(self._perm)
        for hint, what in ((is_non_singular, "non-singular"), (is_square, "square")):
            if hint is False:
                raise ValueError(f"A permutation operator is always {what}.")
        super().__init__(
            as_dtype(dtype),
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )

    @property
    def perm(self) -> Any:
        return self._perm

    def _shape(self) -> Any:
        return self._perm.shape.concatenate(self._perm.shape[-1:])

    def _to_dense(self) -> Any:
        size = self._perm.shape[-1]
        return one_hot(self._perm, size, convert(1, self.dtype), convert(0, self.dtype))

    def _solve(self, rhs: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        # The inverse of a permutation is its transpose.
        return matmul(self.to_dense(), rhs, adjoint_a=not adjoint, adjoint_b=adjoint_arg)

    def _determinant(self) -> Any:
        return det(self.to_dense())

    def _log_abs_determinant(self) -> Any:
        return mul(ones(self.batch_shape_tensor(), dtype=self.dtype), convert(0, self.dtype))

    def _cond(self) -> Any:
        return ones(self.batch_shape_tensor(), dtype=self.dtype)


def _require_permutation(perm: Any) -> None:
    if perm.shape.rank == 0:
        raise ValueError(
            "`perm` must be a vector or a batch of vectors (rank 1 or more), received a scalar: "
            f"{perm}."
        )
    if not perm.dtype.is_integer:
        raise TypeError(f"`perm` must hold integers, received dtype {perm.dtype.name}.")
    values = perm.static_value
    if values is None:
        return
    size = values.shape[-1]
    if not np.array_equal(np.sort(values, -1), np.broadcast_to(np.arange(size), values.shape)):
        raise ValueError(
            f"`perm` must contain each of 0, 1, ..., {size - 1} exactly once, received "
            f"{values.tolist()}."
        )
