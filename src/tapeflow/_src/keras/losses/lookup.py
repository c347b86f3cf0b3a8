"""Losses by name and by config."""

from __future__ import annotations

import types
from typing import Any

from tapeflow._src.keras.identifiers import from_config, interpret
from tapeflow._src.keras.losses import (
    crossentropies,
    error_classes,
    errors,
    pairs,
    probability_classes,
)
from tapeflow._src.keras.losses.loss import Loss, LossFunctionWrapper
from tapeflow._src.keras.saving.registry import LOSS
from tapeflow.keras.saving import serialize_keras_object

_CLASSES = (
    *("CategoricalHinge", "CosineSimilarity", "Hinge", "Huber", "LogCosh", "MeanAbsoluteError"),
    *("MeanAbsolutePercentageError", "MeanSquaredError", "MeanSquaredLogarithmicError"),
    *("Poisson", "SquaredHinge"),
)
_PROBABILITY_CLASSES = (
    *("BinaryCrossentropy", "BinaryFocalCrossentropy", "CTC", "CategoricalCrossentropy"),
    *("CategoricalFocalCrossentropy", "CategoricalGeneralizedCrossEntropy", "Circle", "Dice"),
    *("KLDivergence", "SparseCategoricalCrossentropy", "Tversky"),
)
_ERRORS = (
    *("categorical_hinge", "cosine_similarity", "dice", "hinge", "huber", "log_cosh"),
    *("mean_absolute_error", "mean_absolute_percentage_error", "mean_squared_error"),
    *("mean_squared_logarithmic_error", "poisson", "squared_hinge", "tversky"),
)
_CROSSENTROPIES = (
    *("binary_crossentropy", "binary_focal_crossentropy", "categorical_crossentropy"),
    *("categorical_focal_crossentropy", "kl_divergence", "sparse_categorical_crossentropy"),
)
_SHORT = {
    "bce": crossentropies.binary_crossentropy,
    "kld": crossentropies.kl_divergence,
    "mae": errors.mean_absolute_error,
    "mape": errors.mean_absolute_percentage_error,
    "mse": errors.mean_squared_error,
    "msle": errors.mean_squared_logarithmic_error,
}
KNOWN: dict[str, Any] = {
    "Loss": Loss,
    "LossFunctionWrapper": LossFunctionWrapper,
    **{name: getattr(error_classes, name) for name in _CLASSES},
    **{name: getattr(probability_classes, name) for name in _PROBABILITY_CLASSES},
    **{name: getattr(errors, name) for name in _ERRORS},
    **{name: getattr(crossentropies, name) for name in _CROSSENTROPIES},
    "circle": pairs.circle,
    "ctc": pairs.ctc,
    **_SHORT,
    **{name.upper(): function for name, function in _SHORT.items()},
}
# What configs may name where a loss function is expected.
FUNCTIONS: dict[str, Any] = {
    name: known for name, known in KNOWN.items() if isinstance(known, types.FunctionType)
}


def serialize(loss: Any) -> Any:
    """Return the config of a loss.

    Args:
        loss: A loss object or function.

    Returns:
        A dict for an object, a name for a function of Keras, for `deserialize`.

    Example:
        >>> tf.keras.losses.serialize(tf.keras.losses.Huber(delta=2.0))["config"]["delta"]
        2.0
    """
    return serialize_keras_object(loss)


def deserialize(name: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Create a loss from its name or config.

    Args:
        name: A name such as "mse", or a config of `serialize`; other strings are returned as they
            are.
        custom_objects: Dict from names to own classes and functions, which may be named.

    Returns:
        A loss object or function.

    Raises:
        TypeError: A config names a class that is not registered.

    Example:
        >>> tf.keras.losses.deserialize("mean_squared_error") is tf.keras.losses.mean_squared_error
        True
    """
    return from_config(name, LOSS, KNOWN, custom_objects)


def get(identifier: Any) -> Any:
    """Return the loss for a name, config, class or function.

    Args:
        identifier: A name such as "mse" or "Huber", a config, a class, an object or function, or
            None.

    Returns:
        A loss object or function; objects and functions as they are, None for None.

    Raises:
        ValueError: Nothing of that name is registered, or the identifier is of another type.

    Example:
        >>> tf.keras.losses.get("mse") is tf.keras.losses.mean_squared_error
        True
        >>> tf.keras.losses.get("Huber").delta
        1.0
    """
    if isinstance(identifier, str) and identifier in KNOWN:
        identifier = KNOWN[identifier]
    return interpret(identifier, LOSS, KNOWN)
