"""`Input`: the KerasTensors that models begin with."""

from __future__ import annotations

from typing import Any

from tapeflow.keras.keras_tensor import KerasTensor, standardize_shape
from tapeflow.keras.layers.layer import Layer
from tapeflow.keras.operation import Node


class InputLayer(Layer):
    """Where a model's input comes in."""

    def __init__(
        self,
        shape: Any = None,
        batch_size: int | None = None,
        dtype: Any = None,
        sparse: bool | None = None,
        ragged: bool | None = None,
        batch_shape: Any = None,
        input_tensor: Any = None,
        optional: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        if sparse and ragged:
            raise ValueError(
                "Cannot set both sparse and ragged to True in a Keras input: it is one or none."
            )
        if input_tensor is not None:
            if not isinstance(input_tensor, KerasTensor):
                raise ValueError(
                    f"Argument `input_tensor` must be a KerasTensor. Received invalid type: "
                    f"input_tensor={input_tensor} (of type {type(input_tensor)})"
                )
            shape, batch_shape, batch_size = None, input_tensor.shape, None
            dtype = input_tensor.dtype if dtype is None else dtype
        if shape is not None and batch_shape is not None:
            raise ValueError("You cannot pass both `shape` and `batch_shape` at the same time.")
        if batch_size is not None and batch_shape is not None:
            raise ValueError(
                "You cannot pass both `batch_size` and `batch_shape` at the same time."
            )
        if shape is None and batch_shape is None:
            raise ValueError("You must pass a `shape` argument.")
        if batch_shape is None:
            batch_shape = (batch_size, *standardize_shape(shape))
        self._batch_shape = standardize_shape(batch_shape)
        self._dtype = "float32" if dtype is None else dtype
        self.sparse = bool(sparse)
        self.ragged = bool(ragged)
        self.optional = optional
        self.supports_masking = True
        output = input_tensor
        if output is None:
            output = KerasTensor(
                self._batch_shape, self._dtype, self.sparse, self.ragged, name=name
            )
        self._dtype = output.dtype
        Node(self, (), {}, output)
        self.built = True

    def call(self) -> Any:
        raise NotImplementedError("An InputLayer is where a model begins: it is not called.")

    @property
    def batch_shape(self) -> tuple[int | None, ...]:
        """The shape of the input, the batch first."""
        return self._batch_shape

    @property
    def dtype(self) -> str:
        return self._dtype

    def get_config(self) -> dict[str, Any]:
        return {
            "batch_shape": self.batch_shape,
            "dtype": self.dtype,
            "sparse": self.sparse,
            "ragged": self.ragged,
            "name": self.name,
            "optional": self.optional,
        }


def Input(
    shape: Any = None,
    batch_size: int | None = None,
    dtype: Any = None,
    sparse: bool | None = None,
    ragged: bool | None = None,
    batch_shape: Any = None,
    name: str | None = None,
    tensor: Any = None,
    optional: bool = False,
) -> Any:
    """A KerasTensor for a model to begin with; `shape` is without the batch."""
    layer = InputLayer(
        shape=shape,
        batch_size=batch_size,
        dtype=dtype,
        sparse=sparse,
        ragged=ragged,
        batch_shape=batch_shape,
        input_tensor=tensor,
        optional=optional,
        name=name,
    )
    return layer.output
