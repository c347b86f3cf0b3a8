"""Matrix factorisations: `tf.linalg.cholesky`, `qr`, `svd`, `eig` and related functions."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.arrays.slicing import boolean_mask
from tapeflow._src.api.linalg.diagonals import diag, set_diag
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.linalg import factor as linalg_factor
from tapeflow._src.ops.linalg import spectral as linalg_spectral
from tapeflow._src.ops.math.arithmetic import conj_of
from tapeflow._src.ops.math.comparison import greater, less_equal
from tapeflow._src.ops.math.complex_parts import real
from tapeflow._src.ops.math.logical import logical_and


def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """Compute the Cholesky factor `l` with `l @ adjoint(l) = input`.

    Args:
        input: Hermitian positive definite matrices in the last two axes; only the lower triangle is
            read.
        name: Name of the op in a graph.

    Returns:
        Lower triangular matrices of the shape of `input`; NaN where a matrix is not positive
        definite.

    Example:

        >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]).numpy().tolist()
        [[2.0, 0.0], [1.0, 2.0]]
    """
    return linalg_factor.cholesky(input, name=name)


def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Any:
    """Compute the QR factorisation: `q` with orthonormal columns, upper triangular `r`.

    Args:
        input: Matrices `[..., m, n]` in the last two axes.
        full_matrices: Whether `q` is square; else it has as many columns as are needed.
        name: Name of the op in a graph.

    Returns:
        A named tuple `(q, r)` with `q @ r = input`; signs are not unique.

    Example:

        >>> q, r = tf.linalg.qr([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        >>> q.shape, r.shape
        (TensorShape([3, 2]), TensorShape([2, 2]))
        >>> (q @ r).numpy().round(3).tolist()
        [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    """
    op = linalg_factor.qr
    return op.result_type(*op(input, full_matrices=full_matrices, name=name))


def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    compute_uv: bool = True,
    name: str | None = None,
) -> Any:
    """Compute the singular value decomposition `tensor = u @ diag(s) @ adjoint(v)`.

    Args:
        tensor: Matrices in the last two axes.
        full_matrices: Whether `u` and `v` are square.
        compute_uv: Whether to compute `u` and `v`, not only `s`.
        name: Name of the op in a graph.

    Returns:
        `s`, in descending order, or `s, u, v`. NumPy returns `u, s, adjoint(v)` instead.

    Example:

        >>> s, u, v = tf.linalg.svd([[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]])
        >>> s.numpy().tolist(), u.shape, v.shape
        ([4.0, 3.0], TensorShape([3, 2]), TensorShape([2, 2]))
    """
    s, u, v = linalg_spectral.svd(
        tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name
    )
    if s.dtype.is_complex:
        s = real(s, Tout=s.dtype.real_dtype)
    return (s, u, v) if compute_uv else s


def eigh(tensor: TensorLike, name: str | None = None) -> Any:
    """Compute the eigenvalues, in ascending order, and eigenvectors of self-adjoint matrices.

    Args:
        tensor: Self-adjoint matrices in the last two axes; only the lower triangle is read.
        name: Name of the op in a graph.

    Returns:
        A tuple `(e, v)` of eigenvalues `[..., n]` and eigenvectors, the columns of `v`.

    Example:

        >>> e, v = tf.linalg.eigh([[2.0, 1.0], [1.0, 2.0]])
        >>> e.numpy().round(3).tolist()
        [1.0, 3.0]
    """
    return linalg_spectral.self_adjoint_eig_v2(tensor, compute_v=True, name=name)


def eigvalsh(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Compute the eigenvalues, in ascending order, of self-adjoint matrices.

    Args:
        tensor: Self-adjoint matrices in the last two axes; only the lower triangle is read.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[..., n]`.

    Example:

        >>> tf.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]]).numpy().round(3).tolist()
        [1.0, 3.0]
    """
    return linalg_spectral.self_adjoint_eig_v2(tensor, compute_v=False, name=name)[0]


def eig(tensor: Any, name: str | None = None) -> Any:
    """Compute the complex eigenvalues, in no order, and eigenvectors of square matrices.

    Args:
        tensor: Square matrices in the last two axes, floating-point or complex.
        name: Name of the op in a graph.

    Returns:
        A tuple `(e, v)` of complex eigenvalues `[..., n]` and eigenvectors, the columns of `v`.

    Example:

        >>> e, v = tf.linalg.eig(tf.constant([[0.0, -1.0], [1.0, 0.0]]))
        >>> sorted(e.numpy().imag.tolist())
        [-1.0, 1.0]
    """
    tensor = convert(tensor)
    return linalg_spectral.eig(tensor, Tout=_complex_for(tensor.dtype), compute_v=True, name=name)


def eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """Compute the complex eigenvalues, in no order, of square matrices.

    Args:
        tensor: Square matrices in the last two axes, floating-point or complex.
        name: Name of the op in a graph.

    Returns:
        A complex tensor of shape `[..., n]`.

    Example:

        >>> tf.linalg.eigvals(tf.constant([[2.0, 0.0], [0.0, 2.0]])).numpy().tolist()
        [(2+0j), (2+0j)]
    """
    tensor = convert(tensor)
    out = _complex_for(tensor.dtype)
    return linalg_spectral.eig(tensor, Tout=out, compute_v=False, name=name)[0]


def _complex_for(dtype: DTypeLike) -> Any:
    double = dtype in (dtypes.float64, dtypes.complex128)
    return dtypes.complex128 if double else dtypes.complex64


# -- tridiagonal matrices ----------------------------------------------------------------------


@scoped("eigh_tridiagonal")
def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """Compute the eigenvalues, and eigenvectors, of self-adjoint tridiagonal matrices.

    Args:
        alpha: The main diagonal.
        beta: The superdiagonal, of the same dtype.
        eigvals_only: Whether to compute no eigenvectors.
        select: "a" for all, "i" for the indices in `select_range` (both ends included), "v" for the
            values in it (the upper end included).
        select_range: The range of indices or values.
        tol: Ignored: eigenvalues have full precision.
        name: Name of the op in a graph.

    Returns:
        The eigenvalues in ascending order, or a tuple of them and the eigenvectors.

    Raises:
        ValueError: `select` is unknown, or the dtypes differ.
        TypeError: `select_range` is missing.

    Example:

        >>> e = tf.linalg.eigh_tridiagonal(tf.constant([2.0, 2.0]), tf.constant([1.0]))
        >>> e.numpy().round(3).tolist()
        [1.0, 3.0]
    """
    if select not in ("a", "i", "v"):
        raise ValueError(
            "select must be 'a' (all eigenvalues), 'i' (by index) or 'v' (by value), received "
            f"{select!r}."
        )
    if select != "a" and select_range is None:
        raise TypeError(f"select={select!r} needs a select_range of two values, got None.")
    results = _eigh_tridiagonal(convert(alpha), convert(beta), eigvals_only, select, select_range)
    return results[0] if eigvals_only else tuple(results)


@scoped("compute_eigenvalues")
def _eigh_tridiagonal(
    alpha: TensorLike, beta: TensorLike, eigvals_only: bool, select: str, select_range: Any
) -> list[Any]:
    """Compute the selected eigenvalues and, unless `eigvals_only`, eigenvectors."""
    matrix = _tridiagonal(alpha, beta)
    results = [eigvalsh(matrix)] if eigvals_only else list(eigh(matrix))
    if results[0].dtype.is_complex:
        results[0] = real(results[0], Tout=results[0].dtype.real_dtype)
    if select == "i":
        first, last = int(select_range[0]), int(select_range[1])
        if first > last:
            raise InvalidArgumentError(
                None, None, f"Got empty index range in select_range: {first} > {last}."
            )
        results = [get_item(part, (..., slice(first, last + 1))) for part in results]
    elif select == "v":
        results = _in_range(results, select_range)
    return results


def _tridiagonal(alpha: Any, beta: Any) -> Any:
    """Assemble matrices of which only the lower triangle is valid, which is what `eigh` reads."""
    if alpha.dtype is not beta.dtype:
        raise ValueError(
            f"alpha and beta must share one dtype, received {alpha.dtype.name} and "
            f"{beta.dtype.name}: use tf.cast on one of them."
        )
    return set_diag(diag(conj_of(beta), k=-1), alpha) if beta.shape[-1] != 0 else diag(alpha)


def _in_range(results: list[Any], select_range: Any) -> list[Any]:
    """Select the eigenvalues in a range, and their eigenvectors."""
    e = results[0]
    if e.shape.rank != 1:
        raise ValueError(f"select='v' takes one matrix, got eigenvalues of shape {e.shape}.")
    low, high = (convert(bound, e.dtype) for bound in select_range)
    inside = logical_and(greater(e, low), less_equal(e, high))
    return [boolean_mask(part, inside, axis=part.shape.rank - 1) for part in results]
