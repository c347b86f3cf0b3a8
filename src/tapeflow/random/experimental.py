"""`tf.random.experimental`: earlier names of what is now in `tf.random`, and shuffles."""

from tapeflow._src.api.random.algorithm import Algorithm as Algorithm
from tapeflow._src.api.random.generator import Generator as Generator
from tapeflow._src.api.random.generator import create_rng_state as create_rng_state
from tapeflow._src.api.random.generator import get_global_generator as get_global_generator
from tapeflow._src.api.random.generator import set_global_generator as set_global_generator
from tapeflow._src.api.random.stateless import fold_in as stateless_fold_in
from tapeflow._src.api.random.stateless import index_shuffle as index_shuffle
from tapeflow._src.api.random.stateless import split as stateless_split
from tapeflow._src.api.random.stateless import stateless_shuffle as stateless_shuffle

__all__ = [
    "Algorithm",
    "Generator",
    "create_rng_state",
    "get_global_generator",
    "index_shuffle",
    "set_global_generator",
    "stateless_fold_in",
    "stateless_shuffle",
    "stateless_split",
]
