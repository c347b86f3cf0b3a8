"""`tf.xla.experimental`: older ways to have a part of a program compiled."""

from tapeflow._src.api.xla.experimental import compile as compile
from tapeflow._src.api.xla.experimental import jit_scope as jit_scope
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
