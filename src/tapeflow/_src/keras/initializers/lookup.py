"""Initializers by name and by config."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.argument_types import Identifier
from tapeflow._src.keras.identifiers import from_config, interpret
from tapeflow._src.keras.initializers.constant import Constant, Identity, Ones, Zeros
from tapeflow._src.keras.initializers.fourier import STFT
from tapeflow._src.keras.initializers.initializer import Initializer
from tapeflow._src.keras.initializers.random import (
    Orthogonal,
    RandomNormal,
    RandomUniform,
    TruncatedNormal,
)
from tapeflow._src.keras.initializers.scaling import (
    GlorotNormal,
    GlorotUniform,
    HeNormal,
    HeUniform,
    LecunNormal,
    LecunUniform,
    VarianceScaling,
)
from tapeflow._src.keras.saving.registry import INITIALIZER
from tapeflow._src.keras.utils.naming import to_snake_case
from tapeflow.keras.saving import serialize_keras_object

_CLASSES = (
    *(Initializer, Constant, Identity, Ones, Zeros, STFT, Orthogonal),
    *(RandomNormal, RandomUniform, TruncatedNormal, VarianceScaling),
    *(GlorotNormal, GlorotUniform, HeNormal, HeUniform, LecunNormal, LecunUniform),
)
KNOWN: dict[str, Any] = {
    **{cls.__name__: cls for cls in _CLASSES},
    **{to_snake_case(cls.__name__): cls for cls in _CLASSES},
    "IdentityInitializer": Identity,
    "OrthogonalInitializer": Orthogonal,
    "STFTInitializer": STFT,
    "normal": RandomNormal,
    "one": Ones,
    "uniform": RandomUniform,
    "zero": Zeros,
}


def serialize(initializer: Identifier) -> Any:
    """Return the config of an initializer.

    Args:
        initializer: An initializer.

    Returns:
        A dict, which `deserialize` takes.

    Example:
        >>> tf.keras.initializers.serialize(tf.keras.initializers.Constant(2.0))["class_name"]
        'Constant'
    """
    return serialize_keras_object(initializer)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Create an initializer from its config.

    Args:
        config: A config of `serialize`, or a name; other strings are returned as they are.
        custom_objects: Dict from names to own classes and functions, which configs may name.

    Returns:
        A new object, or a function.

    Raises:
        TypeError: A config names a class that is not registered.

    Example:
        >>> tf.keras.initializers.deserialize("he_normal").scale
        2.0
    """
    return from_config(config, INITIALIZER, KNOWN, custom_objects)


def get(identifier: Any) -> Any:
    """Return the initializer for a name, config, class, function or array.

    Args:
        identifier: A name such as "he_normal", a config, a class, an object or function, an array
            (of the shape of the variable), or None.

    Returns:
        An object or a function; objects and functions as they are, None for None.

    Raises:
        ValueError: Nothing of that name is registered, or the identifier is of another type.

    Example:
        >>> tf.keras.initializers.get("zeros")((2,)).numpy()
        array([0., 0.], dtype=float32)
    """
    if isinstance(identifier, (tf.Tensor, np.ndarray, np.generic)):

        def given(shape: Any, dtype: Any = None) -> Any:
            if tuple(shape) != tuple(identifier.shape):
                raise ValueError(
                    f"An array as initializer has the shape {tuple(identifier.shape)}, which the "
                    f"variable must have, too. Received: shape={tuple(shape)}"
                )
            return tf.cast(tf.convert_to_tensor(identifier), dtype or tf.as_dtype(identifier.dtype))

        return given
    return interpret(identifier, INITIALIZER, KNOWN)
