"""Norms of vectors and matrices: `tf.norm` and `tf.linalg.normalize`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.api.arrays.movement import transpose
from tapeflow._src.api.arrays.shapes import expand_dims, squeeze
from tapeflow._src.api.linalg.factors import svd
from tapeflow._src.api.math.arithmetic import pow as power
from tapeflow._src.api.math.casting import cast
from tapeflow._src.api.math.reduction import reduce_max, reduce_sum
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import Axis
from tapeflow._src.eager.fused import fused
from tapeflow._src.ops.array.axes import axes_last
from tapeflow._src.ops.array.transpose import inverse_of
from tapeflow._src.ops.math.arithmetic import absolute, conj_of, mul, real_div
from tapeflow._src.ops.math.elementwise import scalar, sqrt

_MATRIX_NORMS = ("euclidean", "fro", 1, 2, np.inf)


@scoped("norm")
@fused
def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the norm of vectors, of matrices, or of the whole tensor.

    Args:
        tensor: A floating-point or complex tensor.
        ord: "euclidean", "fro", a positive number or infinity. Matrix norms are "euclidean", "fro",
            1, 2 and infinity.
        axis: An axis for vector norms, two axes for matrix norms, None for the flattened tensor.
        keepdims: Whether reduced axes are kept with size 1.
        name: Name of the op in a graph.

    Returns:
        A tensor without the reduced axes.

    Raises:
        ValueError: `ord` or `axis` has no such norm.

    Example:

        >>> tf.norm([3.0, 4.0]).numpy()
        np.float32(5.0)
        >>> tf.norm([[1.0, -2.0], [3.0, 4.0]], ord=1, axis=1).numpy().tolist()
        [3.0, 7.0]
    """
    of_matrices = isinstance(axis, (tuple, list)) and len(axis) == 2
    if of_matrices:
        axis = tuple(axis)
        _check_matrix_norm(axis, ord)
    else:
        _check_vector_norm(axis, ord)
    tensor = convert(tensor)
    if ord in ("fro", "euclidean", 2, 2.0) and not (of_matrices and ord in (2, 2.0)):
        result = sqrt(reduce_sum(mul(tensor, conj_of(tensor)), axis, keepdims=True))
    elif of_matrices and ord in (2, 2.0):
        result = _largest_singular_value(tensor, axis)
    else:
        result = _of_magnitudes(absolute(tensor), ord, axis, of_matrices)
    return result if keepdims else squeeze(result, axis)


def _check_matrix_norm(axis: tuple[Any, ...], ord: Any) -> None:
    if axis[0] == axis[1] or not all(isinstance(a, (int, np.integer)) for a in axis):
        raise _wrong_axis(axis)
    if ord not in _MATRIX_NORMS:
        raise ValueError(
            f"ord={ord!r} is no matrix norm: with two axes, 'ord' must be one of "
            f"{list(_MATRIX_NORMS)}."
        )


def _check_vector_norm(axis: Any, ord: Any) -> None:
    if not (axis is None or isinstance(axis, (int, np.integer))):
        raise _wrong_axis(axis)
    if ord != "euclidean" and (isinstance(ord, str) or not ord > 0):
        raise ValueError(
            f"ord={ord!r} is no vector norm: 'ord' must be 'euclidean' or a number above 0 (np.inf "
            "included)."
        )


def _wrong_axis(axis: Axis) -> ValueError:
    return ValueError(
        "'axis' must be None (all axes), one integer (vector norms) or two different integers "
        f"(matrix norms), received {axis}."
    )


def _largest_singular_value(tensor: Any, axis: tuple[int, ...]) -> Any:
    """Compute the spectral norm of matrices in two axes, which are kept with size 1."""
    order = axes_last(tensor, axis)
    largest = reduce_max(svd(transpose(tensor, order), compute_uv=False), -1, keepdims=True)
    return transpose(expand_dims(largest, -1), inverse_of(order))


def _of_magnitudes(magnitudes: Any, ord: Any, axis: Any, of_matrices: bool) -> Any:
    if ord == 1:
        sums = reduce_sum(magnitudes, axis[0] if of_matrices else axis, keepdims=True)
        return reduce_max(sums, axis[1], keepdims=True) if of_matrices else sums
    if ord == np.inf:
        if of_matrices:
            magnitudes = reduce_sum(magnitudes, axis[1], keepdims=True)
        return reduce_max(magnitudes, axis[0] if of_matrices else axis, keepdims=True)
    powers = power(magnitudes, scalar(ord, magnitudes))
    return power(reduce_sum(powers, axis, keepdims=True), scalar(1.0 / ord, magnitudes))


@scoped("normalize")
@fused
def normalize(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> tuple[Any, Any]:
    """Divide a tensor by its norm; return the result and the norm.

    Zero vectors become NaN; `tf.nn.l2_normalize` keeps them zero.

    Args:
        tensor: A floating-point or complex tensor.
        ord: The norm, as for `tf.norm`.
        axis: An axis for vector norms, two axes for matrix norms, None for the flattened tensor.
        name: Name of the op in a graph.

    Returns:
        A tuple of the result and the norm, whose reduced axes have size 1.

    Example:

        >>> unit, length = tf.linalg.normalize([3.0, 4.0])
        >>> unit.numpy().round(2).tolist(), length.numpy().tolist()
        ([0.6000000238418579, 0.800000011920929], [5.0])
    """
    tensor = convert(tensor)
    length = cast(norm(tensor, ord, axis, keepdims=True), tensor.dtype)
    return real_div(tensor, length), length
