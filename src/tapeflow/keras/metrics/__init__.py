"""The public namespace `tf.keras.metrics`."""

from __future__ import annotations

from typing import Any as _Any

from tapeflow._src.core.lazy import missing_name as _missing_name
from tapeflow._src.keras.losses import crossentropies as _crossentropies
from tapeflow._src.keras.losses import errors as _errors
from tapeflow._src.keras.losses import lookup as _losses
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
    sparse_categorical_crossentropy as sparse_categorical_crossentropy,
)
from tapeflow._src.keras.losses.errors import categorical_hinge as categorical_hinge
from tapeflow._src.keras.losses.errors import hinge as hinge
from tapeflow._src.keras.losses.errors import huber as huber
from tapeflow._src.keras.losses.errors import poisson as poisson
from tapeflow._src.keras.losses.errors import squared_hinge as squared_hinge
from tapeflow._src.keras.metrics.accuracies import Accuracy as Accuracy
from tapeflow._src.keras.metrics.accuracies import BinaryAccuracy as BinaryAccuracy
from tapeflow._src.keras.metrics.accuracies import CategoricalAccuracy as CategoricalAccuracy
from tapeflow._src.keras.metrics.accuracies import (
    SparseCategoricalAccuracy as SparseCategoricalAccuracy,
)
from tapeflow._src.keras.metrics.accuracies import (
    SparseTopKCategoricalAccuracy as SparseTopKCategoricalAccuracy,
)
from tapeflow._src.keras.metrics.accuracies import (
    TopKCategoricalAccuracy as TopKCategoricalAccuracy,
)
from tapeflow._src.keras.metrics.accuracies import binary_accuracy as binary_accuracy
from tapeflow._src.keras.metrics.accuracies import categorical_accuracy as categorical_accuracy
from tapeflow._src.keras.metrics.accuracies import (
    sparse_categorical_accuracy as sparse_categorical_accuracy,
)
from tapeflow._src.keras.metrics.accuracies import (
    sparse_top_k_categorical_accuracy as sparse_top_k_categorical_accuracy,
)
from tapeflow._src.keras.metrics.accuracies import (
    top_k_categorical_accuracy as top_k_categorical_accuracy,
)
from tapeflow._src.keras.metrics.auc import AUC as AUC
from tapeflow._src.keras.metrics.counts import FalseNegatives as FalseNegatives
from tapeflow._src.keras.metrics.counts import FalsePositives as FalsePositives
from tapeflow._src.keras.metrics.counts import Precision as Precision
from tapeflow._src.keras.metrics.counts import Recall as Recall
from tapeflow._src.keras.metrics.counts import TrueNegatives as TrueNegatives
from tapeflow._src.keras.metrics.counts import TruePositives as TruePositives
from tapeflow._src.keras.metrics.errors import CategoricalHinge as CategoricalHinge
from tapeflow._src.keras.metrics.errors import ConcordanceCorrelation as ConcordanceCorrelation
from tapeflow._src.keras.metrics.errors import CosineSimilarity as CosineSimilarity
from tapeflow._src.keras.metrics.errors import Hinge as Hinge
from tapeflow._src.keras.metrics.errors import LogCoshError as LogCoshError
from tapeflow._src.keras.metrics.errors import MeanAbsoluteError as MeanAbsoluteError
from tapeflow._src.keras.metrics.errors import (
    MeanAbsolutePercentageError as MeanAbsolutePercentageError,
)
from tapeflow._src.keras.metrics.errors import MeanSquaredError as MeanSquaredError
from tapeflow._src.keras.metrics.errors import (
    MeanSquaredLogarithmicError as MeanSquaredLogarithmicError,
)
from tapeflow._src.keras.metrics.errors import PearsonCorrelation as PearsonCorrelation
from tapeflow._src.keras.metrics.errors import Poisson as Poisson
from tapeflow._src.keras.metrics.errors import RootMeanSquaredError as RootMeanSquaredError
from tapeflow._src.keras.metrics.errors import SquaredHinge as SquaredHinge
from tapeflow._src.keras.metrics.errors import concordance_correlation as concordance_correlation
from tapeflow._src.keras.metrics.errors import pearson_correlation as pearson_correlation
from tapeflow._src.keras.metrics.f_scores import F1Score as F1Score
from tapeflow._src.keras.metrics.f_scores import FBetaScore as FBetaScore
from tapeflow._src.keras.metrics.lookup import deserialize as deserialize
from tapeflow._src.keras.metrics.lookup import get as get
from tapeflow._src.keras.metrics.lookup import serialize as serialize
from tapeflow._src.keras.metrics.means import Mean as Mean
from tapeflow._src.keras.metrics.means import MeanMetricWrapper as MeanMetricWrapper
from tapeflow._src.keras.metrics.means import Sum as Sum
from tapeflow._src.keras.metrics.metric import Metric as Metric
from tapeflow._src.keras.metrics.overlaps import BinaryIoU as BinaryIoU
from tapeflow._src.keras.metrics.overlaps import IoU as IoU
from tapeflow._src.keras.metrics.overlaps import MeanIoU as MeanIoU
from tapeflow._src.keras.metrics.overlaps import OneHotIoU as OneHotIoU
from tapeflow._src.keras.metrics.overlaps import OneHotMeanIoU as OneHotMeanIoU
from tapeflow._src.keras.metrics.probabilities import BinaryCrossentropy as BinaryCrossentropy
from tapeflow._src.keras.metrics.probabilities import (
    CategoricalCrossentropy as CategoricalCrossentropy,
)
from tapeflow._src.keras.metrics.probabilities import KLDivergence as KLDivergence
from tapeflow._src.keras.metrics.probabilities import (
    SparseCategoricalCrossentropy as SparseCategoricalCrossentropy,
)
from tapeflow._src.keras.metrics.r2_score import R2Score as R2Score
from tapeflow._src.keras.metrics.tensors import MeanRelativeError as MeanRelativeError
from tapeflow._src.keras.metrics.tensors import MeanTensor as MeanTensor
from tapeflow._src.keras.metrics.tradeoffs import PrecisionAtRecall as PrecisionAtRecall
from tapeflow._src.keras.metrics.tradeoffs import RecallAtPrecision as RecallAtPrecision
from tapeflow._src.keras.metrics.tradeoffs import (
    SensitivityAtSpecificity as SensitivityAtSpecificity,
)
from tapeflow._src.keras.metrics.tradeoffs import (
    SpecificityAtSensitivity as SpecificityAtSensitivity,
)
from tapeflow.keras.metrics import experimental as experimental

KLD = kld = kullback_leibler_divergence = _crossentropies.kl_divergence
MAE = mae = _errors.mean_absolute_error
MAPE = mape = _errors.mean_absolute_percentage_error
MSE = mse = _errors.mean_squared_error
MSLE = msle = _errors.mean_squared_logarithmic_error
logcosh = _errors.log_cosh


def __getattr__(name: str) -> _Any:
    # The full names of functions, as configs have them.
    if name.islower() and name in _losses.KNOWN:
        return _losses.KNOWN[name]
    raise _missing_name(__name__, name, tuple(globals()))
