"""`tf.clip_by_value`, `tf.clip_by_norm` and related functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow._src.api.math.reduction import reduce_sum
from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import float32
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import Axis, TensorLike
from tapeflow._src.eager.fused import fused
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.indexed_slices import IndexedSlices
from tapeflow._src.ops.math.arithmetic import add_n, add_v2, mul, real_div, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import greater
from tapeflow._src.ops.math.elementwise import scalar, sqrt, square
from tapeflow._src.ops.math.extremes import maximum, minimum
from tapeflow._src.ops.nn.bias import l2_loss


@scoped("clip_by_value", names_result=True)
def clip_by_value(
    t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None
) -> Tensor:
    """Clip the elements of `t` to `[clip_value_min, clip_value_max]`.

    The gradient is zero where an element is clipped.

    Args:
        t: A real tensor, or `tf.IndexedSlices`.
        clip_value_min: The lower bound; a scalar, or a tensor that broadcasts to `t`.
        clip_value_max: The upper bound.
        name: Name of the op in a graph.

    Returns:
        A value of the shape and dtype of `t`.

    Raises:
        ValueError: The bounds would broadcast `t` to another shape.

    Example:

        >>> tf.clip_by_value([-3, 1, 9], 0, 5).numpy().tolist()
        [0, 1, 5]
    """
    values = _values(t)
    _require_same_shape(values, below := minimum(values, clip_value_max))
    _require_same_shape(values, clipped := maximum(below, clip_value_min, name=name))
    return _rewrap(t, clipped)


@scoped("clip_by_norm", names_result=True)
@fused
def clip_by_norm(
    t: Any, clip_norm: Any, axes: Axis | None = None, name: str | None = None
) -> Tensor:
    """Scale `t` so that its L2 norm along `axes` is at most `clip_norm`.

    A tensor of a smaller norm is unchanged, and directions always are.

    Args:
        t: A floating-point tensor, or `tf.IndexedSlices`.
        clip_norm: The largest norm, a scalar.
        axes: The axes over which norms are taken; all by default.
        name: Name of the op in a graph.

    Returns:
        A value of the shape and dtype of `t`.

    Example:

        >>> tf.clip_by_norm([3.0, 4.0], 1.0).numpy().round(2).tolist()
        [0.6000000238418579, 0.800000011920929]
        >>> tf.clip_by_norm([[3.0, 4.0], [0.3, 0.4]], 5.0, axes=[1]).numpy().round(2).tolist()
        [[3.0, 4.0], [0.30000001192092896, 0.4000000059604645]]
    """
    values = _values(t)
    squared = reduce_sum(square(values), axes, keepdims=True)
    # The slope of sqrt at 0 is infinite; there the norm is 0 as well.
    positive = greater(squared, scalar(0, squared))
    norm = select_v2(positive, sqrt(select_v2(positive, squared, scalar(1, squared))), squared)
    bound = maximum(dispatch.convert(clip_norm, None, values.dtype), scalar(0, values))
    scaled = mul(values, bound)
    _require_same_shape(values, scaled)
    return _rewrap(t, real_div(scaled, maximum(norm, bound), name=name))


@scoped("global_norm")
def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """Compute the L2 norm of all elements of all tensors; None entries are skipped.

    Args:
        t_list: A list of floating-point tensors, `tf.IndexedSlices` or None.
        name: Name of the op in a graph.

    Returns:
        A scalar tensor; 0 for an empty list.

    Raises:
        TypeError: `t_list` is not a sequence.

    Example:

        >>> tf.linalg.global_norm([tf.constant([3.0]), None, tf.constant([[4.0]])]).numpy()
        np.float32(5.0)
    """
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError(f"t_list must be a sequence of tensors, received {type(t_list).__name__}.")
    halves = [l2_loss(_values(t)) for t in t_list if t is not None]
    if not halves:
        return dispatch.convert(0.0, float32)
    return sqrt(mul(add_n(halves), scalar(2, halves[0])), name="global_norm")


def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """Scale tensors by one factor so that their global norm is at most `clip_norm`.

    All gradients of a step keep their proportions, unlike with `tf.clip_by_norm` on each. A norm
    that is infinite or NaN makes every result NaN, so that the error is noticed.

    Args:
        t_list: Tensors, `IndexedSlices` or None.
        clip_norm: The largest global norm.
        use_norm: The global norm, if it has been computed already.
        name: Name of the op in a graph.

    Returns:
        The list of scaled tensors, and the global norm before scaling.

    Example:

        >>> clipped, norm = tf.clip_by_global_norm([tf.constant([6.0]), tf.constant([8.0])], 5.0)
        >>> [tensor.numpy().tolist() for tensor in clipped], norm.numpy()
        ([[3.0], [4.0]], np.float32(10.0))
    """
    norm = global_norm(t_list, name) if use_norm is None else dispatch.convert(use_norm)
    return _shrunk(t_list, clip_norm, norm, name=name), norm


@scoped("clip_by_global_norm", names_result=True)
def _shrunk(t_list: Any, clip_norm: Any, norm: Any, name: str | None = None) -> list[Any]:
    """Scale the tensors, whose global norm is `norm`, to `clip_norm`."""
    one = scalar(1, norm)
    shrink = minimum(real_div(one, norm), real_div(one, dispatch.convert(clip_norm, norm.dtype)))
    factor = add_v2(mul(clip_norm, shrink), sub(norm, norm))
    return [
        None if t is None else _rewrap(t, _scaled(_values(t), factor, f"{name}_{index}"))
        for index, t in enumerate(t_list)
    ]


def _scaled(values: Any, factor: Any, name: str) -> Any:
    """Multiply `values` by a factor, which is cast to their dtype."""
    if values.dtype is not factor.dtype:
        factor = cast(factor, DstT=values.dtype)
    return mul(values, factor, name=name)


def _values(t: Any) -> Any:
    return t.values if isinstance(t, IndexedSlices) else dispatch.operand(t)


def _rewrap(t: Any, values: TensorLike) -> Any:
    """Wrap `values` as `IndexedSlices` if `t` is, else return them."""
    return (
        IndexedSlices(values, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else values
    )


def _require_same_shape(values: Any, result: Any) -> None:
    if not values.shape.is_compatible_with(result.shape):
        raise ValueError(f"Shapes {values.shape} and {result.shape} are incompatible")
