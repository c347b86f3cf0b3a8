"""Sorted segments whose number is given, as compiled code needs it."""

from __future__ import annotations

from tapeflow.ops.older.renaming import renamed
from tapeflow.ops.segment import (
    unsorted_segment_max,
    unsorted_segment_min,
    unsorted_segment_prod,
)
from tapeflow.ops.segment_sum import unsorted_segment_sum

# Ids that are sorted already are as good as any others.
segment_sum_v2 = renamed("SegmentSumV2", unsorted_segment_sum)
segment_prod_v2 = renamed("SegmentProdV2", unsorted_segment_prod)
segment_max_v2 = renamed("SegmentMaxV2", unsorted_segment_max)
segment_min_v2 = renamed("SegmentMinV2", unsorted_segment_min)
