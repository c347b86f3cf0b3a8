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
from tapeflow._src.composite.ragged import along_rows as _along_rows  # noqa: F401  registers ragged ops
from tapeflow._src.composite.ragged import elementwise as _elementwise  # noqa: F401
from tapeflow._src.composite.ragged import gathering as _gathering  # noqa: F401
from tapeflow._src.composite.ragged import joining as _joining  # noqa: F401
from tapeflow._src.composite.ragged import products as _products  # noqa: F401
from tapeflow._src.composite.ragged import reductions as _reductions  # noqa: F401
from tapeflow._src.composite.ragged import reshaping as _shaping  # noqa: F401
from tapeflow._src.composite.ragged import splitting as _parting  # noqa: F401
from tapeflow._src.composite.ragged import with_shape as _shaped  # noqa: F401
