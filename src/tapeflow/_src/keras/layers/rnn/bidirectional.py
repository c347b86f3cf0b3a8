"""`Bidirectional`: runs a recurrent layer forwards and a copy of it backwards."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.rnn.rnn import with_named_states
from tapeflow._src.keras.saving.deserialization import located, member, read_object
from tapeflow._src.keras.saving.registry import LAYER
from tapeflow._src.keras.saving.serialization import serialize_keras_object

_MERGED = {
    "sum": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "ave": lambda a, b: (a + b) / 2,
    "concat": lambda a, b: tf.concat([a, b], -1),
}


class Bidirectional(Layer):
    """Runs a recurrent layer over sequences in both directions and merges the outputs.

    The layers inside are copies with the config of `layer`; with `return_sequences`, the outputs of
    the reverse direction are put back into the order of the steps.

    Args:
        layer: Recurrent layer for the forward direction, such as `LSTM`.
        merge_mode: `"concat"`, `"sum"`, `"mul"` or `"ave"`; None for a pair of both outputs.
        weights: Initial weights of both layers.
        backward_layer: Layer for the reverse direction; a copy of `layer` if None.

    Call arguments:
        sequences: Tensor of shape (batch, steps, features), or a ragged tensor.
        initial_state: States of the forward layer, then those of the backward layer.
        mask: Boolean tensor of shape (batch, steps).
        training: Whether dropout is active.

    Raises:
        TypeError: A layer is not recurrent.
        ValueError: A layer is no layer, `merge_mode` is unknown, or the layers do not fit together.

    Example:
        >>> layer = tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(4, return_sequences=True))
        >>> layer(tf.ones((2, 5, 3))).shape
        TensorShape([2, 5, 8])
    """

    _tpf_builds_nothing = False

    def __init__(
        self,
        layer: Any,
        merge_mode: str | None = "concat",
        weights: Any = None,
        backward_layer: Any = None,
        **kwargs: Any,
    ) -> None:
        for name, each in (("layer", layer), ("backward_layer", backward_layer)):
            if not isinstance(each, Layer) and not (name == "backward_layer" and each is None):
                raise ValueError(
                    f"Bidirectional: `{name}` must be a Keras layer. Received: {each} (of type "
                    f"{type(each).__name__})"
                )
            if each is not None and not hasattr(each, "go_backwards"):
                raise TypeError(
                    f"Bidirectional: `{name}` must be a recurrent layer, such as LSTM, which has "
                    f"`go_backwards`. Received: {each}"
                )
        if merge_mode is not None and merge_mode not in _MERGED:
            raise ValueError(
                f"Bidirectional: `merge_mode` must be one of {list(_MERGED)} or None. Received: "
                f"merge_mode={merge_mode!r}"
            )
        super().__init__(**kwargs)
        self.merge_mode = merge_mode
        self.forward_layer = _copied(layer, f"forward_{layer.name.removeprefix('forward_')}")
        if backward_layer is None:
            name = f"backward_{layer.name.removeprefix('forward_')}"
            self.backward_layer = _copied(layer, name, go_backwards=not layer.go_backwards)
        else:
            self.backward_layer = backward_layer
        self._check_alike()
        # Merged outputs must not repeat the last one of a direction where steps are masked.
        self.forward_layer.zero_output_for_mask = layer.return_sequences
        self.backward_layer.zero_output_for_mask = layer.return_sequences
        self.stateful = layer.stateful
        self.return_sequences = layer.return_sequences
        self.return_state = layer.return_state
        self.supports_masking = True
        self._initial_weights = weights

    def _check_alike(self) -> None:
        forward, backward = self.forward_layer, self.backward_layer
        if forward.go_backwards == backward.go_backwards:
            raise ValueError(
                f"Bidirectional: the two layers must run in opposite directions. Received "
                f"`go_backwards={forward.go_backwards}` for both: set it to "
                f"{not forward.go_backwards} on `backward_layer`."
            )
        for name in ("stateful", "return_sequences", "return_state"):
            values = getattr(forward, name), getattr(backward, name)
            if values[0] != values[1]:
                raise ValueError(
                    f"Bidirectional: `layer` and `backward_layer` must have the same `{name}`. "
                    f"Received {values[0]} and {values[1]}."
                )

    @property
    def states(self) -> Any:
        """The states of both layers, of a stateful layer."""
        if not self.stateful or self.forward_layer.states is None:
            return None
        return (*self.forward_layer.states, *self.backward_layer.states)

    def reset_state(self) -> None:
        """Set the states of both layers back to their initial values."""
        self.forward_layer.reset_state()
        self.backward_layer.reset_state()

    def reset_states(self, states: Any = None) -> None:
        """Set the states of both layers.

        Args:
            states: Those of the forward layer, then those of the backward layer; None for the
                initial values.
        """
        if states is None:
            self.reset_state()
            return
        states = tf.nest.flatten(states)
        half = len(states) // 2
        self.forward_layer.reset_states(states[:half])
        self.backward_layer.reset_states(states[half:])

    @property
    def constraints(self) -> dict[str, Any]:
        """Empty, as in Keras 2: constraints belong to the weights."""
        return {}

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        """Build both layers, and assign initial weights if there are any.

        Args:
            sequences_shape: Shape of the sequences with the batch axis.
            initial_state_shape: Ignored: it follows from the layers.
        """
        for layer in (self.forward_layer, self.backward_layer):
            if not layer.built:
                layer.build(sequences_shape)
                layer.built = True
        if self._initial_weights is not None:
            half = len(self._initial_weights) // 2
            self.forward_layer.set_weights(self._initial_weights[:half])
            self.backward_layer.set_weights(self._initial_weights[half:])

    def compute_output_shape(self, sequences_shape: Any, initial_state_shape: Any = None) -> Any:
        """Return the shape of the merged outputs, and with `return_state` of the states.

        Args:
            sequences_shape: Shape of the sequences with the batch axis.
            initial_state_shape: Ignored: it follows from the layers.
        """
        shape = self.forward_layer.compute_output_shape(sequences_shape)
        output, states = (shape[0], list(shape[1:])) if self.return_state else (shape, [])
        output = tuple(output)
        if self.merge_mode == "concat":
            merged: Any = (*output[:-1], None if output[-1] is None else 2 * output[-1])
        else:
            merged = output if self.merge_mode else (output, output)
        if not self.return_state:
            return merged
        heads = [merged] if self.merge_mode else list(merged)
        return (*heads, *states, *states)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        constant_count = getattr(self.forward_layer, "_tpf_num_constants", 0)
        args, kwargs = with_named_states(args, kwargs, constant_count)
        return super().__call__(*args, **kwargs)

    def call(
        self,
        sequences: Any,
        initial_state: Any = None,
        mask: Any = None,
        training: Any = None,
        constants: Any = None,
    ) -> Any:
        """Run both layers and merge their outputs.

        Args:
            sequences: Tensor of shape (batch, steps, features), or a ragged tensor.
            initial_state: States of the forward layer, then those of the backward layer.
            mask: Boolean tensor of shape (batch, steps).
            training: Whether dropout is active.
            constants: Tensors that the cells of both layers receive at each step (Keras 2).

        Returns:
            The merged outputs, or both if `merge_mode` is None; then the states if they are
            returned.
        """
        states: tuple[Any, Any] = (None, None)
        if initial_state is not None:
            half = len(initial_state) // 2
            states = list(initial_state[:half]), list(initial_state[half:])
        options = {"mask": mask, "training": training, "constants": constants}
        options = {name: value for name, value in options.items() if value is not None}
        forward = self.forward_layer(sequences, initial_state=states[0], **options)
        backward = self.backward_layer(sequences, initial_state=states[1], **options)
        ends: list[Any] = []
        if self.return_state:
            ends = [*forward[1:], *backward[1:]]
            forward, backward = forward[0], backward[0]
        if self.return_sequences:
            axis = 0 if getattr(self.forward_layer, "time_major", False) else 1
            backward = tf.reverse(backward, [axis])
        if self.merge_mode is None:
            output: Any = (forward, backward)
            return (*output, *ends) if self.return_state else output
        forward, backward = self._tpf_in_own_dtype(forward), self._tpf_in_own_dtype(backward)
        output = _MERGED[self.merge_mode](forward, backward)
        return (output, *ends) if self.return_state else output

    def _tpf_in_own_dtype(self, x: Any) -> Any:
        return x if x.dtype.name == self.compute_dtype else tf.cast(x, self.compute_dtype)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        masks = tf.nest.flatten(mask)
        mask = masks[0] if masks and self.return_sequences else None
        heads = [mask] if self.merge_mode else [mask, mask]
        if not self.return_state:
            return heads[0] if self.merge_mode else heads
        states = tf.nest.flatten(self.forward_layer.state_size)
        return [*heads, *(None for _ in range(2 * len(states)))]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "merge_mode": self.merge_mode,
            "layer": serialize_keras_object(self.forward_layer),
            "backward_layer": serialize_keras_object(self.backward_layer),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        layers = {}
        for name in ("layer", "backward_layer"):
            if config.get(name) is not None:
                with located(f".{name}"):
                    layers[name] = read_object(member(config, name, dict), LAYER, custom_objects)
        return cls(**{**config, **layers})


def _copied(layer: Any, name: str, **changes: Any) -> Any:
    """A new layer with the config of `layer`, under another name; built if `layer` is."""
    copy = type(layer).from_config({**layer.get_config(), "name": name, **changes})
    shapes = layer.get_build_config() if layer.built else None
    if shapes:
        copy.build_from_config(shapes)
    # Configs do not have it.
    if hasattr(layer, "use_cudnn"):
        copy.use_cudnn = layer.use_cudnn
    return copy
