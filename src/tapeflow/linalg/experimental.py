"""`tf.linalg.experimental`: the conjugate gradient method."""

from tapeflow._src.api.linalg.experimental import conjugate_gradient as conjugate_gradient
