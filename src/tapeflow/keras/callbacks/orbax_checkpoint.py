"""`OrbaxCheckpoint`, which is refused: the files of Orbax are those of JAX."""

from __future__ import annotations

from typing import Any

from tapeflow.keras.callbacks.callback import Callback


class OrbaxCheckpoint(Callback):
    """Raises NotImplementedError: use `ModelCheckpoint` or `BackupAndRestore` instead."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "Checkpoints of Orbax are not written here. Use `keras.callbacks.ModelCheckpoint`, or "
            "`keras.callbacks.BackupAndRestore` to continue an interrupted training."
        )
