"""Whether the behaviour of TensorFlow 2 is in force."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.internal.tf2 import enabled as enabled

_explain_missing(__name__)
