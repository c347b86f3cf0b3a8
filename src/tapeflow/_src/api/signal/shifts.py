"""`tf.signal`: shifts that move the zero frequency to the middle of a spectrum, and back."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import Axis, TensorLike
from tapeflow._src.ops.array.common import range_, scalar_int, shape_of
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.shape import rank as rank_of
from tapeflow._src.ops.array.transpose import roll
from tapeflow._src.ops.math.arithmetic import floor_div, neg
from tapeflow._src.ops.math.elementwise import scalar


@scoped("fftshift", names_result=True)
def fftshift(x: TensorLike, axes: Axis | None = None, name: str | None = None) -> Tensor:
    """Shift the zero frequency to the centre.

    Args:
        x: A tensor of spectra.
        axes: The axes to shift; all by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `x`.

    Example:

        >>> tf.signal.fftshift([0, 1, 2, -2, -1]).numpy().tolist()
        [-2, -1, 0, 1, 2]
    """
    return _rolled(x, axes, name, inverse=False)


@scoped("ifftshift", names_result=True)
def ifftshift(x: TensorLike, axes: Axis | None = None, name: str | None = None) -> Tensor:
    """Undo `fftshift`.

    Args:
        x: A tensor of spectra.
        axes: The axes to shift; all by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `x`.

    Example:

        >>> tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy().tolist()
        [0, 1, 2, -2, -1]
    """
    return _rolled(x, axes, name, inverse=True)


def _rolled(x: Any, axes: Any, name: str | None, inverse: bool) -> Any:
    x = dispatch.convert(x)
    sizes = shape_of(x)
    if axes is None:
        axes = range_(scalar_int(0), rank_of(x), scalar_int(1))
    else:
        if isinstance(axes, int):
            axes = [axes]
        rank = x.shape.rank
        if rank is not None and not hasattr(axes, "dtype"):
            axes = [axis % rank for axis in axes]
        axes = dispatch.convert(axes, dtypes.int32)
        sizes = gather_v2(sizes, axes, scalar_int(0))
    half = floor_div(sizes, scalar(2, sizes))
    return roll(x, neg(half) if inverse else half, axes, name=name)
