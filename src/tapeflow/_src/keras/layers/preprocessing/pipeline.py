"""`Pipeline`: layers applied one after the other, without a model."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.masks import masks_of
from tapeflow._src.keras.saving.deserialization import read_object
from tapeflow._src.keras.saving.registry import LAYER
from tapeflow._src.keras.saving.serialization import serialize_keras_object


class Pipeline(Layer):
    """Applies layers in order, to tensors or to dicts of them, mostly in `tf.data.Dataset.map`.

    A call without `training` runs as in training.

    Args:
        layers: List of layers.

    Example:
        >>> pipeline = tf.keras.layers.Pipeline([tf.keras.layers.Rescaling(0.5)])
        >>> pipeline(tf.ones((1, 2))).numpy()
        array([[0.5, 0.5]], dtype=float32)
    """

    def __init__(self, layers: Any, name: str | None = None) -> None:
        super().__init__(name=name)
        self._pipeline_layers = list(layers)
        self._convert_input_args = False
        self._allow_non_tensor_positional_args = True

    @property
    def layers(self) -> list[Any]:
        """The layers."""
        return self._pipeline_layers

    def call(self, inputs: Any, training: Any = True, mask: Any = None) -> Any:
        for layer in self._pipeline_layers:
            kwargs: dict[str, Any] = {}
            if layer._tpf_signature.has_training and training is not None:
                kwargs["training"] = training
            if "mask" in layer._tpf_signature.names and mask is not None:
                kwargs["mask"] = mask
            inputs = layer(inputs, **kwargs)
            mask = masks_of(inputs)
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        for layer in self._pipeline_layers:
            input_shape = layer.compute_output_shape(input_shape)
        return input_shape

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Pipeline:
        layers = config.get("layers")
        if not isinstance(layers, (list, tuple)):
            raise ValueError(
                f"The config of a Pipeline must have a list of layers as 'layers'. Received: "
                f"{layers!r}"
            )
        return cls(**{**config, "layers": [read_object(each, LAYER) for each in layers]})

    def get_config(self) -> dict[str, Any]:
        layers = [serialize_keras_object(layer) for layer in self._pipeline_layers]
        return {"layers": layers, "name": self.name}
