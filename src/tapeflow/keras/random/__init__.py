"""The public namespace `tf.keras.random`."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.random.functions import beta as beta
from tapeflow._src.keras.random.functions import binomial as binomial
from tapeflow._src.keras.random.functions import categorical as categorical
from tapeflow._src.keras.random.functions import dropout as dropout
from tapeflow._src.keras.random.functions import gamma as gamma
from tapeflow._src.keras.random.functions import normal as normal
from tapeflow._src.keras.random.functions import randint as randint
from tapeflow._src.keras.random.functions import shuffle as shuffle
from tapeflow._src.keras.random.functions import truncated_normal as truncated_normal
from tapeflow._src.keras.random.functions import uniform as uniform
from tapeflow._src.keras.random.seed_generator import SeedGenerator as SeedGenerator

_explain_missing(__name__)
