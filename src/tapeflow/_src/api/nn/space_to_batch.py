"""`tf.nn`: dilated (atrous) operations via space-to-batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tapeflow._src.api.arrays.movement import required_space_to_batch_paddings
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.ops.array.common import pack, shape, static_ints
from tapeflow._src.ops.array.space_depth import batch_to_space_nd, space_to_batch_nd


def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: Any,
    op: Callable[[Any, int, Any], Any],
    filter_shape: Any = None,
    spatial_dims: Sequence[int] | None = None,
    data_format: str | None = None,
) -> Any:
    """Apply an op that knows no dilation to dilated blocks of the input.

    Args:
        input: A tensor of shape `[batch, *spatial, channels]`.
        dilation_rate: The dilation of each spatial axis; where all are 1, `op` is called directly.
        padding: "VALID", "SAME" or pairs of paddings per axis.
        op: A function of (input, number of spatial axes, padding).
        filter_shape: The spatial sizes of the filters, needed for "SAME".
        spatial_dims: The spatial axes, in ascending order; inferred from `data_format` by default.
        data_format: A layout such as "NHWC" or "NCHW"; channels last by default.

    Returns:
        The result of `op`, with its spatial axes put together again.

    Raises:
        ValueError: A rate is not positive, or arguments do not match each other.
        TypeError: `op` is not callable.

    Example:

        >>> def smallest(x, spatial_axes, padding):
        ...     return -tf.nn.max_pool(-x, 2, 1, padding)
        >>> x = tf.reshape(tf.range(5.0), (1, 5, 1))
        >>> tf.nn.with_space_to_batch(x, [2], "VALID", smallest)[0, :, 0].numpy().tolist()
        [0.0, 1.0, 2.0]
    """
    if not callable(op):
        raise TypeError(f"with_space_to_batch: `op` must be a function, not {op!r}.")
    input = dispatch.convert(input)
    rates = _rates(dilation_rate)
    axes = _axes(spatial_dims, len(rates), data_format)
    if all(rate == 1 for rate in rates):
        return op(input, len(rates), padding)
    sizes = pack([shape(input)[axis] for axis in axes])
    base = _base_paddings(padding, rates, filter_shape, axes, len(input.shape))
    pads, crops = required_space_to_batch_paddings(sizes, list(rates), base)
    # Axes between the batch and the spatial ones take part with blocks of 1.
    block, rows = [1] * axes[-1], [static_ints((0, 0))] * axes[-1]
    pad_rows, crop_rows = list(rows), list(rows)
    for i, axis in enumerate(axes):
        block[axis - 1], pad_rows[axis - 1], crop_rows[axis - 1] = rates[i], pads[i], crops[i]
    blocks = static_ints(tuple(block))
    result = op(space_to_batch_nd(input, blocks, pack(pad_rows)), len(rates), "VALID")
    return batch_to_space_nd(result, blocks, pack(crop_rows))


def _rates(dilation_rate: Any) -> tuple[int, ...]:
    static_rates = dispatch.convert(dilation_rate, dtypes.int32).static_value
    if static_rates is None or static_rates.ndim != 1:
        raise ValueError(
            f"dilation_rate must be a vector with a static value, received {dilation_rate}"
        )
    rates = tuple(static_rates.tolist())
    if min(rates, default=1) < 1:
        raise ValueError(
            f"`dilation_rate` must be positive. Received: dilation_rate={dilation_rate}"
        )
    return rates


def _axes(spatial_dims: Any, count: int, data_format: str | None) -> tuple[int, ...]:
    if spatial_dims is None:
        first = 2 if data_format is not None and data_format.startswith("NC") else 1
        return tuple(range(first, first + count))
    axes = tuple(int(axis) for axis in spatial_dims)
    if min(axes, default=1) < 1 or any(a >= b for a, b in pairwise(axes)):
        raise ValueError(
            f"spatial_dims must be axes of 1 or more in increasing order, received {spatial_dims}"
        )
    if len(axes) != count:
        raise ValueError(
            f"`spatial_dims` must have one axis for each of {count} dilation rates. Received: "
            f"spatial_dims={spatial_dims}"
        )
    return axes


def _base_paddings(
    padding: Any, rates: tuple[int, ...], filter_shape: Any, axes: tuple[int, ...], rank: int
) -> np.ndarray:
    """Compute the padding before and after each spatial axis that `padding` implies."""
    if isinstance(padding, (list, tuple)):
        if len(padding) != rank:
            raise ValueError(
                f"A list as `padding` must have {rank} pairs, one per axis, received "
                f"{len(padding)}: {padding}"
            )
        return np.array([padding[axis] for axis in axes], np.int32)
    if not isinstance(padding, str) or padding not in ("SAME", "VALID"):
        raise ValueError(f"padding must be 'SAME' or 'VALID', received {padding!r}")
    if padding == "VALID":
        return np.zeros((len(rates), 2), np.int32)
    if filter_shape is None:
        raise ValueError("padding='SAME' depends on the size of the filters: pass filter_shape.")
    kernel = dispatch.convert(filter_shape).static_value[: len(rates)]
    total = (kernel - 1) * np.array(rates)
    return np.stack([total // 2, total - total // 2], axis=1).astype(np.int32)
