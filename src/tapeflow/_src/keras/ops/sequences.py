"""Connectionist temporal classification, and encodings of classes."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, TensorLike
from tapeflow._src.keras.config import standardize_dtype
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import result_type, to_tensor

_nn = functools.partial(declare, family="nn")


def _one_hot_spec(operation: Any, x: Any) -> Any:
    shape = list(x.shape)
    axis = operation.axis + len(shape) + 1 if operation.axis < 0 else operation.axis
    shape.insert(axis, operation.num_classes)
    return KerasTensor(shape, operation.dtype, sparse=operation.sparse)


@_nn("OneHot", standardize={"dtype": standardize_dtype}, output_spec=_one_hot_spec)
def one_hot(
    x: TensorLike,
    num_classes: int,
    axis: int = -1,
    dtype: DTypeLike | None = None,
    sparse: bool = False,
) -> Any:
    """Encodes class indices as vectors of zeros with a 1.

    Args:
        x: Tensor of integers. Indices below 0 or from `num_classes` on become vectors of zeros.
        num_classes: Length of the vectors.
        axis: Position of the new axis in the result.
        dtype: Dtype of the result; None is `floatx()`.
        sparse: Whether to return a sparse tensor.

    Returns:
        A tensor of one more axis than `x`.

    Example:
        >>> tf.keras.ops.one_hot([1, 0, -1], 3).numpy()
        array([[0., 1., 0.],
               [1., 0., 0.],
               [0., 0., 0.]], dtype=float32)
    """
    x = to_tensor(x, "int64")
    dtype = standardize_dtype(dtype)
    if sparse:
        return _sparse_one_hot(x, num_classes, axis, dtype)
    on, off = (True, False) if dtype == "bool" else (None, None)
    return tf.one_hot(x, num_classes, on, off, axis=axis, dtype=dtype)


def _sparse_one_hot(x: Any, num_classes: int, axis: int, dtype: str) -> Any:
    """Every index has an entry, which is 0 for those below 0: the number of them is static."""
    sizes = x.shape.as_list()
    axis = axis + len(sizes) + 1 if axis < 0 else axis
    grids = tf.meshgrid(*(tf.range(size, dtype=tf.int64) for size in sizes), indexing="ij")
    grids = list(grids)
    grids.insert(axis, tf.maximum(x, 0))
    indices = tf.stack([tf.reshape(each, [-1]) for each in grids], axis=1)
    values = tf.cast(tf.reshape(x, [-1]) >= 0, dtype)
    return tf.SparseTensor(indices, values, [*sizes[:axis], num_classes, *sizes[axis:]])


def _multi_hot_spec(operation: Any, inputs: Any) -> Any:
    encoded = list(_one_hot_spec(operation, inputs).shape)
    del encoded[1 if len(inputs.shape) > 1 else 0]
    return KerasTensor(encoded, operation.dtype, sparse=operation.sparse)


@_nn(
    "MultiHot",
    call=("inputs",),
    standardize={"dtype": standardize_dtype},
    output_spec=_multi_hot_spec,
)
def multi_hot(
    inputs: TensorLike,
    num_classes: int | None = None,
    axis: int = -1,
    dtype: DTypeLike | None = None,
    sparse: bool = False,
    **kwargs: Any,
) -> Any:
    """Encodes the class indices of each sample as one vector with several 1.

    Args:
        inputs: Tensor of integers of shape (batch, indices, ...), or a vector for one sample.
        num_classes: Length of the vectors.
        axis: Position of the axis of classes.
        dtype: Dtype of the result; None is `floatx()`.
        sparse: Whether to return a sparse tensor.
        **kwargs: `num_tokens`, an old name of `num_classes`.

    Returns:
        A tensor in which the axis of indices is replaced by that of classes.

    Raises:
        ValueError: The number of classes is not passed.

    Example:
        >>> tf.keras.ops.multi_hot([[0, 2], [1, 1]], 4).numpy()
        array([[1., 0., 1., 0.],
               [0., 1., 0., 0.]], dtype=float32)
    """
    num_classes = kwargs.get("num_tokens") if num_classes is None else num_classes
    if num_classes is None:
        raise ValueError("`multi_hot` needs `num_classes`. Received: None")
    x = to_tensor(inputs)
    reduced = 1 if x.shape.rank > 1 else 0
    dtype = standardize_dtype(dtype)
    if not sparse:
        encoded = one_hot(x, num_classes, axis=axis, dtype=dtype)
        reduce = tf.reduce_any if dtype == "bool" else tf.reduce_max
        return reduce(encoded, axis=reduced)
    entries = "int8" if dtype == "bool" else dtype
    encoded = one_hot(x, num_classes, axis=axis, dtype=entries, sparse=True)
    result = tf.sparse.reduce_max(encoded, axis=reduced, output_is_sparse=True)
    return tf.cast(result, dtype) if dtype == "bool" else result


@_nn("CTCLoss", call=("target", "output", "target_length", "output_length"))
def ctc_loss(
    target: Any, output: Any, target_length: Any, output_length: Any, mask_index: int = 0
) -> Any:
    """Computes the CTC loss of each sample.

    Args:
        target: Labels of shape (batch, longest target).
        output: Logits of shape (batch, steps, classes).
        target_length: Number of labels of each sample, of shape (batch,).
        output_length: Number of steps of each sample, of shape (batch,).
        mask_index: The class of the blank.

    Returns:
        A tensor of shape (batch,).

    Raises:
        ValueError: `target` does not have two axes, or `output` three.

    Example:
        >>> logits = tf.zeros((1, 3, 4))
        >>> tf.keras.ops.ctc_loss([[1, 2]], logits, [2], [3]).numpy().round(4)
        array([2.5494], dtype=float32)
    """
    target, output = tf.cast(to_tensor(target), tf.int32), to_tensor(output)
    if target.shape.rank != 2 or output.shape.rank != 3:
        raise ValueError(
            f"Targets are (batch, labels) and outputs (batch, steps, classes). Received shapes "
            f"{target.shape} and {output.shape}"
        )
    dtype = result_type(output.dtype, "float32")
    loss = tf.nn.ctc_loss(
        target,
        tf.cast(output, tf.float32),
        tf.cast(target_length, tf.int32),
        tf.cast(output_length, tf.int32),
        logits_time_major=False,
        blank_index=mask_index,
    )
    return tf.cast(loss, dtype)


@_nn("CTCDecode", call=("inputs", "sequence_lengths"))
def ctc_decode(
    inputs: Any,
    sequence_lengths: Any,
    strategy: str = "greedy",
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
    mask_index: int = 0,
) -> Any:
    """Decodes logits (batch, steps, classes) to labels.

    Args:
        inputs: Logits of shape (batch, steps, classes).
        sequence_lengths: Number of steps of each sample, of shape (batch,).
        strategy: "greedy" takes the best class of each step, "beam_search" looks for the best
            labels.
        beam_width: Number of candidates of a beam search.
        top_paths: Number of results of a beam search.
        merge_repeated: Whether the greedy strategy merges repeated classes without a blank between.
        mask_index: The class of the blank.

    Returns:
        A tuple of the labels, `int32` of shape (paths, batch, steps) and filled up with -1, and of
        their scores, of shape (batch, paths).

    Raises:
        ValueError: `strategy` has another value.

    Example:
        >>> logits = tf.one_hot([[1, 1, 0, 2]], 3) * 9.0
        >>> labels, scores = tf.keras.ops.ctc_decode(logits, [4])
        >>> labels.numpy()
        array([[[ 1,  2, -1, -1]]], dtype=int32)
    """
    inputs = to_tensor(inputs)
    classes = inputs.shape[-1]
    shape = tf.cast(tf.shape(inputs)[:2], tf.int64)
    logits = tf.cast(tf.transpose(inputs, (1, 0, 2)), result_type(inputs.dtype, "float32"))
    lengths = tf.cast(to_tensor(sequence_lengths), tf.int32)
    blank = None if mask_index is None else mask_index % classes
    if strategy == "greedy":
        decoded, scores = tf.nn.ctc_greedy_decoder(logits, lengths, merge_repeated, mask_index)
    elif strategy == "beam_search":
        if blank is not None:  # the op has the blank in the last place
            parts = [logits[..., :blank], logits[..., blank + 1 :], logits[..., blank : blank + 1]]
            logits = tf.concat(parts, axis=-1)
        decoded, scores = tf.nn.ctc_beam_search_decoder(logits, lengths, beam_width, top_paths)
    else:
        raise ValueError(f"`strategy` must be 'greedy' or 'beam_search'. Received: {strategy!r}")
    paths = [
        tf.sparse.to_dense(tf.SparseTensor(path.indices, path.values, shape), default_value=-1)
        for path in decoded
    ]
    labels = tf.cast(tf.stack(paths), tf.int32)
    if strategy == "beam_search" and blank is not None:
        labels = tf.where(labels >= blank, labels + 1, labels)
    return labels, scores
