"""`LinearOperatorHouseholder`: a reflection."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeflow._src.api.arrays.creation import eye, ones, ones_like
from tapeflow._src.api.arrays.joining import concat
from tapeflow._src.api.arrays.shapes import expand_dims
from tapeflow._src.api.control_flow.grouping import no_op
from tapeflow._src.api.linalg.norms import normalize
from tapeflow._src.api.linalg.operators.base import LinearOperator
from tapeflow._src.api.linalg.operators.references import hold
from tapeflow._src.api.linalg.operators.spec import composite
from tapeflow._src.api.linalg.products import adjoint as adjoint_of
from tapeflow._src.api.linalg.products import matmul
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.common import concat_v2, scalar_int, shape_of
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.arithmetic import absolute, add_v2, mul, neg, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.elementwise import scalar, square


@composite
class LinearOperatorHouseholder(LinearOperator):
    """The Householder reflection across the hyperplane orthogonal to `reflection_axis`.

    Args:
        reflection_axis: `[..., n]`; it is normalised.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        name: A name for the operator.

    Example:

        >>> operator = tf.linalg.LinearOperatorHouseholder([1.0, 0.0])
        >>> operator.matvec([3.0, 4.0]).numpy().tolist()
        [-3.0, 4.0]
    """

    _matrix_axes: ClassVar[dict[str, int]] = {"reflection_axis": 1}

    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._held = hold(reflection_axis)
        if self._held.shape.rank == 0:
            raise ValueError(
                "`reflection_axis` must be a vector or a batch of vectors (rank 1 or more), "
                f"received a scalar: {self._held}."
            )
        if is_self_adjoint is False:
            raise ValueError(
                "is_self_adjoint=False is not possible: a Householder reflection equals its "
                "adjoint."
            )
        if is_positive_definite is True:
            raise ValueError(
                "is_positive_definite=True is not possible: a Householder reflection has the "
                "eigenvalue -1."
            )
        if is_square is False:
            raise ValueError("is_square=False is not possible: Householder reflections are square.")
        super().__init__(
            self._held.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=True,
            is_positive_definite=False,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def reflection_axis(self) -> Any:
        return self._held

    @property
    def _axis(self) -> Any:
        return convert(self._held)

    def _shape(self) -> Any:
        return self._held.shape.concatenate(self._held.shape[-1:])

    def _unit(self) -> Any:
        return normalize(self._axis, axis=-1)[0]

    def _matmul(self, x: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        x = adjoint_of(x) if adjoint_arg else x
        unit = expand_dims(self._unit(), -1)
        along = matmul(unit, matmul(unit, x, adjoint_a=True))
        return sub(x, mul(scalar(2, x), along))

    def _solve(self, rhs: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _to_dense(self) -> Any:
        unit = expand_dims(self._unit(), -1)
        projection = matmul(unit, unit, adjoint_b=True)
        doubled = mul(scalar(-2, unit), projection)
        return add_v2(eye(self._size(), dtype=self.dtype), doubled)

    def _size(self) -> Any:
        """Return the number of rows: a number, or a scalar tensor if it is not known."""
        static_size = self.domain_dimension.value
        return get_item(shape_of(self._axis), -1) if static_size is None else static_size

    def _shape_tensor(self) -> Any:
        sizes = shape_of(self._axis)
        return concat_v2([sizes, get_item(sizes, slice(-1, None))], scalar_int(0))

    def _diag_part(self) -> Any:
        unit = cast(square(absolute(self._unit())), DstT=self.dtype)
        return sub(scalar(1, unit), mul(scalar(2, unit), unit))

    def _trace(self) -> Any:
        return mul(self._ones(), cast(convert(self._size() - 2), DstT=self.dtype))

    def _ones(self) -> Any:
        return ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _determinant(self) -> Any:
        return neg(self._ones())

    def _log_abs_determinant(self) -> Any:
        return mul(self._ones(), scalar(0, self._axis))

    def _eigvals(self) -> Any:
        first = expand_dims(neg(self._ones()), -1)
        others = ones_like(get_item(self._axis, (..., slice(1, None))))
        return concat([first, others], axis=-1)

    def _cond(self) -> Any:
        return self._ones()

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Do nothing: a reflection is non-singular."""
        return no_op(name=name)

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Do nothing: a reflection is self-adjoint."""
        return no_op(name=name)

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        raise ValueError(
            "A Householder reflection is not positive definite: it has the eigenvalue -1."
        )
