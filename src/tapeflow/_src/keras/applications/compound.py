"""EfficientNet: inverted residual blocks, scaled in width, depth and resolution together."""

from __future__ import annotations

import math
from typing import Any

from tapeflow._src.keras.applications.architecture import (
    Architecture,
    Request,
    Stack,
    divisible,
    model_function,
)
from tapeflow.keras import layers
from tapeflow.keras.initializers import VarianceScaling

_DEVIATIONS = (0.229, 0.224, 0.225)
# The stages: kernel, repeats, filters in and out, expansion, stride.
_STAGES = (
    *((3, 1, 32, 16, 1, 1), (3, 2, 16, 24, 6, 2), (5, 2, 24, 40, 6, 2), (3, 3, 40, 80, 6, 2)),
    *((5, 3, 80, 112, 6, 1), (5, 4, 112, 192, 6, 2), (3, 1, 192, 320, 6, 1)),
)


def conv_initializer() -> VarianceScaling:
    """How the kernels of convolutions begin."""
    return VarianceScaling(scale=2.0, mode="fan_out", distribution="truncated_normal")


def top(net: Stack, request: Request, dropout: float, **kwargs: Any) -> Stack:
    """The classifier of EfficientNet."""
    net = net.put(layers.GlobalAveragePooling2D(name="avg_pool"))
    if dropout > 0:
        net = net.put(layers.Dropout(dropout, name="top_dropout"))
    initializer = VarianceScaling(scale=1 / 3, mode="fan_out", distribution="uniform")
    return net.put(
        layers.Dense(
            request.classes,
            activation=request.activation,
            kernel_initializer=initializer,
            name="predictions",
            **kwargs,
        )
    )


def squeezed(net: Stack, narrow: int, name: str, activation: str = "swish") -> Stack:
    """Squeeze and excitation: scale each channel by a function of the means of all channels."""
    width = net.channels
    factor = net.put(layers.GlobalAveragePooling2D(name=f"{name}se_squeeze"))
    shape = (1, 1, width) if net.axis == 3 else (width, 1, 1)
    factor = factor.put(layers.Reshape(shape, name=f"{name}se_reshape"))
    for label, filters, function in (("reduce", narrow, activation), ("expand", width, "sigmoid")):
        factor = factor.conv(
            filters,
            use_bias=True,
            padding="same",
            activation=function,
            kernel_initializer=conv_initializer(),
            name=f"{name}se_{label}",
        )
    return net.on(layers.Multiply(name=f"{name}se_excite")([net.tensor, factor.tensor]))


def added(net: Stack, new: Stack, rate: float, name: str) -> Stack:
    """The sum of the input and of the block, which is dropped now and then while training."""
    if rate > 0:
        new = new.put(layers.Dropout(rate, noise_shape=(None, 1, 1, 1), name=f"{name}drop"))
    return new.add(net, name=f"{name}add")


class Efficient(Architecture):
    """`width` and `depth` multiply filters and repeats."""

    pools = ("avg_pool", "max_pool")
    url = "https://storage.googleapis.com/keras-applications/"

    def __init__(self, name: str, width: float, depth: float, size: int, dropout: float) -> None:
        self.width, self.depth, self.size, self.dropout = width, depth, size, dropout
        self.file = name

    def body(self, net: Stack, request: Request) -> Stack:
        net = net.put(layers.Rescaling(1 / 255)).put(layers.Normalization(axis=net.axis))
        if request.weights == "imagenet":
            # The weights of ImageNet expect it: they were trained so.
            net = net.put(layers.Rescaling([1 / math.sqrt(each) for each in _DEVIATIONS]))
        net = net.pad_for(3, "stem_conv_pad")
        net = self._conv(net, divisible(32 * self.width), "stem", 3, 2, "valid")
        stages = [(math.ceil(self.depth * stage[1]), stage) for stage in _STAGES]
        total, done = sum(repeats for repeats, _ in stages), 0
        for number, (repeats, stage) in enumerate(stages, 1):
            for repeat in range(repeats):
                name = f"block{number}{chr(ord('a') + repeat)}_"
                net = self._block(net, name, stage, repeat, 0.2 * done / total)
                done += 1
        return self._conv(net, divisible(1280 * self.width), "top", 1, 1, "same")

    @staticmethod
    def _conv(net: Stack, filters: int, name: str, size: int, stride: int, padding: str) -> Stack:
        arguments = {"padding": padding, "kernel_initializer": conv_initializer()}
        net = net.conv(filters, size, stride, name=f"{name}_conv", **arguments)
        return net.norm(f"{name}_bn").act("swish", f"{name}_activation")

    def _block(self, net: Stack, name: str, stage: Any, repeat: int, rate: float) -> Stack:
        size, _, _, filters, expansion, stride = stage
        stride = 1 if repeat else stride
        filters, narrow = divisible(filters * self.width), max(1, int(net.channels * 0.25))
        new = net
        if expansion != 1:
            new = self._conv(net, expansion * net.channels, f"{name}expand", 1, 1, "same")
        new = new.depthwise(
            size,
            stride,
            f"{name}dwconv",
            pad=f"{name}dwconv_pad",
            depthwise_initializer=conv_initializer(),
        )
        new = new.norm(f"{name}bn").act("swish", f"{name}activation")
        new = squeezed(new, narrow, name)
        initializer = conv_initializer()
        new = new.conv(
            filters, padding="same", name=f"{name}project_conv", kernel_initializer=initializer
        ).norm(f"{name}project_bn")
        same = stride == 1 and filters == net.channels
        return added(net, new, rate, name) if same else new

    def head(self, net: Stack, request: Request) -> Stack:
        return top(net, request, self.dropout)


# Width, depth, resolution, dropout.
_SCALES = (
    *((1.0, 1.0, 224, 0.2), (1.0, 1.1, 240, 0.2), (1.1, 1.2, 260, 0.3), (1.2, 1.4, 300, 0.3)),
    *((1.4, 1.8, 380, 0.4), (1.6, 2.2, 456, 0.4), (1.8, 2.6, 528, 0.5), (2.0, 3.1, 600, 0.5)),
)
(
    EfficientNetB0,
    EfficientNetB1,
    EfficientNetB2,
    EfficientNetB3,
    EfficientNetB4,
    EfficientNetB5,
    EfficientNetB6,
    EfficientNetB7,
) = (
    model_function(Efficient(f"efficientnetb{n}", *scale), f"EfficientNetB{n}", f"efficientnetb{n}")
    for n, scale in enumerate(_SCALES)
)
