"""`tf.nn`: grey-scale dilation and erosion."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.arrays.movement import reverse
from tapeflow._src.core import dispatch
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.nn import morphology


def dilation2d(
    input: TensorLike,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Tensor:
    """Compute greyscale dilation: the maximum of the input plus the filter over each window.

    Args:
        input: `[batch, height, width, channels]`, a real tensor.
        filters: `[height, width, channels]`, of the same dtype.
        strides: The stride of each of the four axes; 1 for batch and channels.
        padding: "SAME" or "VALID".
        data_format: "NHWC".
        dilations: The dilation of each of the four axes.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[batch, height, width, channels]`.

    Raises:
        ValueError: `data_format` is another.
        TypeError: `strides` or `dilations` is not a list.

    Example:

        >>> x = tf.reshape(tf.range(4.0), (1, 2, 2, 1))
        >>> ones = [1, 1, 1, 1]
        >>> tf.nn.dilation2d(x, tf.zeros((2, 2, 1)), ones, "VALID", "NHWC", ones).numpy().tolist()
        [[[[3.0]]]]
    """
    return morphology.dilation2d(
        input, filters, name=name, **_attrs("dilation2d", strides, padding, data_format, dilations)
    )


@scoped("erosion2d", names_result=True)
def erosion2d(
    value: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Tensor:
    """Compute greyscale erosion: the minimum of the input minus the filter over each window.

    Args:
        value: `[batch, height, width, channels]`, a real tensor.
        filters: `[height, width, channels]`, of the same dtype.
        strides: The stride of each of the four axes; 1 for batch and channels.
        padding: "SAME" or "VALID".
        data_format: "NHWC".
        dilations: The dilation of each of the four axes.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[batch, height, width, channels]`.

    Raises:
        ValueError: `data_format` is another.
        TypeError: `strides` or `dilations` is not a list.

    Example:

        >>> x = tf.reshape(tf.range(4.0), (1, 2, 2, 1)) + 1
        >>> ones = [1, 1, 1, 1]
        >>> tf.nn.erosion2d(x, tf.zeros((2, 2, 1)), ones, "VALID", "NHWC", ones).numpy().tolist()
        [[[[1.0]]]]
    """
    attrs = _attrs("erosion2d", strides, padding, data_format, dilations)
    value = dispatch.convert(value)
    turned = reverse(dispatch.convert(filters, None, value.dtype), [0, 1])
    return -morphology.dilation2d(-value, turned, name=name, **attrs)


def _attrs(
    function: str, strides: Any, padding: Any, data_format: str, dilations: Any
) -> dict[str, Any]:
    if not isinstance(data_format, str) or data_format != "NHWC":
        raise ValueError(
            f"data_format must be 'NHWC' here, received {data_format!r}: transpose the images "
            "first."
        )
    for word, values in (("strides", strides), ("dilations", dilations)):
        if not isinstance(values, (list, tuple)):
            raise TypeError(f"Expected list for '{word}' argument to '{function}', not {values!r}.")
    return {"strides": tuple(strides), "rates": tuple(dilations), "padding": padding}
