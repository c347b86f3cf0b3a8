"""The public namespace `tf.keras.ops.nn`."""

from __future__ import annotations

from tapeflow._src.keras.ops.families import family

__getattr__, __dir__ = family("nn")
