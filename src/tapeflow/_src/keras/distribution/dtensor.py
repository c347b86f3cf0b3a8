"""`LayoutMap` of `tf.keras.dtensor`, which needs DTensor and is refused."""

from __future__ import annotations

from typing import Any, NoReturn


class LayoutMap:
    """Layouts of variables on a mesh of DTensor (Keras 2).

    Raises:
        NotImplementedError: always; there is no DTensor.
    """

    def __init__(self, mesh: Any = None) -> None:
        raise NotImplementedError(
            f"`tf.keras.dtensor` needs DTensor, which is not there: models are not distributed "
            f"over devices yet. Received: mesh={mesh!r}. On one device, leave the layout map out; "
            f"`tf.keras.distribution.LayoutMap` is its successor in Keras 3."
        )

    def get_default_mesh(self) -> NoReturn:
        """Return the mesh; there is none."""
        raise NotImplementedError("`tf.keras.dtensor` needs DTensor, which is not there.")

    def scope(self) -> NoReturn:
        """Use the layouts for variables that are created in a block; there are none."""
        raise NotImplementedError("`tf.keras.dtensor` needs DTensor, which is not there.")
