"""EfficientNetV2: the first stages have ordinary convolutions in place of depthwise ones."""

from __future__ import annotations

import math
from typing import Any

from tapeflow._src.keras.applications.architecture import (
    URL,
    Architecture,
    Request,
    Stack,
    divisible,
    documented,
)
from tapeflow._src.keras.applications.compound import added, conv_initializer, squeezed, top
from tapeflow.keras import layers
from tapeflow.keras.initializers import Constant

# The stages: repeats, filters in and out, expansion, stride, whether convolutions are ordinary;
# those that are not have squeeze and excitation.
_BASE = (
    *((1, 32, 16, 1, 1, True), (2, 16, 32, 4, 2, True), (2, 32, 48, 4, 2, True)),
    *((3, 48, 96, 4, 2, False), (5, 96, 112, 6, 1, False), (8, 112, 192, 6, 2, False)),
)
_STAGES: dict[str, Any] = {
    **dict.fromkeys(("b0", "b1", "b2", "b3"), _BASE),
    "s": (
        *((2, 24, 24, 1, 1, True), (4, 24, 48, 4, 2, True), (4, 48, 64, 4, 2, True)),
        *((6, 64, 128, 4, 2, False), (9, 128, 160, 6, 1, False), (15, 160, 256, 6, 2, False)),
    ),
    "m": (
        *((3, 24, 24, 1, 1, True), (5, 24, 48, 4, 2, True), (5, 48, 80, 4, 2, True)),
        *((7, 80, 160, 4, 2, False), (14, 160, 176, 6, 1, False), (18, 176, 304, 6, 2, False)),
        (5, 304, 512, 6, 1, False),
    ),
    "l": (
        *((4, 32, 32, 1, 1, True), (7, 32, 64, 4, 2, True), (7, 64, 96, 4, 2, True)),
        *((10, 96, 192, 4, 2, False), (19, 192, 224, 6, 1, False), (25, 224, 384, 6, 2, False)),
        (7, 384, 640, 6, 1, False),
    ),
}


class EfficientV2(Architecture):
    """`width` and `depth` multiply filters and repeats."""

    pools = ("avg_pool", "max_pool")
    url = f"{URL}efficientnet_v2/"

    def __init__(self, kind: str, width: float, depth: float, size: int, scales: bool) -> None:
        self.kind, self.width, self.depth, self.size = kind, width, depth, size
        self.scales = scales
        self.file = f"efficientnetv2-{kind}"

    def _filters(self, filters: int) -> int:
        return divisible(filters * self.width, shrink=0.0)

    def body(self, net: Stack, request: Request) -> Stack:
        net = Stack(self._scaled(net) if self.scales else net.tensor, {"momentum": 0.9})
        stages = _STAGES[self.kind]
        net = self._conv(net, self._filters(stages[0][1]), "stem", 3, 2)
        net = net.act("swish", "stem_activation")
        total, done = sum(stage[0] for stage in stages), 0
        for number, stage in enumerate(stages, 1):
            for repeat in range(math.ceil(self.depth * stage[0])):
                name = f"block{number}{chr(ord('a') + repeat)}_"
                net = self._block(net, name, stage, repeat, 0.2 * done / total)
                done += 1
        net = self._conv(net, self._filters(1280), "top")
        return net.act("swish", "top_activation")

    def _scaled(self, net: Stack) -> Any:
        if self.kind.startswith("b") and net.channels == 3:
            mean = [0.485, 0.456, 0.406]
            variance = [0.229**2, 0.224**2, 0.225**2]
            net = net.put(layers.Rescaling(scale=1 / 255))
            normalization = layers.Normalization(mean=mean, variance=variance, axis=net.axis)
            return net.put(normalization).tensor
        return net.put(layers.Rescaling(scale=1 / 128, offset=-1)).tensor

    @staticmethod
    def _conv(net: Stack, filters: int, name: str, size: int = 1, stride: int = 1) -> Stack:
        """A convolution and its normalisation."""
        arguments = {"padding": "same", "kernel_initializer": conv_initializer()}
        return net.conv(filters, size, stride, name=f"{name}_conv", **arguments).norm(f"{name}_bn")

    def _block(self, net: Stack, name: str, stage: Any, repeat: int, rate: float) -> Stack:
        _, _, filters, expansion, stride, ordinary = stage
        stride = 1 if repeat else stride
        filters, narrow = self._filters(filters), max(1, int(net.channels * 0.25))
        wide, new = expansion * net.channels, net
        if expansion != 1:
            size, by = (3, stride) if ordinary else (1, 1)
            new = self._conv(net, wide, f"{name}expand", size, by)
            new = new.act("swish", f"{name}expand_activation")
        if not ordinary:
            initializer = conv_initializer()
            new = new.depthwise(3, stride, f"{name}dwconv2", depthwise_initializer=initializer)
            new = new.norm(f"{name}bn").act("swish", f"{name}activation")
            new = squeezed(new, narrow, name)
        if ordinary and expansion == 1:
            new = self._conv(new, filters, f"{name}project", 3, stride)
            new = new.act("swish", f"{name}project_activation")
        else:
            new = self._conv(new, filters, f"{name}project")
        same = stride == 1 and filters == net.channels
        return added(net, new, rate, name) if same else new

    def head(self, net: Stack, request: Request) -> Stack:
        return top(net, request, 0.2, bias_initializer=Constant(0.0))


def _function(kind: str, width: float, depth: float, size: int) -> Any:
    label = f"EfficientNetV2{kind.upper()}"

    def create(
        include_top: bool = True,
        weights: Any = "imagenet",
        input_tensor: Any = None,
        input_shape: Any = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: Any = "softmax",
        include_preprocessing: bool = True,
        name: str = f"efficientnetv2-{kind}",
    ) -> Any:
        shape, activation = input_shape, classifier_activation
        return EfficientV2(kind, width, depth, size, include_preprocessing).create(
            Request(include_top, weights, input_tensor, shape, pooling, classes, activation, name)
        )

    return documented(create, label, EfficientV2(kind, width, depth, size, True))


EfficientNetV2B0 = _function("b0", 1.0, 1.0, 224)
EfficientNetV2B1 = _function("b1", 1.0, 1.1, 240)
EfficientNetV2B2 = _function("b2", 1.1, 1.2, 260)
EfficientNetV2B3 = _function("b3", 1.2, 1.4, 300)
EfficientNetV2S = _function("s", 1.0, 1.0, 384)
EfficientNetV2M = _function("m", 1.0, 1.0, 480)
EfficientNetV2L = _function("l", 1.0, 1.0, 480)
