"""Batched non-maximum suppression with padded results, from ops that XLA compiles."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.arrays.slicing import gather, where
from tapeflow._src.api.control_flow.looping import while_loop
from tapeflow._src.api.math.reduction import reduce_any, reduce_sum
from tapeflow._src.api.math.sorting import argsort, top_k
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import float32, int32
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.filling import ones_like, zeros_like
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.pad_slice import pad
from tapeflow._src.ops.array.ranges import range_
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.shape import expand_dims, reshape, scalar_int, shape_of, static_ints
from tapeflow._src.ops.array.stacking import pack, unpack
from tapeflow._src.ops.math.arithmetic import sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import greater, greater_equal, less, not_equal
from tapeflow._src.ops.math.extremes import maximum, minimum
from tapeflow._src.ops.math.logical import logical_and, logical_not

# Keeps boxes without an area from dividing by zero.
_LEAST_UNION = 1e-8


@scoped("non_max_suppression_padded")
def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> Any:
    """Select boxes of each image; return indices padded with zeros, and how many are valid.

    Args:
        boxes: `[..., boxes, 4]`: `[y1, x1, y2, x2]`.
        scores: `[..., boxes]`.
        max_output_size: The largest number of boxes to select.
        iou_threshold: Boxes that overlap more (intersection over union) are dropped.
        score_threshold: Boxes with a lower score are dropped.
        pad_to_max_output_size: Whether to pad the indices; needed for batches.
        sorted_input: Whether boxes are sorted by descending score already.
        canonicalized_coordinates: Whether y1 <= y2 and x1 <= x2 hold already.
        tile_size: Accepted for compatibility: boxes are compared all at once.

    Returns:
        The indices, and the number of valid ones.
    """
    boxes, scores = convert(boxes), convert(scores)
    is_batch = boxes.static_shape is not None and len(boxes.static_shape) > 2
    if is_batch and not pad_to_max_output_size:
        raise ValueError(
            f"A batch of boxes, of shape {boxes.shape}, needs pad_to_max_output_size=True, as "
            f"images may keep different numbers of boxes. Received: {pad_to_max_output_size}"
        )
    outer = shape_of(boxes)[:-2]
    count = shape_of(boxes)[-2]
    most = cast(convert(max_output_size, int32), DstT=int32)
    boxes = reshape(boxes, pack([scalar_int(-1), count, scalar_int(4)]))
    scores = reshape(scores, pack([scalar_int(-1), count]))
    boxes, scores = _zero_below_threshold(boxes, scores, score_threshold)
    if not canonicalized_coordinates:
        boxes = _canonical(boxes)
    order = None
    if not sorted_input:
        order = argsort(scores, axis=1, direction="DESCENDING", stable=True)
        boxes = gather(boxes, order, axis=1, batch_dims=1)
    selected, valid = _first_selected(cast(boxes, DstT=float32), count, most, iou_threshold)
    if order is not None:
        selected = gather(order, selected, axis=1, batch_dims=1)
    positions = range_(scalar_int(0), most, scalar_int(1))
    selected = where(
        less(positions, expand_dims(valid, scalar_int(1))), selected, zeros_like(selected)
    )
    if pad_to_max_output_size:
        shape = concat_v2([outer, reshape(most, static_ints((1,)))], scalar_int(0))
        return reshape(selected, shape), reshape(valid, outer)
    return selected[0, : valid[0]], reshape(valid, outer)


def _zero_below_threshold(boxes: Any, scores: Any, threshold: Any) -> tuple[Any, Any]:
    """Zero the boxes and scores below the score threshold."""
    if isinstance(threshold, float) and threshold == float("-inf"):
        return boxes, scores
    passed = greater(scores, convert(threshold, scores.dtype))
    scores = scores * cast(passed, DstT=scores.dtype)
    return boxes * expand_dims(cast(passed, DstT=boxes.dtype), scalar_int(2)), scores


def _canonical(boxes: TensorLike) -> Any:
    """Order the corners of boxes; the first box decides whether they are swapped."""
    y1, x1, y2, x2 = unpack(boxes, num=4, axis=2)
    down, along = y1[0, 0] <= y2[0, 0], x1[0, 0] <= x2[0, 0]
    rows = select_v2(down, y1, y2), select_v2(down, y2, y1)
    columns = select_v2(along, x1, x2), select_v2(along, x2, x1)
    return pack([rows[0], columns[0], rows[1], columns[1]], axis=2)


def _overlaps(boxes: Any) -> Any:
    """Compute the pairwise intersection over union: `[batch, boxes, boxes]`."""
    ends = [expand_dims(e, scalar_int(2)) for e in unpack(boxes, num=4, axis=2)]
    others = [expand_dims(e, scalar_int(1)) for e in unpack(boxes, num=4, axis=2)]
    zero = convert(0.0, boxes.dtype)
    height = sub(minimum(ends[2], others[2]), maximum(ends[0], others[0]))
    width = sub(minimum(ends[3], others[3]), maximum(ends[1], others[1]))
    shared = maximum(width, zero) * maximum(height, zero)
    areas = (ends[2] - ends[0]) * (ends[3] - ends[1])
    other_areas = (others[2] - others[0]) * (others[3] - others[1])
    return shared / (areas + other_areas - shared + _LEAST_UNION)


def _first_selected(
    boxes: TensorLike, count: Any, most: Any, iou_threshold: Any
) -> tuple[Any, Any]:
    """Return the indices of the first selected boxes, in order, and how many are valid."""
    missing = sub(maximum(count, most), count)
    widths = pack([0, 0, 0, missing, 0, 0])
    boxes = pad(boxes, reshape(widths, static_ints((3, 2))))
    total = shape_of(boxes)[1]
    number = range_(scalar_int(0), total, scalar_int(1))
    before = less(expand_dims(number, scalar_int(1)), number)
    overlaps = _overlaps(boxes)
    limit = convert(iou_threshold, overlaps.dtype)
    conflicts = logical_and(greater_equal(overlaps, limit), greater(overlaps, 0.0))
    selected = _resolve_conflicts(logical_and(conflicts, before))
    # A box without any positive coordinate stands for none.
    real = logical_and(selected, reduce_any(greater(boxes, 0.0), axis=2))
    valid = minimum(reduce_sum(cast(real, DstT=int32), axis=1), most)
    falling = sub(total, number)
    best = top_k(cast(real, DstT=int32) * falling, most)[0]
    return minimum(sub(total, best), sub(count, 1)), valid


def _resolve_conflicts(conflicts: Any) -> Any:
    """Compute which boxes are selected; a selected box drops each worse one that it overlaps.

    Iterates to a fixed point: the first box is right from the start, and each round settles at
    least
    one more.
    """

    def next_guess(_: Any, guess: Any) -> Any:
        dropped = reduce_any(logical_and(expand_dims(guess, scalar_int(2)), conflicts), axis=1)
        return guess, logical_not(dropped)

    everyone = ones_like(conflicts[:, 0])
    nobody = zeros_like(everyone)
    _, selected = while_loop(
        lambda last, guess: reduce_any(not_equal(last, guess)), next_guess, (nobody, everyone)
    )
    return selected
