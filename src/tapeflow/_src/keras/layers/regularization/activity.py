"""`ActivityRegularization`: a penalty on the inputs of the layer."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.layers.layer import Layer
from tapeflow.keras import regularizers


class ActivityRegularization(Layer):
    """Returns its inputs and adds an L1 and L2 penalty on them to the losses.

    Args:
        l1: Factor of the sum of absolute values.
        l2: Factor of the sum of squares.

    Example:
        >>> layer = tf.keras.layers.ActivityRegularization(l1=0.5)
        >>> outputs = layer(tf.constant([[1.0, -3.0]]))
        >>> [float(loss) for loss in layer.losses]
        [2.0]
    """

    _tpf_has_no_weights = True

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=regularizers.L1L2(l1=l1, l2=l2), **kwargs)
        self.supports_masking = True
        self.l1 = l1
        self.l2 = l2

    def call(self, inputs: Any) -> Any:
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), "l1": self.l1, "l2": self.l2}
        config.pop("activity_regularizer", None)
        return config
