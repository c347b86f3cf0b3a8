"""The public namespace `tf.keras.ops`; its names are loaded when they are used."""

from __future__ import annotations

from tapeflow.core.lazy import later as _later
from tapeflow.keras.ops.catalogue import FILES as _FILES
from tapeflow.keras.ops.catalogue import places as _places

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {**_places(tuple(_FILES)), **{name: f"{__name__}.{name}" for name in _FILES}},
)
