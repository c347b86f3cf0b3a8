"""oneDNN for NumPy arrays: what it computes faster than NumPy or XLA, in TensorFlow's layouts.

C-contiguous arrays are used in place; others are copied first. The library is opened by the first
call. Plans for the most recently used shapes are cached.
"""

from __future__ import annotations

from tapeflow._src.backends.onednn_conv import conv_backward_filter as conv_backward_filter
from tapeflow._src.backends.onednn_conv import conv_backward_input as conv_backward_input
from tapeflow._src.backends.onednn_conv import conv_forward as conv_forward
from tapeflow._src.backends.onednn_conv import supports as supports
from tapeflow._src.backends.onednn_library import OneDnnError as OneDnnError
from tapeflow._src.backends.onednn_library import OneDnnUnavailableError as OneDnnUnavailableError
from tapeflow._src.backends.onednn_library import available as available
from tapeflow._src.backends.onednn_norm import batch_norm_backward as batch_norm_backward
from tapeflow._src.backends.onednn_norm import batch_norm_forward as batch_norm_forward
from tapeflow._src.backends.onednn_norm import batch_norm_pays as batch_norm_pays
from tapeflow._src.backends.onednn_plan import num_threads as num_threads
from tapeflow._src.backends.onednn_plan import set_num_threads as set_num_threads
from tapeflow._src.backends.onednn_pool import avg_pool_backward as avg_pool_backward
from tapeflow._src.backends.onednn_pool import avg_pool_forward as avg_pool_forward
from tapeflow._src.backends.onednn_pool import max_pool_backward as max_pool_backward
from tapeflow._src.backends.onednn_pool import max_pool_forward as max_pool_forward
