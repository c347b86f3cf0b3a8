"""Workers that train the models of `tests/keras/replicated_models.py`."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tests.keras import replicated_models


def _lists(structure: Any) -> Any:
    return tf.nest.map_structure(
        lambda leaf: leaf.tolist() if hasattr(leaf, "tolist") else leaf, structure
    )


def __getattr__(name: str) -> Any:
    """Return the program that trains the model of that name."""
    build = getattr(replicated_models, name)

    def program() -> Any:
        strategy = tf.distribute.MultiWorkerMirroredStrategy()
        return _lists(replicated_models.trained(build, strategy))

    return program
