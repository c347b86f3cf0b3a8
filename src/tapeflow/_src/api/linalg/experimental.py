"""`tf.linalg.experimental`: the conjugate gradient method."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from tapeflow._src.api.arrays.shapes import expand_dims
from tapeflow._src.api.linalg.norms import norm
from tapeflow._src.api.linalg.operators.base import LinearOperator
from tapeflow._src.api.math.reduction import reduce_any, reduce_sum
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.types import TensorLike
from tapeflow._src.graph.control_flow import while_loop
from tapeflow._src.graph.tensor import tracing
from tapeflow._src.ops.array.filling import zeros_like
from tapeflow._src.ops.math.arithmetic import add_v2, conj_of, mul, real_div, sub
from tapeflow._src.ops.math.comparison import greater
from tapeflow._src.ops.math.complex_parts import real
from tapeflow._src.ops.math.elementwise import scalar

__all__ = ["conjugate_gradient"]

_State = namedtuple("_State", ["i", "x", "r", "p", "gamma"])


@scoped("conjugate_gradient")
def conjugate_gradient(
    operator: LinearOperator,
    rhs: TensorLike,
    preconditioner: LinearOperator | None = None,
    x: TensorLike | None = None,
    tol: float = 1e-5,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> Any:
    """Solve `operator @ x = rhs` by the conjugate gradient method, for vectors.

    Stops when the norm of every residual is at most `tol` times that of its right-hand side, or
    after `max_iter` iterations.

    Args:
        operator: A self-adjoint, positive definite `LinearOperator`.
        rhs: The right-hand sides.
        preconditioner: An approximate inverse of `operator`.
        x: The initial guess; zeros by default.
        tol: The relative tolerance.
        max_iter: The largest number of iterations.
        name: Name of the op in a graph.

    Returns:
        A named tuple: the number of iterations `i`, the solution `x`, the residual `r`, the search
        direction `p`, and `gamma`, the squared norm of the preconditioned residual.

    Raises:
        ValueError: The operator is not declared self-adjoint and positive definite.

    Example:
        >>> a = tf.linalg.LinearOperatorDiag(
        ...     [2.0, 4.0], is_self_adjoint=True, is_positive_definite=True
        ... )
        >>> tf.linalg.experimental.conjugate_gradient(a, tf.constant([2.0, 8.0])).x.numpy()
        array([1., 2.], dtype=float32)
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError(
            "conjugate_gradient needs a self-adjoint, positive definite operator. If "
            "it is, say so when creating it: is_self_adjoint=True, is_positive_definite=True."
        )
    rhs = convert(rhs, None, operator.dtype)
    x = zeros_like(rhs) if x is None else convert(x, None, operator.dtype)
    r = sub(rhs, operator.matvec(x))
    z = r if preconditioner is None else preconditioner.matvec(r)
    state = _State(convert(0, dtypes.int32), x, r, z, _dot(r, z))
    limit = mul(norm(rhs, axis=-1), scalar(tol, rhs))
    if tracing():
        return _State(
            *while_loop(
                lambda *parts: _unfinished(_State(*parts), limit),
                lambda *parts: tuple(_step(operator, preconditioner, _State(*parts))),
                tuple(state),
                maximum_iterations=int(max_iter),
            )
        )
    for _ in range(int(max_iter)):
        if not _unfinished(state, limit):
            break
        state = _step(operator, preconditioner, state)
    return state


def _dot(a: TensorLike, b: TensorLike) -> Any:
    return reduce_sum(mul(conj_of(a), b), -1)


def _unfinished(state: Any, limit: TensorLike) -> Any:
    """Whether a residual is still above the tolerance."""
    lengths = norm(state.r, axis=-1)
    if lengths.dtype.is_complex:
        real_dtype = lengths.dtype.real_dtype
        lengths, limit = real(lengths, Tout=real_dtype), real(limit, Tout=real_dtype)
    return reduce_any(greater(lengths, limit))


def _step(operator: Any, preconditioner: Any, state: Any) -> Any:
    image = operator.matvec(state.p)
    alpha = expand_dims(real_div(state.gamma, _dot(state.p, image)), -1)
    x = add_v2(state.x, mul(alpha, state.p))
    r = sub(state.r, mul(alpha, image))
    q = r if preconditioner is None else preconditioner.matvec(r)
    gamma = _dot(r, q)
    beta = expand_dims(real_div(gamma, state.gamma), -1)
    p = add_v2(q, mul(beta, state.p))
    return _State(add_v2(state.i, convert(1, dtypes.int32)), x, r, p, gamma)
