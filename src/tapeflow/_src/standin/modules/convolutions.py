"""`tensorflow.python.ops.nn_ops`: convolutions that are set up once."""

from __future__ import annotations

from typing import Any

from tapeflow.nn import convolution


class Convolution:
    """A convolution of fixed strides, padding and dilation."""

    def __init__(
        self,
        input_shape: Any,
        filter_shape: Any,
        padding: Any,
        strides: Any = None,
        dilation_rate: Any = None,
        name: str | None = None,
        data_format: str | None = None,
    ) -> None:
        self._options = {
            "strides": strides,
            "padding": padding,
            "dilations": dilation_rate,
            "data_format": data_format,
            "name": name,
        }

    def __call__(self, inp: Any, filter: Any) -> Any:
        return convolution(inp, filter, **self._options)
