"""Layers that are one function: identity, masking and functions of the user's."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.masks import set_mask
from tapeflow._src.keras.saving.deserialization import in_safe_mode, located, read_object
from tapeflow._src.keras.saving.registry import FUNCTION
from tapeflow._src.keras.saving.serialization import serialize_keras_object


class Identity(Layer):
    """Returns its inputs unchanged, masks included.

    Useful where a layer is required, such as in a list of optional steps.

    Example:
        >>> tf.keras.layers.Identity()(tf.constant([1, 2])).numpy()
        array([1, 2], dtype=int32)
    """

    _tpf_has_no_weights = True

    _tpf_keeps_dtype = True

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, inputs: Any) -> Any:
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def compute_output_spec(self, inputs: Any) -> Any:
        return tf.nest.map_structure(lambda x: KerasTensor(x.shape, x.dtype, x.sparse), inputs)


class Masking(Layer):
    """Masks the time steps at which all features equal `mask_value`.

    Inputs have the shape (batch, steps, features). Masked steps become zeros in the outputs, and
    the mask travels with them: recurrent layers, losses and metrics leave these steps out.

    Args:
        mask_value: Value of padded steps.

    Example:
        >>> layer = tf.keras.layers.Masking()
        >>> layer.compute_mask(tf.constant([[[1.0], [0.0]]])).numpy()
        array([[ True, False]])
    """

    _tpf_has_no_weights = True

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mask_value = mask_value
        self.supports_masking = True

    def compute_mask(self, inputs: Any, previous_mask: Any = None, *, mask: Any = None) -> Any:
        return tf.reduce_any(self._differs(inputs), axis=-1)

    def _differs(self, inputs: Any) -> Any:
        inputs = tf.convert_to_tensor(inputs)
        # Integers are compared as floats: 0.5 is no integer.
        exact = inputs if inputs.dtype.is_floating else tf.cast(inputs, tf.float32)
        return tf.not_equal(exact, tf.cast(self.mask_value, exact.dtype))

    def call(self, inputs: Any) -> Any:
        mask = tf.reduce_any(self._differs(inputs), axis=-1, keepdims=True)
        outputs = inputs * tf.cast(mask, inputs.dtype)
        set_mask(outputs, tf.squeeze(mask, axis=-1))
        return outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "mask_value": self.mask_value}


class Lambda(Layer):
    """Wraps a function as a layer.

    A Lambda in a file is refused by default when it is loaded, as it holds code. Write a subclass
    of `Layer` for anything with variables, or that is to be saved.

    Args:
        function: Function of the inputs; it should not create or use variables. It may also take
            `mask` and `training`, which are then passed on.
        output_shape: Shape of the outputs without the batch, or a function of the input shape;
            inferred if None.
        mask: Mask of the outputs, or a function `(inputs, mask)` that returns it.
        arguments: Keyword arguments for each call of the function.

    Raises:
        TypeError: `function` is not callable.

    Example:
        >>> tf.keras.layers.Lambda(lambda x: x * 2)(tf.constant([1.0, 2.0])).numpy()
        array([2., 4.], dtype=float32)
    """

    _tpf_builds_nothing = False

    def __init__(
        self,
        function: Callable[..., Any],
        output_shape: Any = None,
        mask: Any = None,
        arguments: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if not callable(function):
            raise TypeError(f"Lambda: `function` must be callable. Received: {function!r}")
        super().__init__(**kwargs)
        self.function = function
        self._output_shape = output_shape
        self.mask = mask
        self.arguments = arguments or {}
        self.supports_masking = mask is not None
        parameters = _parameters_of(function)
        self._passes_on = {name for name in ("mask", "training") if name in parameters}

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        passed = {"mask": mask, "training": training}
        call_arguments: dict[str, Any] = {name: passed[name] for name in self._passes_on}
        return self.function(inputs, **(self.arguments | call_arguments))

    def compute_output_spec(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        if self._output_shape is None:
            return super().compute_output_spec(inputs, mask=mask, training=training)
        shape = self._output_shape
        if callable(shape):
            return KerasTensor(shape(inputs.shape), dtype=self.compute_dtype)
        return KerasTensor((inputs.shape[0], *shape), dtype=self.compute_dtype)

    def compute_mask(self, inputs: Any, previous_mask: Any = None, *, mask: Any = None) -> Any:
        if callable(self.mask):
            return self.mask(inputs, mask if previous_mask is None else previous_mask)
        return self.mask

    def get_config(self) -> dict[str, Any]:
        config = {
            **super().get_config(),
            "function": _serialized(self.function),
            "arguments": serialize_keras_object(self.arguments),
        }
        if self._output_shape is not None:
            config["output_shape"] = _serialized(self._output_shape)
        if self.mask is not None:
            config["mask"] = _serialized(self.mask)
        return config

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: Any = None, safe_mode: bool | None = None
    ) -> Any:
        safe = in_safe_mode() if safe_mode is None else safe_mode
        config = dict(config)
        for part in ("function", "output_shape", "mask", "arguments"):
            if isinstance(config.get(part), dict):
                with located(f".{part}"):
                    config[part] = read_object(
                        config[part], FUNCTION, custom_objects, safe is not False, required=False
                    )
        return cls(**config)


def _serialized(function: Any) -> Any:
    """A function as the config of a Lambda layer has it: the parts of a lambda one by one."""
    config = serialize_keras_object(function)
    if isinstance(config, dict) and config.get("class_name") == "__lambda__":
        parts = dict(zip(("code", "defaults", "closure"), config["config"]["value"]))
        return {"class_name": "__lambda__", "config": parts}
    return config


def _parameters_of(function: Any) -> tuple[str, ...]:
    if isinstance(function, types.MethodType):
        function = function.__func__
    code = getattr(function, "__code__", None)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if code else ()
