"""`tf.signal`: discrete Fourier transforms."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import Axis, TensorLike
from tapeflow._src.ops.array.common import (
    concat_v2,
    pack,
    pad,
    scalar_int,
    shape_of,
    static_ints,
)
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.arithmetic import floor_div, mul, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.elementwise import reciprocal, rsqrt, scalar
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.math.product import prod
from tapeflow._src.ops.signal import fft as ops

_COMPLEX_OF = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}


def fft(input: TensorLike, name: str | None = None) -> Tensor:
    """Compute the discrete Fourier transform over the last axis.

    A real tensor has to be cast first; `tf.signal.rfft` is faster for real signals.

    Args:
        input: A complex64 or complex128 tensor of rank 1 or more. Python and NumPy values are
            converted.
        name: Name of the op in a graph.

    Returns:
        A complex tensor of the shape of `input`.

    Example:

        >>> x = tf.constant([1.0, 0.0, 0.0, 0.0], tf.complex64)
        >>> tf.signal.fft(x).numpy().tolist()
        [(1+0j), (1+0j), (1+0j), (1+0j)]
    """
    return ops.fft(_complex(input), name=name)


def ifft(input: TensorLike, name: str | None = None) -> Tensor:
    """Compute the inverse discrete Fourier transform over the last axis.

    Args:
        input: A complex64 or complex128 tensor of rank 1 or more. Python and NumPy values are
            converted.
        name: Name of the op in a graph.

    Returns:
        A complex tensor of the shape of `input`, divided by the number of elements transformed.

    Example:

        >>> x = tf.constant([4.0, 0.0, 0.0, 0.0], tf.complex64)
        >>> tf.signal.ifft(x).numpy().tolist()
        [(1+0j), (1+0j), (1+0j), (1+0j)]
    """
    return ops.ifft(_complex(input), name=name)


def fft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """Compute the discrete Fourier transform over the last two axes.

    Args:
        input: A complex64 or complex128 tensor of rank 2 or more. Python and NumPy values are
            converted.
        name: Name of the op in a graph.

    Returns:
        A complex tensor of the shape of `input`.

    Example:

        >>> tf.signal.fft2d(tf.ones((2, 2), tf.complex64))[0, 0].numpy()
        np.complex64(4+0j)
    """
    return ops.fft2d(_complex(input), name=name)


def ifft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """Compute the inverse discrete Fourier transform over the last two axes.

    Args:
        input: A complex64 or complex128 tensor of rank 2 or more. Python and NumPy values are
            converted.
        name: Name of the op in a graph.

    Returns:
        A complex tensor of the shape of `input`, divided by the number of elements transformed.

    Example:
        >>> x = tf.constant([[1, 2], [3, 4]], tf.complex64)
        >>> tf.signal.ifft2d(tf.signal.fft2d(x)).numpy().real
        array([[1., 2.],
               [3., 4.]], dtype=float32)
    """
    return ops.ifft2d(_complex(input), name=name)


def fft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """Compute the discrete Fourier transform over the last three axes.

    Args:
        input: A complex64 or complex128 tensor of rank 3 or more. Python and NumPy values are
            converted.
        name: Name of the op in a graph.

    Returns:
        A complex tensor of the shape of `input`.

    Example:
        >>> tf.signal.fft3d(tf.ones([1, 1, 2], tf.complex64)).numpy().real
        array([[[2., 0.]]], dtype=float32)
    """
    return ops.fft3d(_complex(input), name=name)


def ifft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """Compute the inverse discrete Fourier transform over the last three axes.

    Args:
        input: A complex64 or complex128 tensor of rank 3 or more. Python and NumPy values are
            converted.
        name: Name of the op in a graph.

    Returns:
        A complex tensor of the shape of `input`, divided by the number of elements transformed.

    Example:
        >>> tf.signal.ifft3d(tf.ones([1, 1, 2], tf.complex64)).numpy().real
        array([[[1., 0.]]], dtype=float32)
    """
    return ops.ifft3d(_complex(input), name=name)


def _complex(value: TensorLike) -> Any:
    if isinstance(value, Tensor):
        return value
    tensor = dispatch.convert(value, None, dtypes.complex64)
    if tensor.dtype.is_complex:
        return tensor
    wide = tensor.dtype is dtypes.float64
    return cast(tensor, DstT=dtypes.complex128 if wide else dtypes.complex64)


# -- of real numbers ---------------------------------------------------------------------------


@scoped("rfft", names_result=True)
def rfft(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Compute the Fourier transform of real signals over the last axis.

    Args:
        input_tensor: A float32 or float64 tensor of rank 1 or more.
        fft_length: The length to zero-pad or truncate to, a list of one. By default the sizes of
            the tensor.
        name: Name of the op in a graph.

    Returns:
        A complex tensor with `n // 2 + 1` frequencies in the last axis: the others are their
        conjugates.

    Raises:
        ValueError: The dtype is another.

    Example:

        >>> tf.signal.rfft([1.0, 0.0, 0.0, 0.0]).numpy().tolist()
        [(1+0j), (1+0j), (1+0j)]
    """
    return _of_real(ops.rfft, 1, input_tensor, fft_length, name)


