"""Factorisations and solvers of the JAX backend. `numpy_linalg` has twins of the same names."""

from __future__ import annotations

from typing import Any

from jax import lax
from jax import numpy as jnp

from tapeflow._src.backends.numpy_linalg import anchors, in_float32, paired_anchors
from tapeflow._src.core.types import Array


def _adjoint(a: Array) -> Any:
    return jnp.swapaxes(a.conj() if jnp.iscomplexobj(a) else a, -1, -2)


def _from_lower(a: Array) -> Any:
    """Return the self-adjoint matrices with these lower triangles."""
    diagonal = jnp.tril(jnp.triu(a))
    if jnp.iscomplexobj(a):
        diagonal = diagonal.real.astype(a.dtype)
    below = jnp.tril(a, -1)
    return below + diagonal + _adjoint(below)


# -- factorisations ----------------------------------------------------------------------------


@in_float32
def cholesky(a: Array) -> Any:
    """Return the lower Cholesky factor; NaN where a matrix is not positive definite."""
    return lax.linalg.cholesky(a, symmetrize_input=False)


@in_float32
def qr(a: Array, full: bool) -> tuple[Any, Any]:
    """Return an orthonormal and an upper triangular factor, by Householder reflections."""
    q, r = jnp.linalg.qr(a, "complete" if full else "reduced")
    return q, r


@in_float32
def svd(a: Array, full: bool) -> tuple[Any, Any, Any]:
    """Return singular values, left and right singular vectors; NaN for a matrix with NaN or inf."""
    u, s, vh = jnp.linalg.svd(a, full_matrices=full)
    v = _adjoint(vh)
    of_u, of_v = paired_anchors(jnp, lax.stop_gradient(u), lax.stop_gradient(v), s.shape[-1])
    return s, u * of_u, v * of_v


@in_float32
def singular_values(a: Array) -> Any:
    """Return the singular values alone."""
    return jnp.linalg.svd(a, compute_uv=False)


@in_float32
def eigh(a: Array) -> tuple[Any, Any, Any]:
    """Return eigenvalues and eigenvectors of self-adjoint matrices (lower triangle), and a flag."""
    v, e = lax.linalg.eigh(_from_lower(a), symmetrize_input=False)
    v = v * anchors(jnp, lax.stop_gradient(v))
    return e, v, jnp.logical_not(jnp.isnan(v).any())


@in_float32
def eigvalsh(a: Array) -> tuple[Any, Any]:
    """Like `eigh`, without the vectors."""
    e, _, converged = eigh(a)
    return e, converged


def eig(a: Array) -> tuple[Any, Any, Any]:
    """Return eigenvalues and eigenvectors of square matrices, complex, and a flag."""
    e, v = jnp.linalg.eig(a)
    return e, v * anchors(jnp, v), jnp.logical_not(jnp.isnan(e).any())


def eigvals(a: Array) -> tuple[Any, Any]:
    """Like `eig`, without the vectors."""
    e = jnp.linalg.eigvals(a)
    return e, jnp.logical_not(jnp.isnan(e).any())


@in_float32
def lu(a: Array) -> tuple[Any, Any, Any]:
    """Return both factors in one matrix, the row permutation, and whether it is regular."""
    packed, _, order = lax.linalg.lu(a)
    return packed, order, _pivots_are_not_zero(packed)


def _pivots_are_not_zero(packed: Any) -> Any:
    return (jnp.abs(jnp.diagonal(packed, axis1=-2, axis2=-1)) > 0).all()


def _invertible(a: Array) -> Any:
    return _pivots_are_not_zero(lax.linalg.lu(lax.stop_gradient(a))[0])


# -- determinants and systems of equations -----------------------------------------------------


@in_float32
def det(a: Array) -> Any:
    """Return the determinants."""
    return jnp.linalg.det(a)


@in_float32
def slogdet(a: Array) -> tuple[Any, Any]:
    """Return the signs of the determinants, and the logarithms of their absolute values."""
    return tuple(jnp.linalg.slogdet(a))


@in_float32
def inverse(a: Array) -> tuple[Any, Any]:
    """Return the inverses, and whether they exist."""
    return jnp.linalg.inv(a), _invertible(a)


@in_float32
def solve(a: Array, b: Array) -> tuple[Any, Any]:
    """Solve `a @ x = b`; return `x` and whether it exists."""
    return jnp.linalg.solve(a, b), _invertible(a)


@in_float32
def least_squares(a: Array, b: Array) -> Any:
    """Return the minimum-norm `x` that minimises `|a @ x - b|`."""
    rcond = jnp.finfo(a.dtype).eps * max(*a.shape[-2:], 1)
    return jnp.matmul(jnp.linalg.pinv(a, rtol=rcond), b)


@in_float32
def triangular_solve(a: Array, b: Array, lower: bool, adjoint: bool) -> Any:
    """Solve `a @ x = b` for the lower or the upper triangle of `a`; batches are broadcast."""
    batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return lax.linalg.triangular_solve(
        jnp.broadcast_to(a, (*batch, *a.shape[-2:])),
        jnp.broadcast_to(b, (*batch, *b.shape[-2:])),
        left_side=True,
        lower=lower,
        transpose_a=adjoint,
        conjugate_a=adjoint,
    )


def tridiagonal_solve(upper: Any, main: Any, lower: Any, b: Array, perturb: bool) -> Any:
    """Solve `a @ x = b` for three diagonals of one length; NaN if `a` is singular.

    The last element of `upper` and the first of `lower` are outside the matrix. `perturb`: pivots
    that are too small are enlarged, so that there is always a result.
    """
    if b.size == 0:
        return b
    if main.shape[-1] == 1 and not perturb:
        x = b / main[..., None]
        return jnp.where(jnp.isfinite(x), x, jnp.nan)
    lower, upper = lower.at[..., 0].set(0), upper.at[..., -1].set(0)
    return lax.linalg.tridiagonal_solve(lower, main, upper, b, perturb_singular=perturb)


@in_float32
def banded_solve(bands: Any, b: Array, lower: bool, adjoint: bool) -> tuple[Any, Any]:
    """Solve `a @ x = b` for a triangular `a` given by its diagonals; and whether `x` exists."""
    count, size = bands.shape[-2:]
    main = bands[..., 0, :] if lower else bands[..., -1, :]
    dense = jnp.zeros((*bands.shape[:-2], size, size), bands.dtype)
    for i in range(min(count, size)):
        along = jnp.arange(size - i)
        if lower:
            dense = dense.at[..., along + i, along].set(bands[..., i, i:])
        else:
            dense = dense.at[..., along, along + i].set(bands[..., count - 1 - i, : size - i])
    return triangular_solve(dense, b, lower, adjoint), (main != 0).all()
