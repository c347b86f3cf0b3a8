"""MobileNet, the third version: found by search, with squeeze and excitation."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.applications.architecture import (
    Architecture,
    Request,
    Stack,
    divisible,
    documented,
)
from tapeflow._src.keras.config import image_data_format
from tapeflow.keras import layers

# The blocks: expansion, filters, kernel (None for that of the model), stride, whether there is
# squeeze and excitation, whether the activation is ReLU rather than that of the model.
_SMALL: tuple[Any, ...] = (
    *(
        (1, 16, 3, 2, True, True),
        (72 / 16, 24, 3, 2, False, True),
        (88 / 24, 24, 3, 1, False, True),
    ),
    *((4, 40, None, 2, True, False), *[(6, 40, None, 1, True, False)] * 2),
    *[(3, 48, None, 1, True, False)] * 2,
    *((6, 96, None, 2, True, False), *[(6, 96, None, 1, True, False)] * 2),
)
_LARGE: tuple[Any, ...] = (
    *((1, 16, 3, 1, False, True), (4, 24, 3, 2, False, True), (3, 24, 3, 1, False, True)),
    *((3, 40, None, 2, True, True), *[(3, 40, None, 1, True, True)] * 2),
    *((6, 80, 3, 2, False, False), (2.5, 80, 3, 1, False, False)),
    *[(2.3, 80, 3, 1, False, False)] * 2,
    *[(6, 112, 3, 1, True, False)] * 2,
    *((6, 160, None, 2, True, False), *[(6, 160, None, 1, True, False)] * 2),
)


class MobileV3(Architecture):
    """A small or a large model; a minimalistic one has ReLU and small kernels alone."""

    pools = ("avg_pool", "max_pool")
    without_top = "_no_top_v2"

    def __init__(
        self, kind: str, alpha: float, minimalistic: bool, dropout: float, scales: bool
    ) -> None:
        self.kind, self.alpha, self.minimalistic = kind, alpha, minimalistic
        self.dropout, self.scales = dropout, scales
        self.blocks, self.last = (_SMALL, 1024) if kind == "small" else (_LARGE, 1280)
        plain = "_minimalistic" if minimalistic else ""
        self.file = f"mobilenet_v3/weights_mobilenet_v3_{kind}{plain}_224_{float(alpha)}_float"

    def input_shape(self, request: Request) -> Any:
        if request.input_shape is None:
            return (None, None, 3) if image_data_format() == "channels_last" else (3, None, None)
        sides = tuple(request.input_shape)
        sides = sides[:-1] if image_data_format() == "channels_last" else sides[1:]
        if any(side is not None and side < self.minimum for side in sides):
            raise ValueError(
                f"Images must have at least {self.minimum}x{self.minimum} pixels. Received: "
                f"input_shape={request.input_shape}"
            )
        return request.input_shape

    def _activated(self, net: Stack, relu: bool = False) -> Stack:
        return net.put(layers.ReLU()) if relu or self.minimalistic else net.act("hard_swish")

    def body(self, net: Stack, request: Request) -> Stack:
        net = Stack(net.tensor, {"epsilon": 0.001, "momentum": 0.999})
        if self.scales:
            net = net.put(layers.Rescaling(scale=1 / 127.5, offset=-1.0))
        net = net.conv(16, 3, 2, padding="same", name="conv").norm("conv_bn")
        net = self._activated(net)
        for number, block in enumerate(self.blocks):
            net = self._block(net, number, *block)
        net = net.conv(divisible(6 * net.channels), padding="same", name="conv_1")
        return self._activated(net.norm("conv_1_bn"))

    def _block(
        self,
        net: Stack,
        number: int,
        expansion: float,
        filters: int,
        kernel: int | None,
        stride: int,
        squeezes: bool,
        relu: bool,
    ) -> Stack:
        name = f"expanded_conv_{number}_" if number else "expanded_conv_"
        filters, width = divisible(filters * self.alpha), divisible(net.channels * expansion)
        size = kernel or (3 if self.minimalistic else 5)
        new = net
        if number:
            new = net.conv(width, padding="same", name=f"{name}expand").norm(f"{name}expand_bn")
            new = self._activated(new, relu)
        new = new.depthwise(size, stride, f"{name}depthwise", pad=f"{name}depthwise_pad")
        new = self._activated(new.norm(f"{name}depthwise_bn"), relu)
        if squeezes and not self.minimalistic:
            new = self._squeezed(new, width, f"{name}squeeze_excite")
        new = new.conv(filters, padding="same", name=f"{name}project").norm(f"{name}project_bn")
        same = stride == 1 and filters == net.channels
        return net.add(new, name=f"{name}add") if same else new

    @staticmethod
    def _squeezed(net: Stack, width: int, name: str) -> Stack:
        """Each channel times a factor that depends on the means of all of them."""
        factor = net.put(layers.GlobalAveragePooling2D(keepdims=True, name=f"{name}_avg_pool"))
        narrow = divisible(width * 0.25)
        factor = factor.conv(narrow, use_bias=True, padding="same", name=f"{name}_conv")
        factor = factor.put(layers.ReLU(name=f"{name}_relu"))
        factor = factor.conv(width, use_bias=True, padding="same", name=f"{name}_conv_1")
        gate = layers.ReLU(6.0)(factor.tensor + 3.0) * (1.0 / 6.0)
        return net.on(layers.Multiply(name=f"{name}_mul")([net.tensor, gate]))

    def head(self, net: Stack, request: Request) -> Stack:
        last = divisible(self.last * self.alpha) if self.alpha > 1 else self.last
        net = net.put(layers.GlobalAveragePooling2D(keepdims=True))
        net = self._activated(net.conv(last, use_bias=True, padding="same", name="conv_2"))
        if self.dropout > 0:
            net = net.put(layers.Dropout(self.dropout))
        net = net.conv(request.classes, use_bias=True, padding="same", name="logits")
        return net.put(layers.Flatten()).act(request.activation, "predictions")


def _function(kind: str, label: str) -> Any:
    def create(
        input_shape: Any = None,
        alpha: float = 1.0,
        minimalistic: bool = False,
        include_top: bool = True,
        weights: Any = "imagenet",
        input_tensor: Any = None,
        classes: int = 1000,
        pooling: str | None = None,
        dropout_rate: float = 0.2,
        classifier_activation: Any = "softmax",
        include_preprocessing: bool = True,
        name: str = label,
    ) -> Any:
        model = MobileV3(kind, alpha, minimalistic, dropout_rate, include_preprocessing)
        shape, activation = input_shape, classifier_activation
        return model.create(
            Request(include_top, weights, input_tensor, shape, pooling, classes, activation, name)
        )

    return documented(create, label, MobileV3(kind, 1.0, False, 0.2, True))


MobileNetV3Small = _function("small", "MobileNetV3Small")
MobileNetV3Large = _function("large", "MobileNetV3Large")
