"""`TFSMLayer`: a SavedModel as a layer."""

from __future__ import annotations

import os
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.saving.deserialization import in_safe_mode


class TFSMLayer(Layer):
    """Calls a function of a SavedModel.

    The weights of the SavedModel are those of the layer, but its code is the saved one. A file of a
    model with this layer holds only the path; it is loaded with `safe_mode=False` alone.

    Args:
        filepath: Folder of the SavedModel.
        call_endpoint: Name of the function, or of the signature, to call.
        call_training_endpoint: The one to call while training; None for the same.
        trainable: Whether the weights may be trained.
        dtype: Dtype, or dtype policy, of the layer.

    Call arguments:
        inputs: One tensor, a structure of tensors in the order of the signature, or a dict by name.
        training: Whether to call the endpoint for training.

    Raises:
        ValueError: The SavedModel has no such endpoint.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
        >>> model.export("exported", verbose=False)
        >>> layer = tf.keras.layers.TFSMLayer("exported")
        >>> layer(tf.ones((3, 4))).shape
        TensorShape([3, 2])
    """

    _tpf_builds_nothing = False

    def __init__(
        self,
        filepath: Any,
        call_endpoint: str = "serve",
        call_training_endpoint: str | None = None,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(trainable=trainable, name=name, dtype=dtype)
        self.filepath = os.fspath(filepath)
        self.call_endpoint = call_endpoint
        self.call_training_endpoint = call_training_endpoint
        loaded = tf.saved_model.load(self.filepath)
        object.__setattr__(self, "_loaded", loaded)
        self._endpoint = _endpoint(loaded, call_endpoint, self.filepath)
        self._training_endpoint = None
        if call_training_endpoint is not None:
            self._training_endpoint = _endpoint(loaded, call_training_endpoint, self.filepath)
        endpoints = (self._endpoint, self._training_endpoint)
        variables = [v for each in endpoints for v in _variables_of(each)]
        self._own = list({id(variable): variable for variable in variables}.values())
        self.built = True

    def call(self, inputs: Any, training: Any = False, **kwargs: Any) -> Any:
        if training and self._training_endpoint is not None:
            return self._training_endpoint(inputs, **kwargs)
        return self._endpoint(inputs, **kwargs)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "filepath": self.filepath,
            "call_endpoint": self.call_endpoint,
            "call_training_endpoint": self.call_training_endpoint,
        }

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: Any = None, safe_mode: bool | None = None
    ) -> Any:
        safe = in_safe_mode() if safe_mode is None else safe_mode
        if safe is not False:
            raise ValueError(
                f"A TFSMLayer in a file names a SavedModel elsewhere ({config.get('filepath')!r}): "
                f"it is loaded with `safe_mode=False` only."
            )
        return cls(**config)


def _endpoint(loaded: Any, name: str, path: str) -> Any:
    signatures = getattr(loaded, "signatures", {})
    endpoint = getattr(loaded, name, None)
    if callable(endpoint):
        return endpoint
    if name in signatures:
        return _called_by_position(signatures[name])
    raise ValueError(
        f"The SavedModel {path} has no endpoint '{name}'. Its signatures: {sorted(signatures)}."
    )


def _variables_of(endpoint: Any) -> list[Any]:
    """The variables that a function of a SavedModel uses."""
    signature = getattr(endpoint, "signature", endpoint)
    traces = getattr(signature, "concrete_functions", None) or [signature]
    return [v for trace in traces for v in getattr(trace, "variables", ())]


def _called_by_position(signature: Any) -> Any:
    """A signature, which takes its arguments by name, as a function of one input."""
    names = list(signature.structured_input_signature[1])

    def call(inputs: Any, **kwargs: Any) -> Any:
        if isinstance(inputs, dict):
            return signature(**inputs, **kwargs)
        return signature(**dict(zip(names, tf.nest.flatten(inputs))), **kwargs)

    call.signature = signature  # type: ignore[attr-defined]
    return call
