"""Optimizers by name and by config."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.identifiers import from_config, unknown_identifier
from tapeflow._src.keras.optimizers.adadelta import Adadelta
from tapeflow._src.keras.optimizers.adafactor import Adafactor
from tapeflow._src.keras.optimizers.adagrad import Adagrad
from tapeflow._src.keras.optimizers.adam import Adam
from tapeflow._src.keras.optimizers.adamax import Adamax
from tapeflow._src.keras.optimizers.adamw import AdamW
from tapeflow._src.keras.optimizers.ftrl import Ftrl
from tapeflow._src.keras.optimizers.lamb import Lamb
from tapeflow._src.keras.optimizers.lion import Lion
from tapeflow._src.keras.optimizers.loss_scale_optimizer import LossScaleOptimizer
from tapeflow._src.keras.optimizers.multi_optimizer import MultiOptimizer, OptimizerMap
from tapeflow._src.keras.optimizers.muon import Muon
from tapeflow._src.keras.optimizers.nadam import Nadam
from tapeflow._src.keras.optimizers.optimizer import Optimizer
from tapeflow._src.keras.optimizers.rmsprop import RMSprop
from tapeflow._src.keras.optimizers.schedule_free_adamw import ScheduleFreeAdamW
from tapeflow._src.keras.optimizers.sgd import SGD
from tapeflow._src.keras.saving.deserialization import member
from tapeflow._src.keras.saving.registry import OPTIMIZER, OPTIMIZER_MAP
from tapeflow.keras.saving import serialize_keras_object

# Names in lower case: how they are written does not matter.
_KNOWN: dict[str, Any] = {
    cls.__name__.lower(): cls
    for cls in (
        *(Adadelta, Adafactor, Adagrad, Adam, Adamax, AdamW, Ftrl, Lamb, Lion, LossScaleOptimizer),
        *(MultiOptimizer, Muon, Nadam, Optimizer, OptimizerMap, RMSprop, ScheduleFreeAdamW, SGD),
    )
}


def serialize(optimizer: Optimizer) -> Any:
    """Return the config of an optimizer.

    Args:
        optimizer: The optimizer; what it keeps for variables is not part of the config.

    Returns:
        A dict that JSON can represent, for `deserialize`.

    Example:
        >>> config = tf.keras.optimizers.serialize(tf.keras.optimizers.SGD(0.5))
        >>> config["class_name"], config["config"]["learning_rate"]
        ('SGD', 0.5)
    """
    return serialize_keras_object(optimizer)


def deserialize(
    config: Any, custom_objects: dict[str, Any] | None = None, *, use_legacy_optimizer: bool = False
) -> Any:
    """Create an optimizer from its config; the legacy optimizers of Keras 2 are the same.

    Args:
        config: Dict with `"class_name"` and `"config"`, as `serialize` returns it.
        custom_objects: Classes by name that are not registered.
        use_legacy_optimizer: Ignored; of Keras 2.

    Returns:
        An optimizer.

    Example:
        >>> config = {"class_name": "SGD", "config": {"learning_rate": 0.5}}
        >>> float(tf.keras.optimizers.deserialize(config).learning_rate)
        0.5
    """
    name = member(config, "class_name", str)
    if name.lower() in _KNOWN:
        config = {**config, "class_name": name.lower()}
    kind = OPTIMIZER_MAP if name == OptimizerMap.__name__ else OPTIMIZER
    return from_config(config, kind, _KNOWN, custom_objects)


def get(identifier: Any, *, use_legacy_optimizer: bool = False) -> Any:
    """Return the optimizer for a name, config or instance.

    Args:
        identifier: Name in any case, such as `"adam"`, config, instance, or None.
        use_legacy_optimizer: Ignored; of Keras 2.

    Returns:
        An optimizer; None for None.

    Raises:
        ValueError: There is no such optimizer.

    Example:
        >>> type(tf.keras.optimizers.get("sgd")).__name__
        'SGD'
    """
    if identifier is None:
        return None
    optimizer = identifier
    if isinstance(identifier, dict):
        optimizer = deserialize(identifier)
    elif isinstance(identifier, str):
        # A class that the program has registered, or else the class of that name.
        optimizer = from_config(identifier, OPTIMIZER, {})
        if isinstance(optimizer, str):
            optimizer = _KNOWN.get(optimizer.lower(), optimizer)
        optimizer = optimizer() if isinstance(optimizer, type) else optimizer
    if isinstance(optimizer, Optimizer):
        return optimizer
    raise unknown_identifier(identifier, "optimizer", _KNOWN)
