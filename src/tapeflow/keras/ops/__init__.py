"""The public namespace `tf.keras.ops`; its names are loaded when they are used."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later
from tapeflow._src.keras.ops.catalogue import FILES as _FILES
from tapeflow._src.keras.ops.catalogue import NAMESPACES as _NAMESPACES
from tapeflow._src.keras.ops.catalogue import places as _places

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        # As in Keras, the ops of images are in `keras.ops.image` alone.
        **_places(tuple(family for family in _FILES if family != "image")),
        **{family: f"{__name__}.{family}" for family in _NAMESPACES},
    },
)
