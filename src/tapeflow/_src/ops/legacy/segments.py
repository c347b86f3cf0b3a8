"""Reductions of sorted segments with an explicit number of segments, as compiled code needs it."""

from __future__ import annotations

from tapeflow._src.ops.legacy.renaming import renamed
from tapeflow._src.ops.math.segment import (
    unsorted_segment_max,
    unsorted_segment_min,
    unsorted_segment_prod,
)
from tapeflow._src.ops.math.segment_sum import unsorted_segment_sum

# Ids that are sorted already are as good as any others.
segment_sum_v2 = renamed("SegmentSumV2", unsorted_segment_sum)
segment_prod_v2 = renamed("SegmentProdV2", unsorted_segment_prod)
segment_max_v2 = renamed("SegmentMaxV2", unsorted_segment_max)
segment_min_v2 = renamed("SegmentMinV2", unsorted_segment_min)
