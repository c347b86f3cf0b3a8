"""`tf.random`: random tensors, with global state, with a generator object, or from a seed alone."""

from tapeflow._src.api.random.algorithm import Algorithm as Algorithm
from tapeflow._src.api.random.candidates import all_candidate_sampler as all_candidate_sampler
from tapeflow._src.api.random.candidates import (
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
)
from tapeflow._src.api.random.candidates import (
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
)
from tapeflow._src.api.random.candidates import (
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
)
from tapeflow._src.api.random.candidates import (
    uniform_candidate_sampler as uniform_candidate_sampler,
)
from tapeflow._src.api.random.generator import Generator as Generator
from tapeflow._src.api.random.generator import create_rng_state as create_rng_state
from tapeflow._src.api.random.generator import get_global_generator as get_global_generator
from tapeflow._src.api.random.generator import set_global_generator as set_global_generator
from tapeflow._src.api.random.stateful import categorical as categorical
from tapeflow._src.api.random.stateful import gamma as gamma
from tapeflow._src.api.random.stateful import normal as normal
from tapeflow._src.api.random.stateful import poisson as poisson
from tapeflow._src.api.random.stateful import set_seed as set_seed
from tapeflow._src.api.random.stateful import shuffle as shuffle
from tapeflow._src.api.random.stateful import truncated_normal as truncated_normal
from tapeflow._src.api.random.stateful import uniform as uniform
from tapeflow._src.api.random.stateless import fold_in as fold_in
from tapeflow._src.api.random.stateless import split as split
from tapeflow._src.api.random.stateless import stateless_binomial as stateless_binomial
from tapeflow._src.api.random.stateless import stateless_categorical as stateless_categorical
from tapeflow._src.api.random.stateless import stateless_gamma as stateless_gamma
from tapeflow._src.api.random.stateless import stateless_normal as stateless_normal
from tapeflow._src.api.random.stateless import (
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
)
from tapeflow._src.api.random.stateless import stateless_poisson as stateless_poisson
from tapeflow._src.api.random.stateless import (
    stateless_truncated_normal as stateless_truncated_normal,
)
from tapeflow._src.api.random.stateless import stateless_uniform as stateless_uniform
from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow.random import experimental as experimental

_explain_missing(__name__)
