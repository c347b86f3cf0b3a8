"""`tf.config.optimizer`: what is done to graphs before they run."""

from tapeflow._src.api.config.optimizer import get_experimental_options as get_experimental_options
from tapeflow._src.api.config.optimizer import get_jit as get_jit
from tapeflow._src.api.config.optimizer import set_experimental_options as set_experimental_options
from tapeflow._src.api.config.optimizer import set_jit as set_jit
