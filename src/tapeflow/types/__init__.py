"""`tf.types`: types for annotations, and for values of one's own as arguments of functions."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow.types import experimental as experimental

_explain_missing(__name__)
