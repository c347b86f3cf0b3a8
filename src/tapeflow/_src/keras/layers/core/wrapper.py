"""Layers around another layer."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import ShapeLike
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.saving.deserialization import located, member, read_object
from tapeflow._src.keras.saving.registry import LAYER
from tapeflow._src.keras.saving.serialization import serialize_keras_object


class Wrapper(Layer):
    """Base class of layers that wrap another layer, kept as `layer`.

    Args:
        layer: Layer to wrap; its weights become those of the wrapper.

    Raises:
        ValueError: `layer` is not a layer.

    Example:
        >>> class Twice(tf.keras.layers.Wrapper):
        ...     def call(self, inputs):
        ...         return self.layer(self.layer(inputs))
        >>> Twice(tf.keras.layers.Dense(4))(tf.ones((2, 4))).shape
        TensorShape([2, 4])
    """

    _tpf_builds_nothing = False

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                f"{type(self).__name__} wraps a `keras.layers.Layer`. Received: {layer!r} of type "
                f"{type(layer).__name__}"
            )
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape: Any = None) -> None:
        if not self.layer.built:
            self.layer.build(input_shape)
            self.layer.built = True

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "layer": serialize_keras_object(self.layer)}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        layer = member(config, "layer", dict)
        with located(".layer"):
            layer = read_object(layer, LAYER, custom_objects)
        return cls(**{**config, "layer": layer})


class TimeDistributed(Wrapper):
    """Applies a layer to every time step: to each slice along the second axis.

    Inputs have the shape (batch, steps, ...); outputs are those of the layer, with the steps as
    their second axis. All steps run at once, as one large batch. Ragged inputs are accepted.

    Args:
        layer: Layer to apply; its weights are shared by all steps.

    Call arguments:
        inputs: Tensor of rank 3 or more.
        training: Passed on to the layer.
        mask: Mask of shape (batch, steps), passed on to a layer that supports masking.

    Raises:
        ValueError: The inputs have a rank below 3, or the mask does not fit them.

    Example:
        >>> layer = tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(3))
        >>> layer(tf.ones((2, 5, 4))).shape
        TensorShape([2, 5, 3])
    """

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def _step_shape(self, input_shape: ShapeLike) -> tuple[int | None, ...]:
        if not isinstance(input_shape, (tuple, list)) or len(input_shape) < 3:
            raise ValueError(
                f"TimeDistributed '{self.name}' needs inputs of rank 3 or more: batch, time and "
                f"the features of a step. Received the input shape {input_shape}"
            )
        return (input_shape[0], *input_shape[2:])

    def build(self, input_shape: Any = None) -> None:
        super().build(self._step_shape(tuple(input_shape)))

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        step = self.layer.compute_output_shape(self._step_shape(input_shape))
        return (step[0], input_shape[1], *step[1:])

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """All steps at once, as one large batch: a layer treats the items of a batch alike.

        Args:
            inputs: Tensor of shape (batch, steps, ...), or a ragged tensor.
            training: Whether the wrapped layer runs as in training.
            mask: Mask of shape (batch, steps) or more axes; None for none.

        Returns:
            The outputs of the layer, with the steps as second axis.
        """
        if isinstance(inputs, tf.RaggedTensor):
            return inputs.with_values(self.layer(inputs.values, training=training))
        if mask is not None:
            self._check_mask(mask, inputs)
        dims, sizes = inputs.shape, tf.shape(inputs)
        merged = tf.reshape(inputs, tf.concat([sizes[:1] * sizes[1:2], sizes[2:]], 0))
        merged = tf.ensure_shape(merged, [None, *dims[2:]])
        kwargs: dict[str, Any] = {}
        if mask is not None and self.layer.supports_masking and _takes_mask(self.layer):
            kwargs["mask"] = tf.reshape(mask, tf.concat([[-1], tf.shape(mask)[2:]], 0))
        steps = self.layer(merged, training=training, **kwargs)
        outputs = tf.reshape(steps, tf.concat([sizes[:2], tf.shape(steps)[1:]], 0))
        # Keras computes the steps with the mixed precision of this layer, not with the inner one's.
        if _is_mixed(self) and outputs.dtype.is_floating:
            outputs = tf.cast(outputs, self.compute_dtype)
        elif _is_mixed(self.layer) and outputs.dtype == self.layer.compute_dtype:
            outputs = tf.cast(outputs, self.layer.variable_dtype)
        return tf.ensure_shape(outputs, [*dims[:2], *steps.shape[1:]])

    def _check_mask(self, mask: Any, inputs: Any) -> None:
        if len(mask.shape) < 2 or not inputs.shape[:2].is_compatible_with(mask.shape[:2]):
            raise ValueError(
                f"TimeDistributed '{self.name}' expected a mask of shape (batch, time), which is "
                f"{tuple(inputs.shape[:2])} here. Received: mask.shape={tuple(mask.shape)}"
            )


def _is_mixed(layer: Any) -> bool:
    return layer.compute_dtype != layer.variable_dtype


def _takes_mask(layer: Any) -> bool:
    return "mask" in layer.call.__code__.co_varnames