@scoped("rfft2d", names_result=True)
def rfft2d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Compute the Fourier transform of real signals over the last two axes.

    Args:
        input_tensor: A float32 or float64 tensor of rank 2 or more.
        fft_length: The 2 lengths to zero-pad or truncate to. By default the sizes of the
            tensor.
        name: Name of the op in a graph.

    Returns:
        A complex tensor with `n // 2 + 1` frequencies in the last axis: the others are their
        conjugates.

    Raises:
        ValueError: The dtype is another.

    Example:

        >>> tf.signal.rfft2d(tf.ones((4, 4))).shape
        TensorShape([4, 3])
    """
    return _of_real(ops.rfft2d, 2, input_tensor, fft_length, name)


@scoped("rfft3d", names_result=True)
def rfft3d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Compute the Fourier transform of real signals over the last three axes.

    Args:
        input_tensor: A float32 or float64 tensor of rank 3 or more.
        fft_length: The 3 lengths to zero-pad or truncate to. By default the sizes of the
            tensor.
        name: Name of the op in a graph.

    Returns:
        A complex tensor with `n // 2 + 1` frequencies in the last axis: the others are their
        conjugates.

    Raises:
        ValueError: The dtype is another.

    Example:
        >>> tf.signal.rfft3d(tf.ones([2, 2, 4])).shape
        TensorShape([2, 2, 3])
    """
    return _of_real(ops.rfft3d, 3, input_tensor, fft_length, name)


