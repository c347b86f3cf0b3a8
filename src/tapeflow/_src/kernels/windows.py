"""The arithmetic of sliding windows: strides, dilations, paddings and data formats."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, NamedTuple

from tapeflow._src.core import dispatch
from tapeflow._src.core.errors import UnimplementedError, fmt_shape
from tapeflow._src.core.registry import InferError
from tapeflow._src.core.types import Array

Dims = tuple[int | None, ...]
CHANNELS_FIRST = frozenset({"NCHW", "NCDHW", "NCW"})
CHANNELS_LAST = frozenset({"NHWC", "NDHWC", "NWC"})
PADDINGS = ("SAME", "VALID", "EXPLICIT")


def channel_axis(data_format: str, rank: int) -> int:
    """Return which axis the channels are."""
    return 1 if data_format in CHANNELS_FIRST else rank - 1


class Attributes(NamedTuple):
    """The window of an op from its attributes, one entry per spatial axis."""

    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    padding: str
    explicit: tuple[tuple[int, int], ...]
    channels_first: bool


def attributes(
    rank: int,
    strides: Sequence[int],
    dilations: Sequence[int],
    padding: Any,
    explicit_paddings: Sequence[int],
    data_format: Any,
) -> Attributes:
    """Return the spatial part of an op's attributes, checked."""
    data_format, padding = _text(data_format), _text(padding)
    if data_format not in CHANNELS_FIRST | CHANNELS_LAST or len(data_format) != rank + 2:
        raise InferError(f"Invalid data format {data_format!r} for {rank} spatial dimensions")
    first = data_format in CHANNELS_FIRST
    if padding not in PADDINGS:
        raise InferError(f"padding must be one of {', '.join(PADDINGS)}, got {padding!r}")
    pairs = _pairs(explicit_paddings, rank, first) if padding == "EXPLICIT" else []
    if padding != "EXPLICIT" and len(explicit_paddings):
        raise InferError("explicit_paddings must be empty unless padding is EXPLICIT")
    return Attributes(
        _spatial("strides", strides, rank, first),
        _spatial("dilations", dilations, rank, first),
        padding,
        tuple(pairs[2:] if first else pairs[1:-1]) if pairs else (),
        first,
    )


def _text(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


def _spatial(name: str, values: Sequence[int], rank: int, first: bool) -> tuple[int, ...]:
    if len(values) != rank + 2:
        raise InferError(f"{name} must specify {rank + 2} dimensions, got {list(values)}")
    inner = tuple(int(v) for v in (values[2:] if first else values[1:-1]))
    channel = values[1] if first else values[-1]
    if min(values) < 1:
        raise InferError(f"{name} must be > 0, but got {list(values)}")
    if values[0] != 1 or channel != 1:
        raise UnimplementedError(
            None,
            None,
            f"Current implementation does not support {name} in the batch and depth dimensions, "
            f"got {list(values)}",
        )
    return inner


def _pairs(explicit: Sequence[int], rank: int, first: bool) -> list[tuple[int, int]]:
    if len(explicit) != 2 * (rank + 2):
        raise InferError(
            f"explicit_paddings must have {2 * (rank + 2)} values, got {list(explicit)}"
        )
    if min(explicit) < 0:
        raise InferError(f"explicit_paddings must not be negative, got {list(explicit)}")
    pairs = [(int(explicit[2 * i]), int(explicit[2 * i + 1])) for i in range(rank + 2)]
    outer = pairs[:2] if first else [pairs[0], pairs[-1]]
    if any(map(any, outer)):
        raise InferError(
            "explicit_paddings may pad spatial axes only (0 for batch and channels), received "
            f"{list(explicit)}"
        )
    return pairs


def output_space(space: Dims, kernel: Dims, attributes: Attributes) -> Dims:
    """Return the sizes of the result along the spatial axes."""
    if 0 in kernel:
        raise InferError(
            f"The filter must not have zero elements, got a window of sizes {fmt_shape(kernel)}"
        )
    return tuple(
        _output_size(i, n, k, attributes)
        for i, (n, k) in enumerate(zip(space, kernel, strict=True))
    )


def _output_size(
    axis: int, size: int | None, kernel: int | None, attributes: Attributes
) -> int | None:
    stride = attributes.strides[axis]
    if size is None:
        return None
    if attributes.padding == "SAME":
        return -(-size // stride)
    if kernel is None:
        return None
    reach = (kernel - 1) * attributes.dilations[axis] + 1
    total = sum(attributes.explicit[axis]) if attributes.padding == "EXPLICIT" else 0
    room = size + total - reach + stride
    if room < stride and dispatch.state.mode is not dispatch.base_mode():
        # A graph has no such window; where sizes are known only when it runs, nothing is left.
        raise InferError(
            f"Negative dimension size caused by subtracting {reach} from {size + total}"
        )
    if room <= -stride:
        raise InferError(
            f"Computed output size would be negative: {-(-room // stride)} [input_size: {size}, "
            f"padding: {total}, effective_filter_size: {reach}, stride: {stride}]"
        )
    return max(0, room // stride)


def window(
    space: tuple[int, ...], kernel: tuple[int, ...], attributes: Attributes
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return strides, dilations and the padding before and after, for static sizes."""
    before, after = [], []
    for i, (size, k) in enumerate(zip(space, kernel, strict=True)):
        low, high = 0, 0
        if attributes.padding == "EXPLICIT":
            low, high = attributes.explicit[i]
        elif attributes.padding == "SAME":
            reach = (k - 1) * attributes.dilations[i] + 1
            out = -(-size // attributes.strides[i])
            total = max((out - 1) * attributes.strides[i] + reach - size, 0)
            low, high = total // 2, total - total // 2
        before.append(low)
        after.append(high)
    return attributes.strides, attributes.dilations, tuple(before), tuple(after)


def to_last(xp: ModuleType, array: Array, attributes: Attributes) -> Any:
    """Move the channels last, where the windows slide."""
    return xp.moveaxis(array, 1, -1) if attributes.channels_first else array


def from_last(xp: ModuleType, array: Array, attributes: Attributes) -> Any:
    """Move the channels from last to the position of the op's data format."""
    return xp.moveaxis(array, -1, 1) if attributes.channels_first else array


def last_dims(dims: tuple[Any, ...], attributes: Attributes) -> tuple[Any, ...]:
    """Return a shape with the channels last."""
    return (dims[0], *dims[2:], dims[1]) if attributes.channels_first else dims


def format_dims(dims: tuple[Any, ...], attributes: Attributes) -> tuple[Any, ...]:
    """Return a shape with the channels at the position of the op's data format."""
    return (dims[0], dims[-1], *dims[1:-1]) if attributes.channels_first else dims
