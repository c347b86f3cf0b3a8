"""Functions of `tf.compat.v1.nn` with signatures of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from tapeflow import nn
from tapeflow._src.api.arrays import stop_gradient, zeros
from tapeflow._src.compat.v1.reordered import reordered
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.nn import batch_norm
from tapeflow.linalg import matmul

# -- convolutions and pooling ------------------------------------------------------------------

_FILTER = {"filter": "filters"}
_VALUE = {"value": "input"}
_DILATION = {"rate": "dilations"}

conv1d = reordered(
    nn.conv1d,
    "value filters stride padding use_cudnn_on_gpu data_format name input dilations",
    _VALUE,
)
conv2d = reordered(
    nn.conv2d,
    "input filter strides padding use_cudnn_on_gpu data_format dilations name filters",
    _FILTER,
)
conv3d = reordered(
    nn.conv3d, "input filter strides padding data_format dilations name filters", _FILTER
)
_TRANSPOSED = "value filter output_shape strides padding data_format name input filters dilations"
conv2d_transpose = reordered(nn.conv2d_transpose, _TRANSPOSED, {**_VALUE, **_FILTER})
conv3d_transpose = reordered(nn.conv3d_transpose, _TRANSPOSED, {**_VALUE, **_FILTER})
convolution = reordered(
    nn.convolution,
    "input filter padding strides dilation_rate name data_format filters dilations",
    {**_FILTER, "dilation_rate": "dilations"},
)
depthwise_conv2d = reordered(
    nn.depthwise_conv2d,
    "input filter strides padding rate name data_format dilations",
    _DILATION,
)
separable_conv2d = reordered(
    nn.separable_conv2d,
    "input depthwise_filter pointwise_filter strides padding rate name data_format dilations",
    _DILATION,
)
_POOLED = "value ksize strides padding data_format name input"
avg_pool = avg_pool2d = reordered(nn.avg_pool2d, _POOLED, _VALUE)
max_pool = reordered(nn.max_pool2d, _POOLED, _VALUE)
max_pool_with_argmax = reordered(
    nn.max_pool_with_argmax,
    "input ksize strides padding data_format Targmax name output_dtype include_batch_in_index",
    {"Targmax": "output_dtype"},
)
pool = reordered(
    nn.pool,
    "input window_shape pooling_type padding dilation_rate strides name data_format dilations",
    {"dilation_rate": "dilations"},
)
crelu = reordered(nn.crelu, "features name axis")

# -- losses ------------------------------------------------------------------------------------


def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Any:
    """Return the cross-entropy between `labels` and the softmax of `logits`."""
    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both 'axis' and 'dim': they are the same.")
    chosen = next((a for a in (axis, dim) if a is not None), -1)
    return nn.softmax_cross_entropy_with_logits(labels, logits, chosen, name)


def softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, dim: Any = -1, name: str | None = None, axis: Any = None
) -> Any:
    """Return the cross-entropy; no gradient flows to `labels`."""
    labels = stop_gradient(convert(labels))
    return softmax_cross_entropy_with_logits_v2(labels, logits, dim if axis is None else axis, name)


weighted_cross_entropy_with_logits = reordered(
    nn.weighted_cross_entropy_with_logits,
    "labels logits pos_weight name targets",
    {"targets": "labels"},
)

# -- the rest ----------------------------------------------------------------------------------

_KEEPDIMS_ALIAS = {"keep_dims": "keepdims"}
moments = reordered(nn.moments, "x axes shift name keep_dims keepdims", _KEEPDIMS_ALIAS)
weighted_moments = reordered(
    nn.weighted_moments, "x axes frequency_weights name keep_dims keepdims", _KEEPDIMS_ALIAS
)
sufficient_statistics = reordered(
    nn.sufficient_statistics, "x axes shift keep_dims name keepdims", _KEEPDIMS_ALIAS
)
batch_norm_with_global_normalization = reordered(
    nn.batch_norm_with_global_normalization,
    "t m v beta gamma variance_epsilon scale_after_normalization name input mean variance",
    {"t": "input", "m": "mean", "v": "variance"},
)


def dropout(
    x: TensorLike,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: Any = None,
    name: str | None = None,
    rate: TensorLike | None = None,
) -> Any:
    """Set elements to 0 at random, of which `keep_prob` stay, or `rate` go."""
    if (keep_prob is None) == (rate is None):
        raise ValueError(
            f"Expected one of keep_prob and rate, received keep_prob={keep_prob!r} and "
            f"rate={rate!r}."
        )
    return nn.dropout(x, 1 - keep_prob if rate is None else rate, noise_shape, seed, name)


def embedding_lookup(
    params: TensorLike,
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Any:
    """Return the rows of an embedding; of one in several parts, by "div" only."""
    _require_div(params, partition_strategy)
    return nn.embedding_lookup(params, ids, max_norm, name)


def embedding_lookup_sparse(
    params: TensorLike,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: Any = None,
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Return rows of an embedding, combined by `combiner`, "mean" by default."""
    _require_div(params, partition_strategy)
    return nn.embedding_lookup_sparse(
        params, sp_ids, sp_weights, combiner or "mean", max_norm, name, allow_fast_lookup
    )


def _require_div(params: Any, strategy: str) -> None:
    several = isinstance(params, list | tuple) and len(params) > 1
    if several and strategy != "div":
        raise NotImplementedError(
            f"An embedding in {len(params)} parts: expected partition_strategy='div', received "
            f"{strategy!r}. Join the parts, or pass partition_strategy='div' if they are so."
        )


def fused_batch_norm(
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Any, Any, Any]:
    """Return batch normalization, and the mean and variance of the batch or the running ones."""
    empty = zeros([0])
    results = batch_norm.fused_batch_norm(
        convert(x),
        convert(scale),
        convert(offset),
        empty if mean is None else convert(mean),
        empty if variance is None else convert(variance),
        # The smallest that the kernels of TensorFlow take.
        epsilon=max(epsilon, 1.001e-5),
        data_format=data_format,
        is_training=is_training,
        exponential_avg_factor=exponential_avg_factor,
        name=name,
    )
    return results[0], results[1], results[2]


def xw_plus_b(x: TensorLike, weights: Any, biases: Any, name: str | None = None) -> Any:
    """Return `matmul(x, weights) + biases`."""
    return nn.bias_add(matmul(x, weights), biases, name=name)


def relu_layer(x: TensorLike, weights: Any, biases: Any, name: str | None = None) -> Any:
    """Return `relu(matmul(x, weights) + biases)`."""
    return nn.relu(xw_plus_b(x, weights, biases), name=name)
