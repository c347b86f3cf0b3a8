# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.layers.core.random_fourier_features import (
    RandomFourierFeatures as RandomFourierFeatures,
)
from tapeflow._src.keras.layers.experimental.dynamic_embedding import (
    DynamicEmbedding as DynamicEmbedding,
)
from tapeflow._src.keras.layers.experimental.dynamic_lookup import DynamicLookup as DynamicLookup
from tapeflow._src.keras.layers.experimental.synchronized import (
    SyncBatchNormalization as SyncBatchNormalization,
)
from tapeflow.keras.layers import EinsumDense as EinsumDense
from tapeflow.keras.layers.experimental import preprocessing as preprocessing
