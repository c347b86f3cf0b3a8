"""`tf.autodiff`: the two ways to differentiate."""

from tapeflow.gradients.forward import ForwardAccumulator as ForwardAccumulator
from tapeflow.gradients.tape import GradientTape as GradientTape
