"""`LinearOperatorLowRankUpdate`: an operator plus a product of thin matrices."""

from __future__ import annotations

from functools import reduce
from typing import Any, ClassVar

from tapeflow._src.api.arrays.creation import ones
from tapeflow._src.api.linalg.factors import cholesky
from tapeflow._src.api.linalg.operators.base import LinearOperator
from tapeflow._src.api.linalg.operators.diag import LinearOperatorDiag
from tapeflow._src.api.linalg.operators.identity import LinearOperatorIdentity
from tapeflow._src.api.linalg.operators.references import hold
from tapeflow._src.api.linalg.operators.sizes import joint_sizes, with_one_batch
from tapeflow._src.api.linalg.operators.spec import composite
from tapeflow._src.api.linalg.products import adjoint as adjoint_of
from tapeflow._src.api.linalg.products import matmul
from tapeflow._src.api.linalg.solvers import det, logdet, slogdet
from tapeflow._src.api.math.reduction import reduce_sum
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.broadcasting import broadcast_args
from tapeflow._src.ops.array.common import concat_v2, scalar_int, shape_of
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.linalg.solve import cholesky_solve, matrix_solve
from tapeflow._src.ops.math.arithmetic import add_v2, conj_of, mul, sub


@composite
class LinearOperatorLowRankUpdate(LinearOperator):
    """`base_operator + u @ diag(diag_update) @ adjoint(v)`, solved by the Woodbury identity.

    It is solved with the solver of the base and a system as small as `u` is thin (Woodbury).

    Args:
        base_operator: The operator that is updated.
        u: `[..., rows, k]`.
        diag_update: `[..., k]`; ones by default.
        v: `[..., columns, k]`; `u` by default.
        is_diag_update_positive: Whether the caller promises that `diag_update` is positive.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        name: A name for the operator.

    Example:

        >>> base = tf.linalg.LinearOperatorIdentity(2)
        >>> operator = tf.linalg.LinearOperatorLowRankUpdate(base, u=[[1.0], [1.0]])
        >>> operator.to_dense().numpy().tolist()
        [[2.0, 1.0], [1.0, 2.0]]
    """

    _matrix_axes: ClassVar[dict[str, int]] = {"u": 2, "diag_update": 1, "v": 2}

    def __init__(
        self,
        base_operator: LinearOperator,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        parameters = {k: v_ for k, v_ in locals().items() if k not in ("self", "__class__")}
        dtype = base_operator.dtype
        self._base = base_operator
        self._held_u = hold(u, dtype)
        self._held_v = self._held_u if v is None else hold(v, dtype)
        self._held_update = None if diag_update is None else hold(diag_update, dtype)
        if diag_update is None:
            is_diag_update_positive = True
        self._positive = is_diag_update_positive
        self._check_sizes()
        symmetric = v is None and base_operator.is_self_adjoint
        real_update = not dtype.is_complex or is_diag_update_positive or diag_update is None
        if symmetric and real_update and is_self_adjoint is None:
            is_self_adjoint = True
        if v is None and base_operator.is_positive_definite and is_diag_update_positive:
            is_positive_definite = True if is_positive_definite is None else is_positive_definite
        super().__init__(
            dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )

    def _check_sizes(self) -> None:
        self._base.range_dimension.assert_is_compatible_with(self._u.shape[-2])
        self._base.domain_dimension.assert_is_compatible_with(self._v.shape[-2])
        thin = self._u.shape[-1]
        sizes = [self._v.shape[-1]]
        if self._diag_update is not None:
            sizes.append(self._diag_update.shape[-1])
        for size in sizes:
            if size != thin and None not in (size, thin):
                raise ValueError(f"Dimensions {thin} and {size} are not compatible")

    @property
    def base_operator(self) -> LinearOperator:
        return self._base

    @property
    def u(self) -> Any:
        return self._held_u

    @property
    def v(self) -> Any:
        return self._held_v

    @property
    def diag_update(self) -> Any:
        return self._held_update

    @property
    def _u(self) -> Any:
        return convert(self._held_u)

    @property
    def _v(self) -> Any:
        return convert(self._held_v)

    @property
    def _diag_update(self) -> Any:
        return None if self._held_update is None else convert(self._held_update)

    @property
    def is_diag_update_positive(self) -> bool | None:
        return self._positive

    @property
    def diag_operator(self) -> LinearOperator:
        """The diagonal between `u` and `v`, as an operator."""
        if self._diag_update is None:
            thin = self._u.shape[-1]
            if thin is None:
                return LinearOperatorDiag(ones(shape_of(self._u)[-1], self.dtype))
            return LinearOperatorIdentity(thin, dtype=self.dtype)
        return LinearOperatorDiag(self._held_update, is_positive_definite=self._positive)

    def _shape(self) -> TensorShape:
        batches = [self._base.batch_shape, self._u.shape[:-2], self._v.shape[:-2]]
        if self._diag_update is not None:
            batches.append(self._diag_update.shape[:-1])
        return TensorShape([*joint_sizes(*batches), *self._base.shape.as_list()[-2:]])

    def _shape_tensor(self) -> Any:
        base = self._base.shape_tensor()
        parts = [get_item(shape_of(t), slice(None, -2)) for t in (self._u, self._v)]
        if self._diag_update is not None:
            parts.append(get_item(shape_of(self._diag_update), slice(None, -1)))
        batch = reduce(broadcast_args, parts, get_item(base, slice(None, -2)))
        return concat_v2([batch, get_item(base, slice(-2, None))], scalar_int(0))

    def _matmul(self, x: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        x = adjoint_of(x) if adjoint_arg else x
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        inner = self.diag_operator.matmul(matmul(right, x, adjoint_a=True), adjoint=adjoint)
        return add_v2(self._base.matmul(x, adjoint=adjoint), matmul(left, inner))

    def _solve(self, rhs: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        by_base = self._base.solve(rhs, adjoint=adjoint)
        inner = matmul(right, by_base, adjoint_a=True)
        capacitance = self._capacitance()
        if self._uses_cholesky():
            inner = cholesky_solve(cholesky(capacitance), inner)
        else:
            inner = matrix_solve(*with_one_batch(capacitance, inner), adjoint=adjoint)
        return sub(by_base, self._base.solve(matmul(left, inner), adjoint=adjoint))

    def _uses_cholesky(self) -> bool:
        symmetric = self._held_v is self._held_u
        base = self._base.is_positive_definite and self._base.is_self_adjoint
        return bool(symmetric and base and self._positive)

    def _capacitance(self) -> Any:
        """Return `inverse(diag) + adjoint(v) @ inverse(base) @ u`."""
        inner = matmul(self._v, self._base.solve(self._u), adjoint_a=True)
        return self.diag_operator.inverse().add_to_tensor(inner)

    def _determinant(self) -> Any:
        small = mul(det(self._capacitance()), self.diag_operator.determinant())
        return mul(small, self._base.determinant())

    def _log_abs_determinant(self) -> Any:
        capacitance = self._capacitance()
        small = logdet(capacitance) if self._uses_cholesky() else slogdet(capacitance)[1]
        small = add_v2(small, self.diag_operator.log_abs_determinant())
        return add_v2(small, self._base.log_abs_determinant())

    def _diag_part(self) -> Any:
        scaled = self._u if self._diag_update is None else self._u * self._diag_update[..., None, :]
        products = reduce_sum(mul(scaled, conj_of(self._v)), -1)
        return add_v2(self._base.diag_part(), products)
