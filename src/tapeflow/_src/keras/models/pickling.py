"""Layers and models for `pickle`: as a `.keras` archive, beside the classes of the program."""

from __future__ import annotations

import io
import os
import tempfile
from typing import Any

from tapeflow._src.keras.models.model_files import load_model, write_model
from tapeflow._src.keras.saving.serialization import OwnObjectsScope


def reduced(layer: Any) -> tuple[Any, tuple[bytes, dict[str, Any]]]:
    """Return the `pickle` state of a layer: a factory and its arguments."""
    stream = io.BytesIO()
    with OwnObjectsScope() as own:
        write_model(layer, stream)
    return revived, (stream.getvalue(), dict(own))


def revived(data: bytes, own: dict[str, Any]) -> Any:
    """The layer that `reduced` has written. Lambdas are loaded: a pickle runs code anyway."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pickled.keras")
        with open(path, "wb") as file:
            file.write(data)
        return load_model(path, custom_objects=own, safe_mode=False)
