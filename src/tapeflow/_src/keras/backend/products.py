"""Products of matrices, and biases."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.backend.in_models import in_models
from tapeflow._src.keras.backend.values import is_sparse
from tapeflow._src.keras.config import standardize_data_format


@in_models
def dot(x: Any, y: Any) -> Any:
    """Contract the last axis of `x` with the last but one of `y`.

    Args:
        x: Tensor of at least two axes; a matrix may be sparse.
        y: Tensor of at least two axes.

    Returns:
        A tensor of the other axes of `x`, then those of `y`.

    Example:
        >>> K = tf.keras.backend
        >>> K.dot(tf.ones((2, 3, 4)), tf.ones((5, 4, 6))).shape
        TensorShape([2, 3, 5, 6])
    """
    if is_sparse(x):
        return tf.sparse.sparse_dense_matmul(x, y)
    x, y = tf.convert_to_tensor(x), tf.convert_to_tensor(y)
    if x.shape.rank <= 2 and y.shape.rank <= 2:
        return tf.matmul(x, y)
    return tf.tensordot(x, y, [[x.shape.rank - 1], [y.shape.rank - 2]])


@in_models
def batch_dot(x: Any, y: Any, axes: Any = None) -> Any:
    """Contract one axis of `x` with one of `y`, sample by sample.

    Args:
        x: Tensor of shape (batch, ...).
        y: Tensor of shape (batch, ...).
        axes: The axis of `x` and that of `y`, or one number for both. None is the last one of `x`
            and the last but one of `y`, or the last of a matrix.

    Returns:
        A tensor of shape (batch, ...), of at least two axes.

    Raises:
        ValueError: Sizes or axes do not match.

    Example:
        >>> tf.keras.backend.batch_dot(tf.ones((5, 2, 3)), tf.ones((5, 3, 4))).shape
        TensorShape([5, 2, 4])
    """
    x, y = tf.convert_to_tensor(x), tf.convert_to_tensor(y)
    ranks = x.shape.rank, y.shape.rank
    first, second = _axes_to_contract(x, y, axes)
    # Each of the others is an axis of the result: those of `x`, then those of `y`.
    letters = iter("bcdefghijklmnopqrstuvwxyz")
    ours = ["a", *(next(letters) for _ in range(ranks[0] - 1))]
    theirs = ["a", *(next(letters) for _ in range(ranks[1] - 1))]
    theirs[second] = ours[first]
    free = [letter for axis, letter in enumerate(ours) if axis != first]
    free += [letter for axis, letter in enumerate(theirs) if axis not in (0, second)]
    result = tf.einsum(f"{''.join(ours)},{''.join(theirs)}->{''.join(free)}", x, y)
    # Of two matrices the result is a matrix, too.
    return result[:, None] if ranks == (2, 2) else result


def _axes_to_contract(x: Any, y: Any, axes: Any) -> tuple[int, int]:
    shapes = f"Received shapes {x.shape} and {y.shape}, axes={axes}"
    ranks = x.shape.rank, y.shape.rank
    if min(ranks) < 2:
        raise ValueError(f"K.batch_dot needs tensors with at least two axes. {shapes}")
    if axes is None:
        axes = (ranks[0] - 1, ranks[1] - (1 if ranks[1] == 2 else 2))
    elif isinstance(axes, int):
        axes = (axes, axes)
    if len(axes) != 2 or any(not isinstance(axis, int) for axis in axes):
        raise ValueError(f"K.batch_dot contracts one axis of each tensor. {shapes}")
    first, second = axes[0] % ranks[0], axes[1] % ranks[1]
    if 0 in (first, second):
        raise ValueError(f"K.batch_dot cannot contract axis 0, that of the samples. {shapes}")
    for ours, theirs in ((x.shape[0], y.shape[0]), (x.shape[first], y.shape[second])):
        if None not in (ours, theirs) and ours != theirs:
            raise ValueError(
                f"K.batch_dot: the sizes of the batch and of the contracted axes must be equal in "
                f"both tensors, not {ours} and {theirs}. {shapes}"
            )
    return first, second


@in_models
def bias_add(x: Any, bias: Any, data_format: str | None = None) -> Any:
    """Add a bias per channel, or one for every element of a sample.

    Args:
        x: Tensor of shape (batch, ..., channels), or with channels second.
        bias: A vector, or a tensor of the axes of a sample with channels last.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor like `x` in shape and dtype.

    Raises:
        ValueError: The bias has another number of axes.

    Example:
        >>> tf.keras.backend.bias_add(tf.zeros((1, 2, 3)), tf.constant([1.0, 2.0, 3.0])).numpy()
        array([[[1., 2., 3.],
                [1., 2., 3.]]], dtype=float32)
    """
    first = standardize_data_format(data_format) == "channels_first"
    x, bias = tf.convert_to_tensor(x), tf.convert_to_tensor(bias)
    if bias.shape.rank not in (1, x.shape.rank - 1):
        raise ValueError(
            f"The bias must have one axis, or those of a sample. Received a bias of shape "
            f"{bias.shape} for x of shape {x.shape}"
        )
    if bias.shape.rank == 1:
        return tf.nn.bias_add(x, bias, data_format="NCHW" if first else "NHWC")
    if first:
        bias = tf.transpose(bias, [bias.shape.rank - 1, *range(bias.shape.rank - 1)])
    return x + bias
