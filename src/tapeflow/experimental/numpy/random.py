"""`tf.experimental.numpy.random`: NumPy's names for TensorFlow's random numbers."""

from tapeflow._src.api.experimental.numpy.random import poisson as poisson
from tapeflow._src.api.experimental.numpy.random import rand as rand
from tapeflow._src.api.experimental.numpy.random import randint as randint
from tapeflow._src.api.experimental.numpy.random import randn as randn
from tapeflow._src.api.experimental.numpy.random import random as random
from tapeflow._src.api.experimental.numpy.random import seed as seed
from tapeflow._src.api.experimental.numpy.random import standard_normal as standard_normal
from tapeflow._src.api.experimental.numpy.random import uniform as uniform
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
