"""`tf.experimental.dlpack`: tensors handed to other libraries, and taken from them."""

from tapeflow._src.api.experimental.dlpack import from_dlpack as from_dlpack
from tapeflow._src.api.experimental.dlpack import to_dlpack as to_dlpack
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
