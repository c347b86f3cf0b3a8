"""Ops that later versions have taken the place of: graphs saved long ago still hold them."""

from tapeflow.ops.older import arrays as arrays
from tapeflow.ops.older import cells as cells
from tapeflow.ops.older import convolutions as convolutions
from tapeflow.ops.older import diagonals as diagonals
from tapeflow.ops.older import images as images
from tapeflow.ops.older import matrices as matrices
from tapeflow.ops.older import normalization as normalization
from tapeflow.ops.older import parsing as parsing
from tapeflow.ops.older import pooling as pooling
from tapeflow.ops.older import quantization as quantization
from tapeflow.ops.older import ragged as ragged
from tapeflow.ops.older import segments as segments
from tapeflow.ops.older import variables as variables