@scoped("irfft", names_result=True)
def irfft(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Compute the inverse of `rfft`.

    Args:
        input_tensor: A complex tensor of rank 1 or more, with `n // 2 + 1` frequencies in the last
            axis.
        fft_length: The length to restore, a list of one. Pass it for an odd length:
            an even one is assumed.
        name: Name of the op in a graph.

    Returns:
        A real tensor.

    Raises:
        ValueError: The tensor is not complex.

    Example:

        >>> spectrum = tf.signal.rfft([1.0, 2.0, 3.0])
        >>> tf.signal.irfft(spectrum, fft_length=[3]).numpy().round(3).tolist()
        [1.0, 2.0, 3.0]
    """
    return _to_real(ops.irfft, 1, input_tensor, fft_length, name)


@scoped("irfft2d", names_result=True)
def irfft2d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Compute the inverse of `rfft2d`.

    Args:
        input_tensor: A complex tensor of rank 2 or more, with `n // 2 + 1` frequencies in the last
            axis.
        fft_length: The 2 lengths to restore. Pass it for an odd length:
            an even one is assumed.
        name: Name of the op in a graph.

    Returns:
        A real tensor.

    Raises:
        ValueError: The tensor is not complex.

    Example:
        >>> tf.signal.irfft2d(tf.signal.rfft2d(tf.constant([[1.0, 2.0], [3.0, 4.0]]))).numpy()
        array([[1., 2.],
               [3., 4.]], dtype=float32)
    """
    return _to_real(ops.irfft2d, 2, input_tensor, fft_length, name)


@scoped("irfft3d", names_result=True)
def irfft3d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Compute the inverse of `rfft3d`.

    Args:
        input_tensor: A complex tensor of rank 3 or more, with `n // 2 + 1` frequencies in the last
            axis.
        fft_length: The 3 lengths to restore. Pass it for an odd length:
            an even one is assumed.
        name: Name of the op in a graph.

    Returns:
        A real tensor.

    Raises:
        ValueError: The tensor is not complex.

    Example:
        >>> tf.signal.irfft3d(tf.ones([2, 2, 3], tf.complex64)).shape
        TensorShape([2, 2, 4])
    """
    return _to_real(ops.irfft3d, 3, input_tensor, fft_length, name)


def _real_dtype(value: Any) -> DType:
    """Return the real dtype of a transform's input; raise ValueError if there is none."""
    if value.dtype not in _COMPLEX_OF:
        raise ValueError(f"The input must be of dtype float32 or float64, got {value.dtype!r}.")
    return value.dtype


def _complex_dtype(value: Any) -> DType:
    if not value.dtype.is_complex:
        raise ValueError(f"Expected a complex input, received {value.dtype!r}.")
    return value.dtype


def _of_real(op: Any, rank: int, value: Any, fft_length: Any, name: str | None) -> Any:
    data = dispatch.convert(value, None, dtypes.float32)
    dtype = _COMPLEX_OF[_real_dtype(data)]
    data.shape.with_rank_at_least(rank)
    if fft_length is None:
        lengths = _last_sizes(data, rank)
    else:
        lengths = dispatch.convert(fft_length, dtypes.int32)
        data = _filled_up(data, lengths, rank)
    return op(data, lengths, Tcomplex=dtype, name=name)


def _to_real(op: Any, rank: int, value: Any, fft_length: Any, name: str | None) -> Any:
    data = dispatch.convert(value, None, dtypes.complex64)
    dtype = _complex_dtype(data).real_dtype
    data.shape.with_rank_at_least(rank)
    if fft_length is None:
        sizes = _last_sizes(data, rank)
        last = get_item(sizes, slice(-1, None))
        whole = maximum(mul(sub(last, scalar(1, last)), scalar(2, last)), scalar(0, last))
        first = get_item(sizes, slice(None, -1))
        lengths = concat_v2([first, whole], scalar_int(0)) if rank > 1 else whole
    else:
        lengths = dispatch.convert(fft_length, dtypes.int32)
        last = get_item(lengths, slice(-1, None))
        half = sub(floor_div(last, scalar(2, last)), scalar(-1, last))
        first = get_item(lengths, slice(None, -1))
        needed = concat_v2([first, half], scalar_int(0)) if rank > 1 else half
        data = _filled_up(data, needed, rank)
    return op(data, lengths, Treal=dtype, name=name)


def _last_sizes(data: Any, rank: int) -> Any:
    dims = data.shape.dims if data.shape.rank is None else data.shape.as_list()[-rank:]
    if dims is not None and None not in dims:
        return static_ints(tuple(dims))
    return get_item(shape_of(data), slice(-rank, None))


def _filled_up(data: Any, lengths: Any, rank: int) -> Any:
    """Zero-pad the last axes to the transform lengths."""
    total = data.shape.rank
    static_lengths = lengths.static_value
    if total is None:
        raise ValueError("A transform with fft_length needs an input of known rank.")
    static_sizes = data.shape.as_list()[-rank:]
    if static_lengths is not None and None not in static_sizes:
        after = [max(0, int(n) - h) for n, h in zip(static_lengths, static_sizes)]
        if not any(after):
            return data
        return pad(data, [[0, 0]] * (total - rank) + [[0, n] for n in after])
    sizes = get_item(shape_of(data), slice(-rank, None))
    missing = maximum(sub(lengths, sizes), scalar(0, sizes))
    before = static_ints((0,) * (total - rank))
    after_all = concat_v2([before, missing], scalar_int(0))
    return pad(data, pack([mul(after_all, scalar(0, after_all)), after_all], axis=1))


# -- over any axes -----------------------------------------------------------------------------


@scoped("fftnd", names_result=True)
def fftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Axis | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the discrete Fourier transform over `axes`, by default all.

    Args:
        input_tensor: A complex tensor. Python and NumPy values are converted.
        fft_length: The lengths to zero-pad or truncate `axes` to; the sizes of the tensor by
            default.
        axes: The axes; by default all, or as many of the last as there are lengths.
        norm: Which direction is scaled: None or "backward" (the inverse, by `1 / n`), "ortho"
            (both, by `1 / sqrt(n)`) or "forward".
        name: Name of the op in a graph.

    Returns:
        A complex tensor.

    Raises:
        ValueError: `norm` is unknown.

    Example:

        >>> tf.signal.fftnd(tf.ones((2, 2), tf.complex64)).numpy().tolist()
        [[(4+0j), 0j], [0j, 0j]]
    """
    data, lengths, axes = _nd_arguments(_complex(input_tensor), fft_length, axes, 0)
    return ops.fftnd(_scaled(data, lengths, norm, inverse=False), lengths, axes, name=name)


@scoped("ifftnd", names_result=True)
def ifftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Axis | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the inverse discrete Fourier transform over `axes`, by default all.

    Args:
        input_tensor: A complex tensor. Python and NumPy values are converted.
        fft_length: The lengths to zero-pad or truncate `axes` to; the sizes of the tensor by
            default.
        axes: The axes; by default all, or as many of the last as there are lengths.
        norm: Which direction is scaled: None or "backward" (the inverse, by `1 / n`), "ortho"
            (both, by `1 / sqrt(n)`) or "forward".
        name: Name of the op in a graph.

    Returns:
        A complex tensor.

    Raises:
        ValueError: `norm` is unknown.
    """
    data, lengths, axes = _nd_arguments(_complex(input_tensor), fft_length, axes, 0)
    return ops.ifftnd(_scaled(data, lengths, norm, inverse=True), lengths, axes, name=name)


@scoped("rfftnd", names_result=True)
def rfftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Axis | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the Fourier transform of real signals over `axes`; the last one is halved.

    Args:
        input_tensor: A float32 or float64 tensor.
        fft_length: The lengths to zero-pad or truncate `axes` to; the sizes of the tensor by
            default.
        axes: The axes; by default all, or as many of the last as there are lengths.
        norm: Which direction is scaled: None or "backward" (the inverse, by `1 / n`), "ortho"
            (both, by `1 / sqrt(n)`) or "forward".
        name: Name of the op in a graph.

    Returns:
        A complex tensor with `n // 2 + 1` frequencies in the last of the axes.

    Raises:
        ValueError: `norm` is unknown, or the dtype is another.

    Example:

        >>> tf.signal.rfftnd(tf.ones((4, 6))).shape
        TensorShape([4, 4])
    """
    data = dispatch.convert(input_tensor, None, dtypes.float32)
    dtype = _COMPLEX_OF[_real_dtype(data)]
    data, lengths, axes = _nd_arguments(data, fft_length, axes, 0)
    data = _scaled(data, lengths, norm, inverse=False)
    return ops.rfftnd(data, lengths, axes, Tcomplex=dtype, name=name)


@scoped("irfftnd", names_result=True)
def irfftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Axis | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the inverse of `rfftnd`.

    Args:
        input_tensor: A complex tensor.
        fft_length: The lengths to zero-pad or truncate `axes` to; the sizes of the tensor by
            default.
        axes: The axes; by default all, or as many of the last as there are lengths.
        norm: Which direction is scaled: None or "backward" (the inverse, by `1 / n`), "ortho"
            (both, by `1 / sqrt(n)`) or "forward".
        name: Name of the op in a graph.

    Returns:
        A real tensor.

    Raises:
        ValueError: `norm` is unknown, or the tensor is not complex.
    """
    data = dispatch.convert(input_tensor, None, dtypes.complex64)
    dtype = _complex_dtype(data).real_dtype
    data, lengths, axes = _nd_arguments(data, fft_length, axes, 1)
    data = _scaled(data, lengths, norm, inverse=True)
    return ops.irfftnd(data, lengths, axes, Treal=dtype, name=name)


def _nd_arguments(data: Any, fft_length: Any, axes: Any, missing: int) -> tuple[Any, Any, Any]:
    """Return the input, lengths and axes of a transform, with defaults filled in.

    `missing` is 1 where the last axis has only half of the frequencies.
    """
    data = dispatch.convert(data)
    rank = data.shape.rank
    if rank is None:
        raise ValueError("A transform over some axes needs an input of known rank.")
    if axes is None:
        count = rank
        if fft_length is not None:
            count = int(dispatch.convert(fft_length, dtypes.int32).shape[0])
        axes = list(range(rank - count, rank))
    axes_tensor = dispatch.convert(axes, dtypes.int32)
    if fft_length is not None:
        return data, dispatch.convert(fft_length, dtypes.int32), axes_tensor
    positive = (
        [int(a) % rank for a in axes_tensor.static_value]
        if axes_tensor.static_value is not None
        else None
    )
    where = axes_tensor if positive is None else static_ints(tuple(positive))
    lengths = gather_v2(shape_of(data), where, scalar_int(0))
    if missing:
        last = get_item(lengths, slice(-1, None))
        whole = mul(sub(last, scalar(1, last)), scalar(2, last))
        lengths = concat_v2([get_item(lengths, slice(None, -1)), whole], scalar_int(0))
    return data, lengths, axes_tensor


_NORMS = (None, "backward", "ortho", "forward")


def _scaled(data: Any, lengths: Any, norm: str | None, inverse: bool) -> Any:
    """Scale the input so that the transform is normalised according to `norm`.

    The ops divide by the size in the inverse alone, as they should if it is None.
    """
    if norm not in _NORMS:
        raise ValueError(f"norm must be one of 'backward', 'ortho' and 'forward', got {norm!r}")
    if norm in (None, "backward"):
        return data
    count = cast(prod(lengths, static_ints((0,))), DstT=data.dtype.real_dtype)
    # The forward transform is multiplied by this, the inverse divided by it.
    scale = rsqrt(count) if norm == "ortho" else reciprocal(count)
    factor = reciprocal(scale) if inverse else scale
    return mul(data, cast(factor, DstT=data.dtype))


# -- order of the frequencies ------------------------------------------------------------------
