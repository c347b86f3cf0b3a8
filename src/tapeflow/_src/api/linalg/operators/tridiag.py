"""`LinearOperatorTridiag`: a matrix of three diagonals."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeflow._src.api.arrays.joining import stack
from tapeflow._src.api.linalg.diagonals import diag, diag_part
from tapeflow._src.api.linalg.operators.base import LinearOperator
from tapeflow._src.api.linalg.operators.references import hold
from tapeflow._src.api.linalg.operators.sizes import with_one_batch
from tapeflow._src.api.linalg.operators.spec import composite
from tapeflow._src.api.linalg.products import adjoint as adjoint_of
from tapeflow._src.api.linalg.solvers import tridiagonal_matmul, tridiagonal_solve
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.common import concat_v2, scalar_int, unpack
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.arithmetic import conj_of

_FORMATS = ("compact", "matrix", "sequence")


@composite
class LinearOperatorTridiag(LinearOperator):
    """The matrix of three diagonals.

    Args:
        diagonals: The diagonals, uppermost first. The last element of the upper diagonal and the
            first of the lower one stand outside.
        diagonals_format: "compact" for the rows of one tensor, "sequence" for a list, "matrix" for
            the diagonals of a dense matrix.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        name: A name for the operator.

    Example:

        >>> diagonals = [[1.0, 0.0], [2.0, 2.0], [0.0, 3.0]]
        >>> tf.linalg.LinearOperatorTridiag(diagonals).to_dense().numpy().tolist()
        [[2.0, 1.0], [3.0, 2.0]]
    """

    _matrix_axes: ClassVar[dict[str, int]] = {"diagonals": 2}

    def __init__(
        self,
        diagonals: Any,
        diagonals_format: str = "compact",
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        if diagonals_format not in _FORMATS:
            raise ValueError(
                "diagonals_format must be 'compact', 'matrix' or 'sequence', received "
                f"{diagonals_format!r}."
            )
        if diagonals_format == "sequence":
            self._diagonals: Any = [hold(d) for d in diagonals]
        else:
            self._diagonals = hold(diagonals)
        if is_square is False:
            raise ValueError("Only square tridiagonal operators supported.")
        self._format = diagonals_format
        super().__init__(
            _first(self._diagonals).dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def diagonals(self) -> Any:
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        return self._format

    @property
    def _compact(self) -> Any:
        """Return the diagonals as the rows of one tensor."""
        if self._format == "sequence":
            return stack([convert(d) for d in self._diagonals], axis=-2)
        if self._format == "matrix":
            return diag_part(convert(self._diagonals), k=(-1, 1), align="LEFT_RIGHT")
        return convert(self._diagonals)

    def _shape(self) -> TensorShape:
        shape = _first(self._diagonals).shape
        batch = shape[:-1] if self._format == "sequence" else shape[:-2]
        return batch.concatenate([shape[-1], shape[-1]])

    def _sliced(self, name: str, value: Any, key: tuple[Any, ...]) -> Any:
        if name == "diagonals" and self._format == "sequence":
            return [get_item(convert(d), (*key, ..., slice(None))) for d in value]
        return super()._sliced(name, value, key)

    def _adjoint_diagonals(self) -> Any:
        upper, main, lower = (conj_of(d) for d in unpack(self._compact, num=3, axis=-2))
        return stack([_shifted(lower, 1), main, _shifted(upper, -1)], axis=-2)

    def _broadcast(self, x: TensorLike, adjoint: bool) -> tuple[Any, Any]:
        """Broadcast the diagonals and `x` to one batch shape."""
        compact = self._adjoint_diagonals() if adjoint else self._compact
        compact, x = with_one_batch(compact, x)
        return compact, x

    def _matmul(self, x: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        compact, x = self._broadcast(adjoint_of(x) if adjoint_arg else x, adjoint)
        return tridiagonal_matmul(compact, x, diagonals_format="compact")

    def _solve(self, rhs: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        compact, rhs = self._broadcast(adjoint_of(rhs) if adjoint_arg else rhs, adjoint)
        return tridiagonal_solve(compact, rhs, diagonals_format="compact")

    def _to_dense(self) -> Any:
        if self._compact.shape[-1] == 1:
            return get_item(self._compact, (..., slice(1, 2), slice(None)))
        return diag(self._compact, k=(-1, 1), align="LEFT_RIGHT")

    def _diag_part(self) -> Any:
        return get_item(self._compact, (..., 1, slice(None)))


def _first(diagonals: Any) -> Any:
    return diagonals[0] if isinstance(diagonals, list) else diagonals


def _shifted(diagonal: TensorLike, by: int) -> Any:
    """Roll elements by one position to the left (1) or to the right (-1)."""
    at = slice(by, None), slice(None, by)
    parts = [get_item(diagonal, (..., part)) for part in at]
    return concat_v2(parts, scalar_int(-1))
