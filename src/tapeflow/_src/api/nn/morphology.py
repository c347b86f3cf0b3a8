"""`tf.nn`: grey-scale dilation and erosion."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.arrays.movement import reverse
from tapeflow._src.core import dispatch
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.nn import morphology


def dilation2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Tensor:
    """Compute greyscale dilation; filters are `[height, width, channels]`."""
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
    """Compute greyscale erosion; filters are `[height, width, channels]`."""
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
