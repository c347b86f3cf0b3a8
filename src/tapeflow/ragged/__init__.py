"""`tf.ragged`: tensors with rows of different lengths."""

from tapeflow._src.api.ragged.constants import constant as constant
from tapeflow._src.api.ragged.crossing import cross as cross
from tapeflow._src.api.ragged.crossing import cross_hashed as cross_hashed
from tapeflow._src.api.ragged.joining import stack as stack
from tapeflow._src.api.ragged.joining import stack_dynamic_partitions as stack_dynamic_partitions
from tapeflow._src.api.ragged.mapping import boolean_mask as boolean_mask
from tapeflow._src.api.ragged.mapping import map_flat_values as map_flat_values
from tapeflow._src.api.ragged.ranges import range as range
from tapeflow._src.api.ragged.ranges import row_splits_to_segment_ids as row_splits_to_segment_ids
from tapeflow._src.api.ragged.ranges import segment_ids_to_row_splits as segment_ids_to_row_splits
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
