"""Output shapes of convolutions and pooling."""

from __future__ import annotations

from typing import Any

Dims = tuple[int | None, ...]


def spatial_of(shape: Any, data_format: str) -> Dims:
    """Return the spatial sizes: those between the batch and the channels."""
    return tuple(shape[1:-1]) if data_format == "channels_last" else tuple(shape[2:])


def with_spatial(shape: Any, spatial: Any, channels: Any, data_format: str) -> Dims:
    """Return a shape with these spatial sizes and channels, and the batch of `shape`."""
    if data_format == "channels_last":
        return (shape[0], *spatial, channels)
    return (shape[0], channels, *spatial)


def window_output(
    size: int | None, window: int, stride: int, padding: str, dilation: int = 1
) -> int | None:
    """Return how many windows fit along an axis."""
    if size is None:
        return None
    if padding in ("same", "causal"):
        return (size + stride - 1) // stride
    return (size - (window - 1) * dilation - 1) // stride + 1


def transpose_output(
    size: int | None,
    window: int,
    stride: int,
    padding: str,
    output_padding: int | None,
    dilation: int,
) -> int | None:
    """Return the output size of a transposed convolution along an axis."""
    if size is None:
        return None
    window = window + (window - 1) * (dilation - 1)
    if output_padding is None:
        if padding == "valid":
            return size * stride + max(window - stride, 0)
        return size * stride
    pad = window // 2 if padding == "same" else 0
    return (size - 1) * stride + window - 2 * pad + output_padding
