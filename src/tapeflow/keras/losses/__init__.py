"""The public namespace `tf.keras.losses`."""

from __future__ import annotations

from typing import Any as _Any

from tapeflow._src.core.lazy import missing_name as _missing_name
from tapeflow._src.keras.losses import crossentropies as _crossentropies
from tapeflow._src.keras.losses import errors as _errors
from tapeflow._src.keras.losses import lookup as _lookup
from tapeflow._src.keras.losses.crossentropies import binary_crossentropy as binary_crossentropy
from tapeflow._src.keras.losses.crossentropies import (
    binary_focal_crossentropy as binary_focal_crossentropy,
)
from tapeflow._src.keras.losses.crossentropies import (
    categorical_crossentropy as categorical_crossentropy,
)
from tapeflow._src.keras.losses.crossentropies import (
    categorical_focal_crossentropy as categorical_focal_crossentropy,
)
from tapeflow._src.keras.losses.crossentropies import (
    categorical_generalized_cross_entropy as categorical_generalized_cross_entropy,
)
from tapeflow._src.keras.losses.crossentropies import (
    sparse_categorical_crossentropy as sparse_categorical_crossentropy,
)
from tapeflow._src.keras.losses.error_classes import CategoricalHinge as CategoricalHinge
from tapeflow._src.keras.losses.error_classes import CosineSimilarity as CosineSimilarity
from tapeflow._src.keras.losses.error_classes import Hinge as Hinge
from tapeflow._src.keras.losses.error_classes import Huber as Huber
from tapeflow._src.keras.losses.error_classes import LogCosh as LogCosh
from tapeflow._src.keras.losses.error_classes import MeanAbsoluteError as MeanAbsoluteError
from tapeflow._src.keras.losses.error_classes import (
    MeanAbsolutePercentageError as MeanAbsolutePercentageError,
)
from tapeflow._src.keras.losses.error_classes import MeanSquaredError as MeanSquaredError
from tapeflow._src.keras.losses.error_classes import (
    MeanSquaredLogarithmicError as MeanSquaredLogarithmicError,
)
from tapeflow._src.keras.losses.error_classes import Poisson as Poisson
from tapeflow._src.keras.losses.error_classes import SquaredHinge as SquaredHinge
from tapeflow._src.keras.losses.errors import categorical_hinge as categorical_hinge
from tapeflow._src.keras.losses.errors import cosine_similarity as cosine_similarity
from tapeflow._src.keras.losses.errors import dice as dice
from tapeflow._src.keras.losses.errors import hinge as hinge
from tapeflow._src.keras.losses.errors import huber as huber
from tapeflow._src.keras.losses.errors import poisson as poisson
from tapeflow._src.keras.losses.errors import squared_hinge as squared_hinge
from tapeflow._src.keras.losses.errors import tversky as tversky
from tapeflow._src.keras.losses.legacy import Reduction as Reduction
from tapeflow._src.keras.losses.lookup import deserialize as deserialize
from tapeflow._src.keras.losses.lookup import get as get
from tapeflow._src.keras.losses.lookup import serialize as serialize
from tapeflow._src.keras.losses.loss import Loss as Loss
from tapeflow._src.keras.losses.pairs import circle as circle
from tapeflow._src.keras.losses.pairs import ctc as ctc
from tapeflow._src.keras.losses.probability_classes import CTC as CTC
from tapeflow._src.keras.losses.probability_classes import BinaryCrossentropy as BinaryCrossentropy
from tapeflow._src.keras.losses.probability_classes import (
    BinaryFocalCrossentropy as BinaryFocalCrossentropy,
)
from tapeflow._src.keras.losses.probability_classes import (
    CategoricalCrossentropy as CategoricalCrossentropy,
)
from tapeflow._src.keras.losses.probability_classes import (
    CategoricalFocalCrossentropy as CategoricalFocalCrossentropy,
)
from tapeflow._src.keras.losses.probability_classes import (
    CategoricalGeneralizedCrossEntropy as CategoricalGeneralizedCrossEntropy,
)
from tapeflow._src.keras.losses.probability_classes import Circle as Circle
from tapeflow._src.keras.losses.probability_classes import Dice as Dice
from tapeflow._src.keras.losses.probability_classes import KLDivergence as KLDivergence
from tapeflow._src.keras.losses.probability_classes import (
    SparseCategoricalCrossentropy as SparseCategoricalCrossentropy,
)
from tapeflow._src.keras.losses.probability_classes import Tversky as Tversky

KLD = kld = kullback_leibler_divergence = _crossentropies.kl_divergence
MAE = mae = _errors.mean_absolute_error
MAPE = mape = _errors.mean_absolute_percentage_error
MSE = mse = _errors.mean_squared_error
MSLE = msle = _errors.mean_squared_logarithmic_error
logcosh = _errors.log_cosh


def __getattr__(name: str) -> _Any:
    # The full names of functions, as configs have them.
    if name in _lookup.KNOWN:
        return _lookup.KNOWN[name]
    raise _missing_name(__name__, name, tuple(globals()))
