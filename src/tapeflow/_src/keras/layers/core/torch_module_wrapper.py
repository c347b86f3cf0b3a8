"""`TorchModuleWrapper`, which is refused: its modules need the PyTorch backend of Keras."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.layers.layer import Layer


class TorchModuleWrapper(Layer):
    """Raises NotImplementedError: modules of PyTorch compute with tensors of PyTorch alone.

    Write the module with layers of Keras, or call it through `tf.numpy_function` for inference.

    Args:
        module: Module of PyTorch.
        output_shape: Shape of its outputs.
        **kwargs: Arguments of `Layer`.

    Raises:
        NotImplementedError: Always.

    Example:
        >>> tf.keras.layers.TorchModuleWrapper(module=None)
        Traceback (most recent call last):
        ...
        NotImplementedError: A module of PyTorch cannot be a layer here...
    """

    def __init__(
        self, module: Any, name: str | None = None, output_shape: Any = None, **kwargs: Any
    ) -> None:
        raise NotImplementedError(
            f"A module of PyTorch cannot be a layer here: Keras supports TorchModuleWrapper with "
            f"its PyTorch backend alone. Write {type(module).__name__} with layers of Keras, or, "
            f"for inference, call it with `tf.numpy_function`."
        )
