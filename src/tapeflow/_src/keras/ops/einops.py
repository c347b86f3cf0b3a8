"""The op that Keras has in its module `ops.einops`, by which files name its class."""

from __future__ import annotations

from tapeflow._src.keras.ops.families import family

__getattr__, __dir__ = family("einops")
