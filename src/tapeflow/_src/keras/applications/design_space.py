"""RegNet, of Keras 2: stages of grouped bottlenecks whose widths come from a design space.

The blocks X have three convolutions beside a shortcut, the blocks Y squeeze and excitation too.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.applications.architecture import Architecture, Request, Stack, documented
from tapeflow._src.keras.utils.naming import get_uid, uniquify
from tapeflow.keras import layers

# By variant: the blocks of each stage, the filters of each stage, the filters of a group.
VARIANTS: dict[str, tuple[tuple[int, ...], tuple[int, ...], int]] = {
    "X002": ((1, 1, 4, 7), (24, 56, 152, 368), 8),
    "X004": ((1, 2, 7, 12), (32, 64, 160, 384), 16),
    "X006": ((1, 3, 5, 7), (48, 96, 240, 528), 24),
    "X008": ((1, 3, 7, 5), (64, 128, 288, 672), 16),
    "X016": ((2, 4, 10, 2), (72, 168, 408, 912), 24),
    "X032": ((2, 6, 15, 2), (96, 192, 432, 1008), 48),
    "X040": ((2, 5, 14, 2), (80, 240, 560, 1360), 40),
    "X064": ((2, 4, 10, 1), (168, 392, 784, 1624), 56),
    "X080": ((2, 5, 15, 1), (80, 240, 720, 1920), 120),
    "X120": ((2, 5, 11, 1), (224, 448, 896, 2240), 112),
    "X160": ((2, 6, 13, 1), (256, 512, 896, 2048), 128),
    "X320": ((2, 7, 13, 1), (336, 672, 1344, 2520), 168),
    "Y002": ((1, 1, 4, 7), (24, 56, 152, 368), 8),
    "Y004": ((1, 3, 6, 6), (48, 104, 208, 440), 8),
    "Y006": ((1, 3, 7, 4), (48, 112, 256, 608), 16),
    "Y008": ((1, 3, 8, 2), (64, 128, 320, 768), 16),
    "Y016": ((2, 6, 17, 2), (48, 120, 336, 888), 24),
    "Y032": ((2, 5, 13, 1), (72, 216, 576, 1512), 24),
    "Y040": ((2, 6, 12, 2), (128, 192, 512, 1088), 64),
    "Y064": ((2, 7, 14, 2), (144, 288, 576, 1296), 72),
    "Y080": ((2, 4, 10, 1), (168, 448, 896, 2016), 56),
    "Y120": ((2, 5, 11, 1), (224, 448, 896, 2240), 112),
    "Y160": ((2, 4, 11, 1), (224, 448, 1232, 3024), 112),
    "Y320": ((2, 5, 12, 1), (232, 696, 1392, 3712), 232),
}


class Reg(Architecture):
    """A variant of `VARIANTS`, with or without the layer that scales images."""

    def __init__(self, variant: str, scales: bool) -> None:
        self.depths, self.widths, self.group_width = VARIANTS[variant]
        self.block, self.scales = variant[0], scales
        self.file = f"regnet/regnet{variant.lower()}"

    def body(self, net: Stack, request: Request) -> Stack:
        name = request.name
        net = Stack(net.tensor, {"momentum": 0.9, "epsilon": 1e-5})
        if self.scales:
            net = net.put(layers.Rescaling(1 / 255, name=f"{name}_prestem_rescaling"))
        net = self._conv(net, 32, 3, 2, f"{name}_stem", "_conv")
        net = net.put(layers.ReLU(name=f"{name}_stem_relu"))
        for stage, (depth, width) in enumerate(zip(self.depths, self.widths)):
            for number in range(depth):
                label = f"{name}_Stage_{stage}_{self.block}Block_{number}"
                net = self._block(net, width, 1 if number else 2, label)
        return net

    @staticmethod
    def _conv(
        net: Stack, width: int, size: int, stride: int, name: str, end: str = "", groups: int = 1
    ) -> Stack:
        """A convolution and its normalization, which the names of Keras 2 tell apart."""
        net = net.conv(
            width,
            size,
            stride,
            padding="valid" if size == 1 else "same",
            groups=groups,
            kernel_initializer="he_normal",
            name=name + end,
        )
        return net.norm(f"{name}_bn")

    def _block(self, net: Stack, width: int, stride: int, name: str) -> Stack:
        shortcut = net
        if stride > 1:
            shortcut = self._conv(net, width, 1, stride, f"{name}_skip", "_1x1")
        groups, narrow = max(width // self.group_width, 1), int(net.channels * 0.25)
        new = self._conv(net, width, 1, 1, f"{name}_conv_1x1_1")
        new = new.put(layers.ReLU(name=f"{name}_conv_1x1_1_relu"))
        new = self._conv(new, width, 3, stride, f"{name}_conv_3x3", groups=groups)
        new = new.put(layers.ReLU(name=f"{name}_conv_3x3_relu"))
        if self.block == "Y":
            new = self._squeezed(new, narrow, f"{name}_squeeze_and_excite")
        new = self._conv(new, width, 1, 1, f"{name}_conv_1x1_2")
        new = new.add(shortcut, name=uniquify("tf.__operators__.add"))
        return new.put(layers.ReLU(name=f"{name}_exit_relu"))

    @staticmethod
    def _squeezed(net: Stack, narrow: int, name: str) -> Stack:
        """Squeeze and excitation: scale each channel by a function of the means of all."""
        factor = net.put(layers.GlobalAveragePooling2D(keepdims=True, name=f"{name}_gap"))
        steps = (("squeeze", narrow, "relu"), ("excite", net.channels, "sigmoid"))
        for label, filters, function in steps:
            factor = factor.conv(
                filters,
                use_bias=True,
                activation=function,
                kernel_initializer="he_normal",
                name=f"{name}_{label}",
            )
        multiply = layers.Multiply(name=uniquify("tf.math.multiply"))
        return net.on(multiply([factor.tensor, net.tensor]))

    def head(self, net: Stack, request: Request) -> Stack:
        # Keras 2 checks `classifier_activation`, but its classifier returns logits regardless.
        number = get_uid("head")
        net = net.put(layers.GlobalAveragePooling2D(name=f"{number}_head_gap"))
        return net.put(layers.Dense(request.classes, name=f"{number}head_dense"))


def model_of(variant: str) -> Any:
    """The public function that creates a variant."""

    def create(
        model_name: str = f"regnet{variant.lower()}",
        include_top: bool = True,
        include_preprocessing: bool = True,
        weights: Any = "imagenet",
        input_tensor: Any = None,
        input_shape: Any = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: Any = "softmax",
    ) -> Any:
        shape, activation, name = input_shape, classifier_activation, model_name
        return Reg(variant, include_preprocessing).create(
            Request(include_top, weights, input_tensor, shape, pooling, classes, activation, name)
        )

    return documented(create, f"RegNet{variant}", Reg(variant, True))
