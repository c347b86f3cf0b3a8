"""`tf.xla`: compilation by XLA."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow.xla import experimental as experimental

_explain_missing(__name__)
