"""`tf.tpu`: names that programs refer to; there are no TPUs here."""

from tapeflow._src.api.tpu import XLAOptions as XLAOptions
from tapeflow._src.api.tpu import experimental as experimental
