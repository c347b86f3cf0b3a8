"""`tf.ragged`: tensors with rows of different lengths."""

from tapeflow.ops.ragged import along_rows as _along_rows  # noqa: F401  declares ragged forms
from tapeflow.ops.ragged import elementwise as _elementwise  # noqa: F401
from tapeflow.ops.ragged import gathering as _gathering  # noqa: F401
from tapeflow.ops.ragged import joining as _joining  # noqa: F401
from tapeflow.ops.ragged import parting as _parting  # noqa: F401
from tapeflow.ops.ragged import products as _products  # noqa: F401
from tapeflow.ops.ragged import reductions as _reductions  # noqa: F401
from tapeflow.ops.ragged import shaped as _shaped  # noqa: F401
from tapeflow.ops.ragged import shaping as _shaping  # noqa: F401
from tapeflow.ragged.constants import constant as constant
from tapeflow.ragged.crossing import cross as cross
from tapeflow.ragged.crossing import cross_hashed as cross_hashed
from tapeflow.ragged.joining import stack as stack
from tapeflow.ragged.joining import stack_dynamic_partitions as stack_dynamic_partitions
from tapeflow.ragged.mapping import boolean_mask as boolean_mask
from tapeflow.ragged.mapping import map_flat_values as map_flat_values
from tapeflow.ragged.ranges import range as range
from tapeflow.ragged.ranges import row_splits_to_segment_ids as row_splits_to_segment_ids
from tapeflow.ragged.ranges import segment_ids_to_row_splits as segment_ids_to_row_splits
