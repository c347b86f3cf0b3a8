"""`LayoutMap` of `tf.keras.dtensor`, which `keras.distribution` has replaced and is refused."""

from __future__ import annotations

from typing import Any, NoReturn


class LayoutMap:
    """Layouts of variables on a mesh of DTensor (Keras 2).

    Raises:
        NotImplementedError: always; models are sharded by `tf.keras.distribution`.
    """

    def __init__(self, mesh: Any = None) -> None:
        raise NotImplementedError(
            f"`tf.keras.dtensor.LayoutMap` is not available: shard models with "
            f"`tf.keras.distribution.LayoutMap` and `ModelParallel`, its successors in Keras 3. "
            f"Received: mesh={mesh!r}."
        )

    def get_default_mesh(self) -> NoReturn:
        """Return the mesh; there is none."""
        raise NotImplementedError("Use `tf.keras.distribution.LayoutMap` instead.")

    def scope(self) -> NoReturn:
        """Use the layouts for variables that are created in a block; there are none."""
        raise NotImplementedError("Use `tf.keras.distribution.LayoutMap` instead.")
