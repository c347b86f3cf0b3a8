"""Legacy ops, which later versions have replaced: old graphs still contain them."""

from tapeflow._src.ops.legacy import arrays as arrays
from tapeflow._src.ops.legacy import cells as cells
from tapeflow._src.ops.legacy import convolutions as convolutions
from tapeflow._src.ops.legacy import diagonals as diagonals
from tapeflow._src.ops.legacy import images as images
from tapeflow._src.ops.legacy import matrices as matrices
from tapeflow._src.ops.legacy import normalization as normalization
from tapeflow._src.ops.legacy import parsing as parsing
from tapeflow._src.ops.legacy import pooling as pooling
from tapeflow._src.ops.legacy import quantization as quantization
from tapeflow._src.ops.legacy import ragged as ragged
from tapeflow._src.ops.legacy import segments as segments
from tapeflow._src.ops.legacy import variables as variables
