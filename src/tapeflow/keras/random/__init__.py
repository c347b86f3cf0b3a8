"""The public namespace `tf.keras.random`."""

from tapeflow.keras.random.functions import beta as beta
from tapeflow.keras.random.functions import binomial as binomial
from tapeflow.keras.random.functions import categorical as categorical
from tapeflow.keras.random.functions import dropout as dropout
from tapeflow.keras.random.functions import gamma as gamma
from tapeflow.keras.random.functions import normal as normal
from tapeflow.keras.random.functions import randint as randint
from tapeflow.keras.random.functions import shuffle as shuffle
from tapeflow.keras.random.functions import truncated_normal as truncated_normal
from tapeflow.keras.random.functions import uniform as uniform
from tapeflow.keras.random.seed_generator import SeedGenerator as SeedGenerator
