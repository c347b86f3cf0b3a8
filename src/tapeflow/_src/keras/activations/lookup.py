"""Activations by name and by config."""

from __future__ import annotations

import types
from typing import Any

from tapeflow._src.internal.argument_types import Identifier
from tapeflow._src.keras.activations import functions
from tapeflow._src.keras.identifiers import from_config, unknown_identifier
from tapeflow._src.keras.saving.deserialization import read_object
from tapeflow._src.keras.saving.registry import ACTIVATION
from tapeflow.keras.saving import serialize_keras_object

_NAMES = (
    *("celu", "elu", "exponential", "gelu", "glu", "hard_shrink", "hard_sigmoid", "hard_silu"),
    *("hard_swish", "hard_tanh", "leaky_relu", "linear", "log_sigmoid", "log_softmax", "mish"),
    *("relu", "relu6", "selu", "sigmoid", "silu", "soft_shrink", "softmax", "softplus"),
    *("softsign", "sparse_plus", "sparse_sigmoid", "sparsemax", "squareplus", "swish", "tanh"),
    *("tanh_shrink", "threshold"),
)
KNOWN: dict[str, Any] = {name: getattr(functions, name) for name in _NAMES}
# What configs may name.
FUNCTIONS = KNOWN


def serialize(activation: Identifier) -> Any:
    """Return the name of a built-in activation, or the config of a custom one.

    Args:
        activation: A function, or the name of a built-in one.

    Returns:
        A string or a dict, for `deserialize`.

    Raises:
        ValueError: A string is not the name of an activation.

    Example:
        >>> tf.keras.activations.serialize(tf.keras.activations.relu)
        'relu'
    """
    if isinstance(activation, str) and activation not in KNOWN:
        raise ValueError(
            f"'{activation}' is not the name of an activation, so it has no config. Pass the "
            f"function, or register it with `keras.saving.register_keras_serializable`."
        )
    config = serialize_keras_object(activation)
    if not isinstance(activation, types.FunctionType) or config["config"] not in KNOWN:
        return config
    return config["config"]


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Return the activation for a name or config.

    Args:
        config: A name, or a config of `serialize`.
        custom_objects: Dict from names to own functions, which configs may name.

    Returns:
        A function.

    Raises:
        ValueError: Nothing of that name is registered.

    Example:
        >>> tf.keras.activations.deserialize("relu") is tf.keras.activations.relu
        True
    """
    activation = from_config(config, ACTIVATION, KNOWN, custom_objects)
    if isinstance(activation, str):
        raise ValueError(
            f"'{config}' is not the name of an activation. Pass one of `keras.activations`, or "
            f"the function in `custom_objects`."
        )
    return activation


def get(identifier: Any) -> Any:
    """Return the activation for a name, config or function; None is `linear`.

    Args:
        identifier: A name such as "relu", a config, a function, or None.

    Returns:
        A function; functions as they are.

    Raises:
        ValueError: Nothing of that name is registered, or the identifier is of another type.

    Example:
        >>> tf.keras.activations.get("tanh")([0.0]).numpy()
        array([0.], dtype=float32)
        >>> tf.keras.activations.get(None) is tf.keras.activations.linear
        True
    """
    if identifier is None:
        return functions.linear
    activation = identifier
    if isinstance(identifier, str) and identifier in KNOWN:
        activation = KNOWN[identifier]
    elif isinstance(identifier, (str, dict)):
        activation = read_object(identifier, ACTIVATION, required=False)
    if callable(activation):
        return activation
    raise unknown_identifier(identifier, "activation function", KNOWN)
