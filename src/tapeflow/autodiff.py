"""`tf.autodiff`: the two ways to differentiate."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.gradients.forward import ForwardAccumulator as ForwardAccumulator
from tapeflow._src.gradients.tape import GradientTape as GradientTape

_explain_missing(__name__)
