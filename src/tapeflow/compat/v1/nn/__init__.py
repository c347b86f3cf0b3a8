"""`tf.compat.v1.nn`: neural networks, with signatures of TensorFlow 1 where they differ."""

from __future__ import annotations

from typing import Any

from tapeflow import nn as _nn
from tapeflow._src.api.arrays import stop_gradient as _stop_gradient
from tapeflow._src.api.arrays import zeros as _zeros
from tapeflow._src.compat.v1.aliases import aliases as _aliases
from tapeflow._src.compat.v1.legacy import depth_to_space as depth_to_space
from tapeflow._src.compat.v1.legacy import in_top_k as in_top_k
from tapeflow._src.compat.v1.legacy import log_softmax as log_softmax
from tapeflow._src.compat.v1.legacy import softmax as softmax
from tapeflow._src.compat.v1.legacy import space_to_batch as space_to_batch
from tapeflow._src.compat.v1.legacy import space_to_depth as space_to_depth
from tapeflow._src.compat.v1.nn.recurrent import (
    bidirectional_dynamic_rnn as bidirectional_dynamic_rnn,
)
from tapeflow._src.compat.v1.nn.recurrent import dynamic_rnn as dynamic_rnn
from tapeflow._src.compat.v1.nn.recurrent import raw_rnn as raw_rnn
from tapeflow._src.compat.v1.nn.unrolled import static_bidirectional_rnn as static_bidirectional_rnn
from tapeflow._src.compat.v1.nn.unrolled import static_rnn as static_rnn
from tapeflow._src.compat.v1.nn.unrolled import static_state_saving_rnn as static_state_saving_rnn
from tapeflow._src.compat.v1.reordered import reordered as _reordered
from tapeflow._src.core.dispatch import convert as _convert
from tapeflow._src.ops.nn import batch_norm as _batch_norm
from tapeflow.linalg import matmul as _matmul

# -- convolutions and pooling ------------------------------------------------------------------

_FILTER = {"filter": "filters"}
_VALUE = {"value": "input"}
_DILATION = {"rate": "dilations"}

conv1d = _reordered(
    _nn.conv1d,
    "value filters stride padding use_cudnn_on_gpu data_format name input dilations",
    _VALUE,
)
conv2d = _reordered(
    _nn.conv2d,
    "input filter strides padding use_cudnn_on_gpu data_format dilations name filters",
    _FILTER,
)
conv3d = _reordered(
    _nn.conv3d, "input filter strides padding data_format dilations name filters", _FILTER
)
_TRANSPOSED = "value filter output_shape strides padding data_format name input filters dilations"
conv2d_transpose = _reordered(_nn.conv2d_transpose, _TRANSPOSED, {**_VALUE, **_FILTER})
conv3d_transpose = _reordered(_nn.conv3d_transpose, _TRANSPOSED, {**_VALUE, **_FILTER})
convolution = _reordered(
    _nn.convolution,
    "input filter padding strides dilation_rate name data_format filters dilations",
    {**_FILTER, "dilation_rate": "dilations"},
)
depthwise_conv2d = _reordered(
    _nn.depthwise_conv2d,
    "input filter strides padding rate name data_format dilations",
    _DILATION,
)
separable_conv2d = _reordered(
    _nn.separable_conv2d,
    "input depthwise_filter pointwise_filter strides padding rate name data_format dilations",
    _DILATION,
)
_POOLED = "value ksize strides padding data_format name input"
avg_pool = avg_pool2d = _reordered(_nn.avg_pool2d, _POOLED, _VALUE)
max_pool = _reordered(_nn.max_pool2d, _POOLED, _VALUE)
max_pool_with_argmax = _reordered(
    _nn.max_pool_with_argmax,
    "input ksize strides padding data_format Targmax name output_dtype include_batch_in_index",
    {"Targmax": "output_dtype"},
)
pool = _reordered(
    _nn.pool,
    "input window_shape pooling_type padding dilation_rate strides name data_format dilations",
    {"dilation_rate": "dilations"},
)
crelu = _reordered(_nn.crelu, "features name axis")

# -- losses ------------------------------------------------------------------------------------


def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Any:
    """Return the cross-entropy between `labels` and the softmax of `logits`."""
    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both 'axis' and 'dim': they are the same.")
    chosen = next((a for a in (axis, dim) if a is not None), -1)
    return _nn.softmax_cross_entropy_with_logits(labels, logits, chosen, name)


def softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, dim: Any = -1, name: str | None = None, axis: Any = None
) -> Any:
    """Return the cross-entropy; no gradient flows to `labels`."""
    labels = _stop_gradient(_convert(labels))
    return softmax_cross_entropy_with_logits_v2(labels, logits, dim if axis is None else axis, name)


weighted_cross_entropy_with_logits = _reordered(
    _nn.weighted_cross_entropy_with_logits,
    "labels logits pos_weight name targets",
    {"targets": "labels"},
)

# -- the rest ----------------------------------------------------------------------------------

_KEPT = {"keep_dims": "keepdims"}
moments = _reordered(_nn.moments, "x axes shift name keep_dims keepdims", _KEPT)
weighted_moments = _reordered(
    _nn.weighted_moments, "x axes frequency_weights name keep_dims keepdims", _KEPT
)
sufficient_statistics = _reordered(
    _nn.sufficient_statistics, "x axes shift keep_dims name keepdims", _KEPT
)
batch_norm_with_global_normalization = _reordered(
    _nn.batch_norm_with_global_normalization,
    "t m v beta gamma variance_epsilon scale_after_normalization name input mean variance",
    {"t": "input", "m": "mean", "v": "variance"},
)


def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: Any = None,
    name: str | None = None,
    rate: Any = None,
) -> Any:
    """Set elements to 0 at random, of which `keep_prob` stay, or `rate` go."""
    if (keep_prob is None) == (rate is None):
        raise ValueError(
            f"Expected one of keep_prob and rate, received keep_prob={keep_prob!r} and "
            f"rate={rate!r}."
        )
    return _nn.dropout(x, 1 - keep_prob if rate is None else rate, noise_shape, seed, name)


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Any:
    """Return the rows of an embedding; of one in several parts, by "div" only."""
    _require_div(params, partition_strategy)
    return _nn.embedding_lookup(params, ids, max_norm, name)


def embedding_lookup_sparse(
    params: Any,
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
    return _nn.embedding_lookup_sparse(
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
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Any, Any, Any]:
    """Return batch normalization, and the mean and variance of the batch or the running ones."""
    empty = _zeros([0])
    results = _batch_norm.fused_batch_norm(
        _convert(x),
        _convert(scale),
        _convert(offset),
        empty if mean is None else _convert(mean),
        empty if variance is None else _convert(variance),
        # The smallest that the kernels of TensorFlow take.
        epsilon=max(epsilon, 1.001e-5),
        data_format=data_format,
        is_training=is_training,
        exponential_avg_factor=exponential_avg_factor,
        name=name,
    )
    return results[0], results[1], results[2]


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """Return `matmul(x, weights) + biases`."""
    return _nn.bias_add(_matmul(x, weights), biases, name=name)


def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """Return `relu(matmul(x, weights) + biases)`."""
    return _nn.relu(xw_plus_b(x, weights, biases), name=name)


__getattr__, __dir__ = _aliases(
    __name__, globals(), {"experimental": "tapeflow.nn", "rnn_cell": f"{__name__}.rnn_cell"}
)
