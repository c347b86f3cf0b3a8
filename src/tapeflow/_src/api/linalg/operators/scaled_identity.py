"""`LinearOperatorScaledIdentity`: a multiple of the identity."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeflow._src.api.arrays.creation import eye, ones, ones_like
from tapeflow._src.api.arrays.shapes import expand_dims
from tapeflow._src.api.linalg.operators.assertions import (
    require_nonzero,
    require_positive,
    require_real,
)
from tapeflow._src.api.linalg.operators.base import LinearOperator
from tapeflow._src.api.linalg.operators.references import hold
from tapeflow._src.api.linalg.operators.sizes import row_count
from tapeflow._src.api.linalg.operators.spec import composite
from tapeflow._src.api.linalg.products import adjoint as adjoint_of
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.diag import matrix_diag_part, matrix_set_diag
from tapeflow._src.ops.math.arithmetic import absolute, add_v2, conj_of, mul, real_div
from tapeflow._src.ops.math.elementwise import log, scalar
from tapeflow._src.ops.math.power import pow_


@composite
class LinearOperatorScaledIdentity(LinearOperator):
    """`multiplier` times the identity, for each of a batch of multipliers.

    Args:
        num_rows: The number of rows and columns.
        multiplier: The factor; its shape is that of the batch.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        assert_proper_shapes: Whether to check sizes when the graph runs.
        name: A name for the operator.

    Example:

        >>> tf.linalg.LinearOperatorScaledIdentity(2, multiplier=3.0).to_dense().numpy().tolist()
        [[3.0, 0.0], [0.0, 3.0]]
    """

    _matrix_axes: ClassVar[dict[str, int]] = {"multiplier": 0}

    def __init__(
        self,
        num_rows: Any,
        multiplier: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._held = hold(multiplier)
        if not self._held.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(
                    "is_self_adjoint=False contradicts the real multiplier: the matrix equals its "
                    "adjoint."
                )
            is_self_adjoint = True
        if not is_square:
            raise ValueError("is_square=False is not possible: identity matrices are square.")
        self._rows = row_count(num_rows, "num_rows", assert_proper_shapes)
        super().__init__(
            self._held.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )

    @property
    def multiplier(self) -> Any:
        return self._held

    @property
    def _multiplier(self) -> Any:
        return convert(self._held)

    def _shape(self) -> TensorShape:
        return self._held.shape.concatenate([self._rows, self._rows])

    def _factor(self, adjoint: bool = False) -> Any:
        """Return the multipliers with two more axes."""
        factor = conj_of(self._multiplier) if adjoint else self._multiplier
        return expand_dims(expand_dims(factor, -1), -1)

    def _count(self) -> Any:
        return scalar(self._rows, self._multiplier)

    def _matmul(self, x: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        return mul(adjoint_of(x) if adjoint_arg else x, self._factor(adjoint))

    def _solve(self, rhs: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        return real_div(adjoint_of(rhs) if adjoint_arg else rhs, self._factor(adjoint))

    def _to_dense(self) -> Any:
        return mul(eye(self._rows, dtype=self.dtype), self._factor())

    def _diag_part(self) -> Any:
        return mul(ones([self._rows], dtype=self.dtype), expand_dims(self._multiplier, -1))

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _trace(self) -> Any:
        return mul(self._multiplier, self._count())

    def _determinant(self) -> Any:
        return pow_(self._multiplier, self._count())

    def _log_abs_determinant(self) -> Any:
        logarithm = log(absolute(self._multiplier))
        return mul(scalar(self._rows, logarithm), logarithm)

    def _cond(self) -> Any:
        return ones_like(absolute(self._multiplier))

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:
        """Add the multiplier to the diagonal of `mat`.

        Args:
            mat: Matrices of the dtype of the operator.
            name: Name of the op in a graph.

        Returns:
            A tensor.
        """
        mat = self._tpf_converted(mat)
        batch = mat.shape[:-2]
        if not batch.is_fully_defined() or batch != self.batch_shape:
            return add_v2(mat, self.to_dense())
        diagonal = add_v2(matrix_diag_part(mat), expand_dims(self._multiplier, -1))
        return matrix_set_diag(mat, diagonal)

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        return require_nonzero(self._multiplier, "The operator is singular: its multiplier is 0.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        return require_positive(
            self._multiplier,
            "The operator is not positive definite: the real part of the multiplier must be above "
            "0.",
        )

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        return require_real(
            self._multiplier,
            "The operator is not self-adjoint: the imaginary part of the multiplier must be 0.",
        )
