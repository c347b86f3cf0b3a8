"""ConvNeXt: convolutional blocks made like those of transformers."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.applications.architecture import Architecture, Request, Stack, documented
from tapeflow._src.keras.models.sequential import Sequential
from tapeflow.keras import layers
from tapeflow.keras.initializers import Constant

_EPSILON = 1e-6


class StochasticDepth(layers.Layer):  # type: ignore[misc, name-defined]
    """Drops whole samples of a residual branch while training, and scales the others."""

    def __init__(self, drop_path_rate: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.drop_path_rate = drop_path_rate

    def call(self, x: Any, training: Any = None) -> Any:
        if not training:
            return x
        kept = 1 - self.drop_path_rate
        shape = [tf.shape(x)[0], *[1] * (len(x.shape) - 1)]
        mask = tf.floor(kept + tf.random.uniform(shape, dtype=x.dtype))
        return x / kept * mask

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "drop_path_rate": self.drop_path_rate}


class LayerScale(layers.Layer):  # type: ignore[misc, name-defined]
    """Multiplies each channel by a weight."""

    def __init__(self, init_values: float, projection_dim: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.init_values = init_values
        self.projection_dim = projection_dim

    def build(self, input_shape: Any) -> None:
        self.gamma = self.add_weight(
            shape=(self.projection_dim,), initializer=Constant(self.init_values)
        )

    def call(self, x: Any) -> Any:
        return x * self.gamma

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        own = {"init_values": self.init_values, "projection_dim": self.projection_dim}
        return {**super().get_config(), **own}


class ConvNext(Architecture):
    """`widths`: the filters of the stages; `middle`: the blocks of the third one."""

    def __init__(self, kind: str, middle: int, first: int, scales: bool) -> None:
        self.widths = [first * 2**n for n in range(4)]
        self.depths = (3, 3, middle, 3)
        self.scales = scales
        self.file = f"convnext/convnext_{kind}"

    def body(self, net: Stack, request: Request) -> Stack:
        name = request.name
        if self.scales and net.channels == 3:
            net = net.put(
                layers.Normalization(
                    mean=[255 * each for each in (0.485, 0.456, 0.406)],
                    variance=[(255 * each) ** 2 for each in (0.229, 0.224, 0.225)],
                    name=f"{name}_prestem_normalization",
                )
            )
        # All that make the image smaller, created before the blocks, as their names are counted.
        reductions = [self._reduction(name, stage) for stage in range(4)]
        for stage, (width, depth) in enumerate(zip(self.widths, self.depths)):
            net = net.put(reductions[stage])
            for number in range(depth):
                net = self._block(net, width, f"{name}_stage_{stage}_block_{number}")
        return net

    def _reduction(self, name: str, stage: int) -> Any:
        width = self.widths[stage]
        if not stage:
            parts = [
                layers.Conv2D(width, 4, strides=4, name=f"{name}_stem_conv"),
                layers.LayerNormalization(epsilon=_EPSILON, name=f"{name}_stem_layernorm"),
            ]
            return Sequential(parts, name=f"{name}_stem")
        which = stage - 1
        label = f"{name}_downsampling"
        norm = layers.LayerNormalization(epsilon=_EPSILON, name=f"{label}_layernorm_{which}")
        conv = layers.Conv2D(width, 2, strides=2, name=f"{label}_conv_{which}")
        return Sequential([norm, conv], name=f"{label}_block_{which}")

    @staticmethod
    def _block(net: Stack, width: int, name: str) -> Stack:
        new = net.conv(
            width,
            7,
            use_bias=True,
            padding="same",
            groups=width,
            name=f"{name}_depthwise_conv",
        )
        new = new.put(layers.LayerNormalization(epsilon=_EPSILON, name=f"{name}_layernorm"))
        new = new.put(layers.Dense(4 * width, name=f"{name}_pointwise_conv_1"))
        new = new.act("gelu", f"{name}_gelu")
        new = new.put(layers.Dense(width, name=f"{name}_pointwise_conv_2"))
        new = new.put(LayerScale(1e-6, width, name=f"{name}_layer_scale"))
        new = new.act("linear", f"{name}_identity")
        return net.on(net.tensor + new.tensor)

    def head(self, net: Stack, request: Request) -> Stack:
        name = request.name
        net = net.put(layers.GlobalAveragePooling2D(name=f"{name}_head_gap"))
        net = net.put(layers.LayerNormalization(epsilon=_EPSILON, name=f"{name}_head_layernorm"))
        activation = request.activation
        return net.put(
            layers.Dense(request.classes, activation=activation, name=f"{name}_head_dense")
        )

    def end(self, net: Stack, request: Request) -> Stack:
        net = super().end(net, request)
        return net.put(layers.LayerNormalization(epsilon=_EPSILON))


def _function(kind: str, label: str, middle: int, first: int) -> Any:
    def create(
        include_top: bool = True,
        include_preprocessing: bool = True,
        weights: Any = "imagenet",
        input_tensor: Any = None,
        input_shape: Any = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: Any = "softmax",
        name: str = f"convnext_{kind}",
        *,
        model_name: str | None = None,  # what Keras 2 calls the name
    ) -> Any:
        name = model_name or name
        shape, activation = input_shape, classifier_activation
        return ConvNext(kind, middle, first, include_preprocessing).create(
            Request(include_top, weights, input_tensor, shape, pooling, classes, activation, name)
        )

    return documented(create, label, ConvNext(kind, middle, first, True))


ConvNeXtTiny = _function("tiny", "ConvNeXtTiny", 9, 96)
ConvNeXtSmall = _function("small", "ConvNeXtSmall", 27, 96)
ConvNeXtBase = _function("base", "ConvNeXtBase", 27, 128)
ConvNeXtLarge = _function("large", "ConvNeXtLarge", 27, 192)
ConvNeXtXLarge = _function("xlarge", "ConvNeXtXLarge", 27, 256)
