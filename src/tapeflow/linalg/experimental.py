"""`tf.linalg.experimental`: the conjugate gradient method."""

from tapeflow._src.api.linalg.experimental import conjugate_gradient as conjugate_gradient
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
