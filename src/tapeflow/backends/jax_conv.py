"""Convolutions by XLA, with the signatures of `backends.numpy_conv`."""

from __future__ import annotations

from typing import Any

import jax
from jax import lax

from tapeflow.backends.numpy_conv import Window

_AXES = "DHW"


def conv(x: Any, w: Any, window: Window, groups: int) -> Any:
    """`x` convolved with the filter `w`."""
    strides, dilations, before, after = window
    space = _AXES[-len(strides) :]
    return lax.conv_general_dilated(
        x,
        w,
        strides,
        list(zip(before, after, strict=True)),
        rhs_dilation=dilations,
        dimension_numbers=(f"N{space}C", f"{space}IO", f"N{space}C"),
        feature_group_count=groups,
        precision=lax.Precision.HIGHEST,
    )


def conv_input_gradient(
    dy: Any, w: Any, input_shape: tuple[int, ...], window: Window, groups: int
) -> Any:
    """The gradient of the input."""
    like = jax.ShapeDtypeStruct(input_shape, dy.dtype)
    return jax.linear_transpose(lambda x: conv(x, w, window, groups), like)(dy)[0]


def conv_filter_gradient(
    x: Any, dy: Any, filter_shape: tuple[int, ...], window: Window, groups: int
) -> Any:
    """The gradient of the filter."""
    like = jax.ShapeDtypeStruct(filter_shape, dy.dtype)
    return jax.linear_transpose(lambda w: conv(x, w, window, groups), like)(dy)[0]
