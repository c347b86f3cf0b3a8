"""Quantizers and quantization configs by name and by config."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.quantizers import configs, quantizer
from tapeflow._src.keras.saving.deserialization import read_object
from tapeflow._src.keras.saving.registry import QUANTIZER
from tapeflow._src.keras.saving.serialization import serialize_keras_object
from tapeflow._src.keras.utils.naming import to_snake_case

_CLASSES = (
    quantizer.Quantizer,
    quantizer.AbsMaxQuantizer,
    configs.QuantizationConfig,
    configs.Int8QuantizationConfig,
    configs.Int4QuantizationConfig,
    configs.Float8QuantizationConfig,
    configs.AWQConfig,
    configs.GPTQConfig,
)
KNOWN: dict[str, Any] = {
    name: cls for cls in _CLASSES for name in (cls.__name__, to_snake_case(cls.__name__))
}


def serialize(initializer: Any) -> Any:
    """Return the config of a quantizer.

    Args:
        initializer: A quantizer.

    Returns:
        A dict, which `deserialize` takes.

    Example:
        >>> tf.keras.quantizers.serialize(tf.keras.quantizers.AbsMaxQuantizer(axis=0))["class_name"]
        'AbsMaxQuantizer'
    """
    return serialize_keras_object(initializer)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Return the quantizer that has this config.

    Args:
        config: A dict of `serialize`.
        custom_objects: Dict from names to own classes, which configs may name.

    Returns:
        A quantizer.

    Example:
        >>> config = tf.keras.quantizers.serialize(tf.keras.quantizers.AbsMaxQuantizer(axis=-1))
        >>> type(tf.keras.quantizers.deserialize(config)).__name__
        'AbsMaxQuantizer'
    """
    return read_object(config, QUANTIZER, custom_objects)


def get(identifier: Any, **kwargs: Any) -> Any:
    """Return a quantizer, which may be given as such, as a name, a class or a config.

    Args:
        identifier: The quantizer, or what it is created from; None is None.
        **kwargs: Arguments of the quantizer, if it is given as a name or class.

    Returns:
        A quantizer, or None.

    Raises:
        ValueError: Nothing of that name is registered.

    Example:
        >>> type(tf.keras.quantizers.get("abs_max_quantizer")).__name__
        'AbsMaxQuantizer'
    """
    if identifier is None:
        return None
    quantizer = identifier
    if isinstance(identifier, dict):
        quantizer = deserialize(identifier)
    elif isinstance(identifier, str):
        quantizer = KNOWN.get(identifier)
    if isinstance(quantizer, type):
        quantizer = quantizer(**kwargs)
    if callable(quantizer) or isinstance(quantizer, configs.QuantizationConfig):
        return quantizer
    raise ValueError(
        f"Unknown quantizer {identifier!r}. Use a Quantizer, or one of the names "
        f"{', '.join(sorted(KNOWN))}."
    )
