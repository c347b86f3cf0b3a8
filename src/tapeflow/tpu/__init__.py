"""`tf.tpu`: names that programs refer to; there are no TPUs here."""

from tapeflow._src.api.tpu import XLAOptions as XLAOptions
from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow.tpu import experimental as experimental

_explain_missing(__name__)
