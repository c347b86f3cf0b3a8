"""Schedules as configs, and back."""

from __future__ import annotations

from typing import Any

from tapeflow.keras.optimizers.schedules.cosine import CosineDecay, CosineDecayRestarts
from tapeflow.keras.optimizers.schedules.decay import (
    ExponentialDecay,
    InverseTimeDecay,
    PiecewiseConstantDecay,
    PolynomialDecay,
)
from tapeflow.keras.optimizers.schedules.schedule import LearningRateSchedule
from tapeflow.keras.saving import serialize_keras_object
from tapeflow.keras.saving.deserialization import read_object
from tapeflow.keras.saving.registry import SCHEDULE

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
    """The config of a schedule."""
    return serialize_keras_object(learning_rate_schedule)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The schedule of a config."""
    return read_object(config, SCHEDULE, custom_objects, named=_CLASSES)
