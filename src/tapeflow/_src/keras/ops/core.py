"""The ops that Keras has in its module `ops.core`, by which files name their classes."""

from __future__ import annotations

from tapeflow._src.keras.ops.families import family

__getattr__, __dir__ = family("core")
