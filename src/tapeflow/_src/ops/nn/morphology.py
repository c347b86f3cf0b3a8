"""Grey-scale dilation of images: the maximum over the filter of value plus filter entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.backends.numpy_conv import taps
from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import FROM_NUMPY, REAL
from tapeflow._src.core.errors import UnimplementedError
from tapeflow._src.core.infer import merge_shape, require_rank
from tapeflow._src.core.registry import InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.kernels import windows
from tapeflow._src.ops.array.common import ones_like, pad, zeros_like
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.logical import logical_and, logical_not


def _window_attributes(strides: Any, rates: Any, padding: Any) -> windows.Attributes:
    if padding not in ("SAME", "VALID"):
        raise InferError(f'padding must be "SAME" or "VALID", got {padding!r}')
    for name, values in (("strides", strides), ("rates", rates)):
        if len(values) == 4 and (values[0], values[3]) != (1, 1):
            raise UnimplementedError(
                None, None, f"{name} are only supported across spatial dimensions: {list(values)}"
            )
    return windows.attributes(2, strides, rates, padding, (), "NHWC")


def _output_shape(input: Spec, filter: Spec, window_attributes: windows.Attributes) -> Any:
    require_rank(input, 4, "input")
    require_rank(filter, 3, "filter")
    image, kernel = input.shape or (None,) * 4, filter.shape or (None,) * 3
    if None not in (image[3], kernel[2]) and image[3] != kernel[2]:
        raise InferError(f"input and filter must have the same depth: {image[3]} vs {kernel[2]}")
    space = windows.output_space(image[1:3], kernel[:2], window_attributes)
    return (image[0], *space, kernel[2] if image[3] is None else image[3])


class _Taps:
    """The taps of the filter, and the part of the padded image under each."""

    def __init__(
        self, image: tuple[int, ...], kernel: Any, window_attributes: windows.Attributes
    ) -> None:
        self._kernel, self._window = (
            kernel[:2],
            windows.window(image[1:3], kernel[:2], window_attributes),
        )
        self.space: tuple[Any, ...] = windows.output_space(
            image[1:3], kernel[:2], window_attributes
        )
        _, _, before, after = self._window
        self.padding = ((0, 0), *zip(before, after, strict=True), (0, 0))
        self.inner = tuple(slice(b, b + n) for b, n in zip(before, image[1:3], strict=True))
        self._inside = np.pad(np.ones((1, *image[1:3], 1), bool), self.padding)

    def __iter__(self) -> Iterator[tuple[Any, Any, np.ndarray]]:
        """Yield each tap, its slice of the padded image, and the position of that in the image."""
        for tap, part in taps(self._kernel, list(self.space), self._window):
            yield tap, part, self._inside[part]


def _greatest(xp: ModuleType, input: Any, filter: Any, steps: _Taps) -> tuple[Any, Any]:
    """Return the maximal sum at each position, and the index of the first tap that attains it."""
    padded = xp.pad(input, steps.padding)
    shape = (input.shape[0], *steps.space, input.shape[3])
    value = xp.full(shape, FROM_NUMPY[np.dtype(input.dtype)].min, input.dtype)
    argmax = xp.full(shape, -1, np.int32)
    for number, (tap, part, inside) in enumerate(steps):
        seen = padded[part] + filter[tap]
        better = inside & (seen > value)
        value, argmax = xp.where(better, seen, value), xp.where(better, number, argmax)
    return value, argmax


@op("Dilation2D", dtypes=REAL, checked=True)
def dilation2d(xp, input, filter, *, strides, rates, padding):
    """Compute the maximal sum of the image and the filter at each position."""
    steps = _Taps(input.shape, filter.shape, _window_attributes(strides, rates, padding))
    return _greatest(xp, input, filter, steps)[0]


@dilation2d.infer
def _(input, filter, *, strides, rates, padding):
    return Spec(
        _output_shape(input, filter, _window_attributes(strides, rates, padding)), input.dtype
    )


def _infer_gradient(of_input: bool) -> Any:
    def rule(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
        input, filter, out_backprop = specs
        shape = _output_shape(input, filter, _window_attributes(**attrs))
        merge_shape(shape, out_backprop.shape, "out_backprop has incompatible size")
        return Spec(input.shape if of_input else filter.shape, input.dtype)

    return rule


@op("Dilation2DBackpropInput", infer=_infer_gradient(True), dtypes=REAL, checked=True)
def dilation2d_backprop_input(xp, input, filter, out_backprop, *, strides, rates, padding):
    """Compute the gradient of `dilation2d` w.r.t. the image: each goes to its argmax."""
    steps = _Taps(input.shape, filter.shape, _window_attributes(strides, rates, padding))
    _, argmax = _greatest(xp, input, filter, steps)
    zero = xp.zeros((), input.dtype)
    total = xp.pad(xp.zeros_like(input), steps.padding)
    for number, (_, part, _) in enumerate(steps):
        total = xp.index_add(total, part, xp.where(argmax == number, out_backprop, zero))
    return total[(slice(None), *steps.inner)]


@op("Dilation2DBackpropFilter", infer=_infer_gradient(False), dtypes=REAL, checked=True)
def dilation2d_backprop_filter(xp, input, filter, out_backprop, *, strides, rates, padding):
    """Compute the gradient of `dilation2d` w.r.t. the filter: each goes to its argmax tap."""
    steps = _Taps(input.shape, filter.shape, _window_attributes(strides, rates, padding))
    _, argmax = _greatest(xp, input, filter, steps)
    zero = xp.zeros((), input.dtype)
    sums = [
        xp.sum(xp.where(argmax == number, out_backprop, zero), axis=(0, 1, 2), dtype=input.dtype)
        for number, _ in enumerate(steps)
    ]
    return xp.stack(sums).reshape(filter.shape)


# -- gradients ---------------------------------------------------------------------------------


@dilation2d.gradient
def _(dz, *, input, filter, attrs, needed):
    return (
        dilation2d_backprop_input(input, filter, dz, **attrs) if needed[0] else None,
        dilation2d_backprop_filter(input, filter, dz, **attrs) if needed[1] else None,
    )


def _picked(input: Any, filter: Any, attrs: dict[str, Any], of_tap: Callable[..., Any]) -> Any:
    """Return, for each position, the entry of `of_tap` for the argmax tap."""
    if any(t.static_shape is None or None in t.static_shape for t in (input, filter)):
        raise NotImplementedError(
            "The second gradient of Dilation2D needs to know the shapes of its inputs."
        )
    steps = _Taps(input.static_shape, filter.static_shape, _window_attributes(**attrs))
    value = dilation2d(input, filter, **attrs)
    padded = pad(input, dispatch.convert(steps.padding))
    left = ones_like(equal(value, value))
    result = zeros_like(value)
    for tap, part, inside in steps:
        seen = equal(padded[part] + filter[tap], value)
        here = logical_and(left, logical_and(dispatch.convert(inside), seen))
        result = select_v2(here, of_tap(tap, part, steps), result)
        left = logical_and(left, logical_not(here))
    return result


@dilation2d_backprop_input.gradient
def _(dz, *, input, filter, attrs):
    def of_tap(tap: Any, part: Any, steps: _Taps) -> Any:
        return pad(dz, dispatch.convert(steps.padding))[part]

    return None, None, _picked(input, filter, attrs, of_tap)


@dilation2d_backprop_filter.gradient
def _(dz, *, input, filter, attrs):
    return None, None, _picked(input, filter, attrs, lambda tap, part, steps: dz[tap])
