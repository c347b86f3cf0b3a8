"""Connectionist temporal classification, and encodings of classes."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
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
    x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False
) -> Any:
    """Encodes class indices as vectors of zeros with a 1; those of indices below 0 are zeros.

    >>> tf.keras.ops.one_hot([1, 0], 3).numpy()
    array([[0., 1., 0.],
           [1., 0., 0.]], dtype=float32)
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
    inputs: Any,
    num_classes: int | None = None,
    axis: int = -1,
    dtype: Any = None,
    sparse: bool = False,
    **kwargs: Any,
) -> Any:
    """Encodes the class indices of each sample as one vector with several 1."""
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
        target: (batch, longest target): the labels.
        output: (batch, steps, classes): logits.
        target_length: (batch,): the number of labels of each sample.
        output_length: (batch,): the number of steps of each sample.
        mask_index: the class of the blank.
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

    Returns:
        The labels (paths, batch, steps), filled up with -1, and their scores (batch, paths).
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
