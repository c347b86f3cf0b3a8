"""Metrics by name and by config."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.identifiers import from_config, interpret
from tapeflow._src.keras.losses import lookup as losses
from tapeflow._src.keras.metrics.accuracies import (
    Accuracy,
    BinaryAccuracy,
    CategoricalAccuracy,
    SparseCategoricalAccuracy,
    SparseTopKCategoricalAccuracy,
    TopKCategoricalAccuracy,
    accuracy,
    binary_accuracy,
    categorical_accuracy,
    sparse_categorical_accuracy,
    sparse_top_k_categorical_accuracy,
    top_k_categorical_accuracy,
)
from tapeflow._src.keras.metrics.auc import AUC
from tapeflow._src.keras.metrics.counts import (
    FalseNegatives,
    FalsePositives,
    Precision,
    Recall,
    TrueNegatives,
    TruePositives,
)
from tapeflow._src.keras.metrics.errors import (
    CategoricalHinge,
    ConcordanceCorrelation,
    CosineSimilarity,
    Hinge,
    LogCoshError,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanSquaredError,
    MeanSquaredLogarithmicError,
    PearsonCorrelation,
    Poisson,
    RootMeanSquaredError,
    SquaredHinge,
    concordance_correlation,
    pearson_correlation,
)
from tapeflow._src.keras.metrics.f_scores import F1Score, FBetaScore
from tapeflow._src.keras.metrics.means import Mean, MeanMetricWrapper, Sum
from tapeflow._src.keras.metrics.metric import Metric
from tapeflow._src.keras.metrics.overlaps import BinaryIoU, IoU, MeanIoU, OneHotIoU, OneHotMeanIoU
from tapeflow._src.keras.metrics.probabilities import (
    BinaryCrossentropy,
    CategoricalCrossentropy,
    KLDivergence,
    SparseCategoricalCrossentropy,
)
from tapeflow._src.keras.metrics.r2_score import R2Score
from tapeflow._src.keras.metrics.tradeoffs import (
    PrecisionAtRecall,
    RecallAtPrecision,
    SensitivityAtSpecificity,
    SpecificityAtSensitivity,
)
from tapeflow._src.keras.saving.registry import METRIC
from tapeflow._src.keras.utils.naming import to_snake_case
from tapeflow.keras.saving import serialize_keras_object

_CLASSES: tuple[Any, ...] = (
    *(
        Accuracy,
        BinaryAccuracy,
        CategoricalAccuracy,
        SparseCategoricalAccuracy,
    ),
    *(
        SparseTopKCategoricalAccuracy,
        TopKCategoricalAccuracy,
    ),
    *(AUC,),
    *(
        FalseNegatives,
        FalsePositives,
        Precision,
        Recall,
        TrueNegatives,
        TruePositives,
    ),
    *(
        CategoricalHinge,
        ConcordanceCorrelation,
        CosineSimilarity,
        Hinge,
        LogCoshError,
    ),
    *(
        MeanAbsoluteError,
        MeanAbsolutePercentageError,
        MeanSquaredError,
    ),
    *(
        MeanSquaredLogarithmicError,
        PearsonCorrelation,
        Poisson,
        RootMeanSquaredError,
    ),
    *(SquaredHinge,),
    *(
        F1Score,
        FBetaScore,
    ),
    *(
        Mean,
        MeanMetricWrapper,
        Sum,
    ),
    *(Metric,),
    *(
        BinaryIoU,
        IoU,
        MeanIoU,
        OneHotIoU,
        OneHotMeanIoU,
    ),
    *(
        BinaryCrossentropy,
        CategoricalCrossentropy,
        KLDivergence,
    ),
    *(SparseCategoricalCrossentropy,),
    *(R2Score,),
    *(
        PrecisionAtRecall,
        RecallAtPrecision,
        SensitivityAtSpecificity,
    ),
    *(SpecificityAtSensitivity,),
)
_FUNCTIONS: tuple[Any, ...] = (
    *(accuracy, binary_accuracy, categorical_accuracy, sparse_categorical_accuracy),
    *(sparse_top_k_categorical_accuracy, top_k_categorical_accuracy),
    *(concordance_correlation, pearson_correlation),
)
_SHORT: dict[str, Any] = {
    "bce": BinaryCrossentropy,
    "mae": MeanAbsoluteError,
    "mape": MeanAbsolutePercentageError,
    "mse": MeanSquaredError,
    "msle": MeanSquaredLogarithmicError,
}
KNOWN: dict[str, Any] = {
    **{cls.__name__: cls for cls in _CLASSES},
    **{to_snake_case(cls.__name__): cls for cls in _CLASSES},
    **_SHORT,
    **{name.upper(): cls for name, cls in _SHORT.items()},
}
# What configs may name where a function of labels and predictions is expected.
FUNCTIONS: dict[str, Any] = {
    **{name: known for name, known in losses.FUNCTIONS.items() if name.islower()},
    **{each.__name__: each for each in _FUNCTIONS},
}


def serialize(metric: Any) -> Any:
    """Return the config of a metric.

    Args:
        metric: A metric object or function.

    Returns:
        A dict for an object, a name for a function of Keras, for `deserialize`.

    Example:
        >>> tf.keras.metrics.serialize(tf.keras.metrics.AUC(curve="PR"))["config"]["curve"]
        'PR'
    """
    return serialize_keras_object(metric)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Create a metric from its name or config.

    Args:
        config: A name such as "mse", or a config of `serialize`; other strings are returned as they
            are.
        custom_objects: Dict from names to own classes and functions, which may be named.

    Returns:
        A metric object or function.

    Raises:
        TypeError: A config names a class that is not registered.

    Example:
        >>> tf.keras.metrics.deserialize("AUC").curve
        'ROC'
    """
    return from_config(config, METRIC, KNOWN, custom_objects)


def get(identifier: Any) -> Any:
    """Return the metric for a name, config, class or function.

    Args:
        identifier: A name such as "mse" or "AUC", a config, a class, an object or function, or
            None.

    Returns:
        A metric object or function; objects and functions as they are, None for None.

    Raises:
        ValueError: Nothing of that name is registered, or the identifier is of another type.

    Example:
        >>> tf.keras.metrics.get("binary_accuracy").name
        'binary_accuracy'
    """
    if isinstance(identifier, str) and identifier in KNOWN:
        identifier = KNOWN[identifier]
    return interpret(identifier, METRIC, KNOWN)
