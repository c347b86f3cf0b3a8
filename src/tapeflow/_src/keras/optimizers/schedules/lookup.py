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
    """Return the config of a schedule."""
    return serialize_keras_object(learning_rate_schedule)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Create a schedule from its config."""
    return read_object(config, SCHEDULE, custom_objects, named=_CLASSES)
