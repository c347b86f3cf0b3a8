"""Schedules as configs, and back."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.optimizers.schedules.cosine import CosineDecay, CosineDecayRestarts
from tapeflow._src.keras.optimizers.schedules.decay import (
    ExponentialDecay,
    InverseTimeDecay,
    PiecewiseConstantDecay,
    PolynomialDecay,
)
from tapeflow._src.keras.optimizers.schedules.schedule import LearningRateSchedule
from tapeflow._src.keras.saving.deserialization import read_object
from tapeflow._src.keras.saving.registry import SCHEDULE
from tapeflow.keras.saving import serialize_keras_object

_CLASSES = {
    cls.__name__: cls
    for cls in (
        CosineDecay,
        CosineDecayRestarts,
        ExponentialDecay,
        InverseTimeDecay,
        PiecewiseConstantDecay,
        PolynomialDecay,
    )
}


def serialize(learning_rate_schedule: LearningRateSchedule) -> Any:
    """Return the config of a schedule.

    Args:
        learning_rate_schedule: The schedule.

    Returns:
        A dict that JSON can represent, for `deserialize`.

    Example:
        >>> schedule = tf.keras.optimizers.schedules.CosineDecay(1.0, 100)
        >>> tf.keras.optimizers.schedules.serialize(schedule)["class_name"]
        'CosineDecay'
    """
    return serialize_keras_object(learning_rate_schedule)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Create a schedule from its config.

    Args:
        config: Dict that `serialize` returned.
        custom_objects: Classes by name that are not registered.

    Returns:
        A schedule.

    Example:
        >>> schedule = tf.keras.optimizers.schedules.CosineDecay(1.0, 100)
        >>> config = tf.keras.optimizers.schedules.serialize(schedule)
        >>> tf.keras.optimizers.schedules.deserialize(config).decay_steps
        100
    """
    return read_object(config, SCHEDULE, custom_objects, named=_CLASSES)
