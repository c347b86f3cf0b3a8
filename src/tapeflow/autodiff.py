"""`tf.autodiff`: the two ways to differentiate."""

from tapeflow._src.gradients.forward import ForwardAccumulator as ForwardAccumulator
from tapeflow._src.gradients.tape import GradientTape as GradientTape
