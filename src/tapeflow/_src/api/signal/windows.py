"""`tf.signal`: window functions."""

from __future__ import annotations

import math
from typing import Any

from tapeflow._src.api.arrays.creation import ones
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.ops.array.common import concat_v2, range_, scalar_int
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.shape import static_ints
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.array.transpose import reverse_v2
from tapeflow._src.ops.math.arithmetic import add_v2, floor_div, floor_mod, mul, real_div, sub
from tapeflow._src.ops.math.bessel import bessel_i0e
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.elementwise import exp, scalar, sqrt, square
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.math.scan import cumsum
from tapeflow._src.ops.math.trigonometry import cos, sin


@scoped("hann_window")
def hann_window(
    window_length: Any,
    periodic: bool = True,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Create a Hann window: a raised cosine that reaches zero.

    Args:
        window_length: The number of samples, a scalar.
        periodic: Whether the window is periodic, for spectral analysis, or symmetric.
        dtype: The dtype of the window, floating-point.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[window_length]`.

    Raises:
        ValueError: `dtype` is not floating-point.

    Example:

        >>> tf.signal.hann_window(4).numpy().round(3).tolist()
        [0.0, 0.5, 1.0, 0.5]
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


@scoped("hamming_window")
def hamming_window(
    window_length: Any,
    periodic: bool = True,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Create a Hamming window: a raised cosine that does not reach zero.

    Args:
        window_length: The number of samples, a scalar.
        periodic: Whether the window is periodic, for spectral analysis, or symmetric.
        dtype: The dtype of the window, floating-point.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[window_length]`.

    Raises:
        ValueError: `dtype` is not floating-point.

    Example:

        >>> tf.signal.hamming_window(4).numpy().round(3).tolist()
        [0.07999999821186066, 0.5400000214576721, 1.0, 0.5400000214576721]
    """
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


def _length(window_length: Any, dtype: DTypeLike) -> tuple[Any, Any]:
    """Return the number of samples, and the sample indices as floats."""
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"dtype must be floating, received {kind!r}.")
    count = dispatch.convert(window_length, dtypes.int32)
    count.shape.assert_has_rank(0)
    numbers = range_(scalar_int(0), count, scalar_int(1))
    return count, cast(numbers, DstT=kind)


def _raised_cosine(window_length: Any, periodic: Any, dtype: DTypeLike, a: float, b: float) -> Any:
    count, numbers = _length(window_length, dtype)
    static_count = count.static_value
    if static_count == 1:
        return ones((1,), numbers.dtype)
    one = scalar(1, count)
    period = sub(count, one)
    if isinstance(periodic, bool):
        periodic = int(periodic)
    else:
        periodic = cast(dispatch.convert(periodic, dtypes.bool), DstT=dtypes.int32)
    even = sub(one, floor_mod(count, scalar(2, count)))
    period = add_v2(period, mul(even, dispatch.convert(periodic, dtypes.int32)))
    if static_count is None:
        # One sample is no cosine: its weight is 1.
        period = maximum(period, one)
    angle = real_div(mul(numbers, scalar(2 * math.pi, numbers)), cast(period, DstT=numbers.dtype))
    curve = sub(scalar(a, angle), mul(scalar(b, angle), cos(angle)))
    if static_count is not None:
        return curve
    single = dispatch.convert(1, numbers.dtype)
    return select_v2(equal(count, one), add_v2(mul(curve, scalar(0, curve)), single), curve)


@scoped("kaiser_window")
def kaiser_window(
    window_length: Any,
    beta: TensorLike = 12.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Create a Kaiser window.

    Args:
        window_length: The number of samples, a scalar.
        beta: The shape: a larger one has lower side lobes and a wider main lobe.
        dtype: The dtype of the window, floating-point.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[window_length]`.

    Raises:
        ValueError: `dtype` is not floating-point.

    Example:

        >>> tf.signal.kaiser_window(5, beta=2.0).numpy().round(3).tolist()
        [0.4390000104904175, 0.8349999785423279, 1.0, 0.8349999785423279, 0.4390000104904175]
    """
    count, numbers = _length(window_length, dtype)
    if count.static_value == 1:
        return ones((1,), numbers.dtype)
    half = real_div(cast(sub(count, scalar(1, count)), DstT=numbers.dtype), scalar(2, numbers))
    beta = cast(dispatch.convert(beta, None, numbers.dtype), DstT=numbers.dtype)
    # One sample lies in the middle.
    width = maximum(half, scalar(0.5, half))
    position = real_div(sub(numbers, half), width)
    inside = maximum(sub(scalar(1, position), square(position)), scalar(0, position))
    argument = mul(beta, sqrt(inside))
    # Divided by their exponentials the functions do not overflow, however large `beta` is.
    ratio = real_div(bessel_i0e(argument), bessel_i0e(beta))
    return mul(exp(sub(argument, beta)), ratio)


@scoped("kaiser_bessel_derived_window")
def kaiser_bessel_derived_window(
    window_length: Any,
    beta: TensorLike = 12.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Create a Kaiser-Bessel derived window, which satisfies the Princen-Bradley condition.

    For `tf.signal.mdct`.

    Args:
        window_length: The number of samples, even.
        beta: The shape of the Kaiser window.
        dtype: The dtype of the window, floating-point.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[window_length]`.

    Example:

        >>> tf.signal.kaiser_bessel_derived_window(4, beta=2.0).numpy().round(3).tolist()
        [0.4830000102519989, 0.875, 0.875, 0.4830000102519989]
    """
    count = dispatch.convert(window_length, dtypes.int32)
    half = floor_div(count, scalar(2, count))
    weights = cumsum(kaiser_window(add_v2(half, scalar(1, half)), beta, dtype), scalar_int(0))
    rising = sqrt(real_div(get_item(weights, slice(None, -1)), get_item(weights, -1)))
    return concat_v2([rising, reverse_v2(rising, static_ints((0,)))], scalar_int(0))


@scoped("vorbis_window")
def vorbis_window(
    window_length: Any, dtype: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """Create a Vorbis power complementary window, for `tf.signal.mdct`.

    Args:
        window_length: The number of samples, a scalar.
        dtype: The dtype of the window, floating-point.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[window_length]`.

    Raises:
        ValueError: `dtype` is not floating-point.

    Example:

        >>> tf.signal.vorbis_window(4).numpy().round(3).tolist()
        [0.2280000001192093, 0.9739999771118164, 0.9739999771118164, 0.2280000001192093]
    """
    count, numbers = _length(window_length, dtype)
    position = real_div(add_v2(numbers, scalar(0.5, numbers)), cast(count, DstT=numbers.dtype))
    wave = square(sin(mul(position, scalar(math.pi, position))))
    return sin(mul(wave, scalar(math.pi / 2, wave)))
