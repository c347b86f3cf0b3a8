"""Zero padding and cropping of sequences, images and volumes."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.layers.arguments import standardize_tuple
from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow._src.keras.layers.layer import Layer

Pairs = tuple[tuple[int, ...], ...]


def pairs_of(value: Any, axes: int, name: str) -> Pairs:
    """How much before and after, for each axis: from one number, one an axis, or two an axis."""
    if isinstance(value, int):
        return ((value, value),) * axes
    if not hasattr(value, "__len__") or len(value) != axes:
        raise ValueError(
            f"`{name}` should have {axes} elements. Received: {name}={value} (of type "
            f"{type(value)})"
        )
    return tuple(
        standardize_tuple(item, 2, f"entry {index} of {name}", allow_zero=True)
        for index, item in enumerate(value)
    )


class _Borders(Layer):
    """Base class of layers that pad or crop the spatial axes."""

    _tpf_keeps_dtype = True
    _axes: int

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        self.input_spec = InputSpec(ndim=self._axes + 2)
        self._first = 2 if self.data_format == "channels_first" else 1

    def _resized(self, input_shape: Any, changes: Pairs, sign: int) -> tuple[int | None, ...]:
        shape = list(input_shape)
        for axis, change in enumerate(changes, self._first):
            if shape[axis] is not None:
                shape[axis] += sign * sum(change)
                if shape[axis] <= 0:
                    raise ValueError(
                        f"{type(self).__name__} '{self.name}': `cropping`={changes} leaves nothing "
                        f"of axis {axis} of the input shape {input_shape}."
                    )
        return tuple(shape)


class _ZeroPadding(_Borders):
    padding: Pairs

    def call(self, inputs: Any) -> Any:
        none = [(0, 0)]
        after = none if self._first == 1 else []
        return tf.pad(inputs, [*none * self._first, *self.padding, *after])

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        return self._resized(input_shape, self.padding, 1)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "padding": self.padding,
            "data_format": self.data_format,
        }


class ZeroPadding1D(_ZeroPadding):
    """Pads sequences with zero steps at the start and end.

    Args:
        padding: Steps to add at the start and the end; one integer for both.
        data_format: `"channels_last"` or `"channels_first"`.

    Example:
        >>> tf.keras.layers.ZeroPadding1D((1, 2))(tf.ones((1, 3, 4))).shape
        TensorShape([1, 6, 4])
    """

    _axes = 1

    def __init__(self, padding: Any = 1, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.padding = (standardize_tuple(padding, 2, "padding", allow_zero=True),)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "padding": self.padding[0]}


class ZeroPadding2D(_ZeroPadding):
    """Pads images with rows and columns of zeros.

    Args:
        padding: `((top, bottom), (left, right))`, one integer per axis, or one for all.
        data_format: `"channels_last"` or `"channels_first"`.

    >>> tf.keras.layers.ZeroPadding2D(1)(tf.ones((1, 2, 2, 1))).shape
    TensorShape([1, 4, 4, 1])
    """

    _axes = 2

    def __init__(
        self, padding: Any = (1, 1), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(data_format, **kwargs)
        self.padding = pairs_of(padding, 2, "padding")


class ZeroPadding3D(_ZeroPadding):
    """Pads volumes with zeros along their three spatial axes.

    Args:
        padding: A pair (before, after) per axis, one integer per axis, or one for all.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.

    Raises:
        ValueError: `padding` has not three entries.

    Example:
        >>> tf.keras.layers.ZeroPadding3D(1)(tf.ones((1, 2, 2, 2, 1))).shape
        TensorShape([1, 4, 4, 4, 1])
    """

    _axes = 3

    def __init__(
        self,
        padding: Any = ((1, 1), (1, 1), (1, 1)),
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format, **kwargs)
        self.padding = pairs_of(padding, 3, "padding")


class _Cropping(_Borders):
    cropping: Pairs

    def call(self, inputs: Any) -> Any:
        self._resized(tuple(inputs.shape), self.cropping, -1)
        slices = [slice(before, -after or None) for before, after in self.cropping]
        return inputs[(slice(None),) * self._first + tuple(slices)]

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        return self._resized(input_shape, self.cropping, -1)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "cropping": self.cropping,
            "data_format": self.data_format,
        }


class Cropping1D(_Cropping):
    """Crops steps at the start and end of sequences.

    Args:
        cropping: Steps to cut at the start and the end; one integer for both.

    Raises:
        ValueError: Nothing of the sequence would be left.

    Example:
        >>> tf.keras.layers.Cropping1D((1, 2))(tf.ones((1, 6, 4))).shape
        TensorShape([1, 3, 4])
    """

    _axes = 1

    def __init__(self, cropping: Any = (1, 1), **kwargs: Any) -> None:
        super().__init__("channels_last", **kwargs)
        self.cropping = (standardize_tuple(cropping, 2, "cropping", allow_zero=True),)

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), "cropping": self.cropping[0]}
        del config["data_format"]
        return config


class Cropping2D(_Cropping):
    """Crops rows and columns at the borders of images.

    Args:
        cropping: `((top, bottom), (left, right))`, one integer per axis, or one for all.
        data_format: `"channels_last"` or `"channels_first"`.

    Raises:
        ValueError: Nothing of an axis would be left.

    Example:
        >>> tf.keras.layers.Cropping2D(((1, 1), (0, 2)))(tf.ones((1, 8, 8, 3))).shape
        TensorShape([1, 6, 6, 3])
    """

    _axes = 2

    def __init__(
        self, cropping: Any = ((0, 0), (0, 0)), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(data_format, **kwargs)
        self.cropping = pairs_of(cropping, 2, "cropping")


class Cropping3D(_Cropping):
    """Crops the borders of volumes along their three spatial axes.

    Args:
        cropping: A pair (before, after) per axis, one integer per axis, or one for all.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.

    Raises:
        ValueError: `cropping` has not three entries, or nothing of an axis would be left.

    Example:
        >>> tf.keras.layers.Cropping3D(1)(tf.ones((1, 4, 4, 4, 2))).shape
        TensorShape([1, 2, 2, 2, 2])
    """

    _axes = 3

    def __init__(
        self,
        cropping: Any = ((1, 1), (1, 1), (1, 1)),
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format, **kwargs)
        self.cropping = pairs_of(cropping, 3, "cropping")
