"""MobileNet, the first version and the second."""

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
from tapeflow._src.keras.models.model import Model
from tapeflow.keras import layers

# For which sizes of square images there are files of weights.
_SIZES = {1: (128, 160, 192, 224), 2: (96, 128, 160, 192, 224)}


def _relu6(net: Stack, name: str) -> Stack:
    return net.put(layers.ReLU(6.0, name=name))


class Mobile(Architecture):
    """A model for images of square sizes; `alpha` is the share of filters."""

    version = 1

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha

    def create(self, request: Request) -> Any:
        sides = self._sides(request.input_shape)
        if sides[0] == sides[1] and sides[0] in _SIZES[self.version]:
            self.size = sides[0]
        return super().create(request)

    @staticmethod
    def _sides(shape: Any) -> Any:
        if shape is None or len(shape) != 3:
            return None, None
        return shape[:2] if image_data_format() == "channels_last" else shape[1:]

    def name(self, request: Request, shape: Any) -> str:
        prefix = "mobilenet" if self.version == 1 else "mobilenetv2"
        return request.name or f"{prefix}_{self.alpha:0.2f}_{self._sides(shape)[0]}"


class MobileV1(Mobile):
    """Depthwise convolutions, each followed by one of size 1."""

    # The filters of the blocks; those that double them have a stride of 2.
    filters = (64, 128, 128, 256, 256, *[512] * 6, 1024, 1024)
    without_top = "_no_top"

    def __init__(self, alpha: float, depth_multiplier: int, dropout: float) -> None:
        super().__init__(alpha)
        self.depth_multiplier, self.dropout = depth_multiplier, dropout

    def body(self, net: Stack, request: Request) -> Stack:
        width = 32
        net = net.conv(int(32 * self.alpha), 3, 2, padding="same", name="conv1")
        net = _relu6(net.norm("conv1_bn"), "conv1_relu")
        for number, filters in enumerate(self.filters, 1):
            stride = 2 if filters > width and number > 1 else 1
            width = filters
            net = self._block(net, int(filters * self.alpha), stride, number)
        return net

    def _block(self, net: Stack, filters: int, stride: int, number: int) -> Stack:
        if stride == 2:
            net = net.pad(((0, 1), (0, 1)), f"conv_pad_{number}")
        name = f"conv_dw_{number}"
        padding = "same" if stride == 1 else "valid"
        net = net.depthwise(
            3, stride, name, padding=padding, depth_multiplier=self.depth_multiplier
        )
        net = _relu6(net.norm(f"{name}_bn"), f"{name}_relu")
        name = f"conv_pw_{number}"
        net = net.conv(filters, padding="same", name=name)
        return _relu6(net.norm(f"{name}_bn"), f"{name}_relu")

    def head(self, net: Stack, request: Request) -> Stack:
        net = net.put(layers.GlobalAveragePooling2D(keepdims=True))
        net = net.put(layers.Dropout(self.dropout, name="dropout"))
        net = net.conv(request.classes, use_bias=True, padding="same", name="conv_preds")
        net = net.put(layers.Reshape((request.classes,), name="reshape_2"))
        return net.act(request.activation, "predictions")

    def file_name(self, request: Request) -> str:
        share = {1.0: "1_0", 0.75: "7_5", 0.5: "5_0"}.get(self.alpha, "2_5")
        ending = "" if request.include_top else self.without_top
        return f"mobilenet/mobilenet_{share}_{self.size}_tf{ending}.h5"


class MobileV2(Mobile):
    """Inverted residual blocks: wide inside, narrow between."""

    version = 2
    top_pool = None
    # The blocks: filters and strides.
    blocks = (
        *((16, 1), (24, 2), (24, 1), (32, 2), (32, 1), (32, 1)),
        *((64, 2), (64, 1), (64, 1), (64, 1), (96, 1), (96, 1), (96, 1)),
        *((160, 2), (160, 1), (160, 1), (320, 1)),
    )

    def body(self, net: Stack, request: Request) -> Stack:
        net = Stack(net.tensor, {"epsilon": 0.001, "momentum": 0.999})
        net = net.conv(divisible(32 * self.alpha), 3, 2, padding="same", name="Conv1")
        net = _relu6(net.norm("bn_Conv1"), "Conv1_relu")
        for number, (filters, stride) in enumerate(self.blocks):
            net = self._block(net, divisible(int(filters * self.alpha)), stride, number)
        last = divisible(1280 * self.alpha) if self.alpha > 1 else 1280
        return _relu6(net.conv(last, name="Conv_1").norm("Conv_1_bn"), "out_relu")

    @staticmethod
    def _block(net: Stack, filters: int, stride: int, number: int) -> Stack:
        name = f"block_{number}" if number else "expanded_conv"
        wide = net
        if number:
            wide = net.conv(6 * net.channels, padding="same", name=f"{name}_expand")
            wide = _relu6(wide.norm(f"{name}_expand_BN"), f"{name}_expand_relu")
        wide = wide.depthwise(3, stride, f"{name}_depthwise", pad=f"{name}_pad")
        wide = _relu6(wide.norm(f"{name}_depthwise_BN"), f"{name}_depthwise_relu")
        new = wide.conv(filters, padding="same", name=f"{name}_project").norm(f"{name}_project_BN")
        same = stride == 1 and filters == net.channels
        return net.add(new, name=f"{name}_add") if same else new

    def file_name(self, request: Request) -> str:
        ending = "" if request.include_top else "_no_top"
        file = "mobilenet_v2_weights_tf_dim_ordering_tf_kernels"
        return f"mobilenet_v2/{file}_{float(self.alpha)}_{self.size}{ending}.h5"


def MobileNet(
    input_shape: Any = None,
    alpha: float = 1.0,
    depth_multiplier: int = 1,
    dropout: float = 0.001,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: Any = "softmax",
    name: Any = None,
) -> Model:
    shape, activation = input_shape, classifier_activation
    request = Request(include_top, weights, input_tensor, shape, pooling, classes, activation, name)
    if weights == "imagenet" and (depth_multiplier != 1 or alpha not in (0.25, 0.5, 0.75, 1.0)):
        raise ValueError(
            f"There are weights of ImageNet for depth_multiplier=1 and alpha of 0.25, 0.5, 0.75 or "
            f"1. Received: alpha={alpha}, depth_multiplier={depth_multiplier}"
        )
    return MobileV1(alpha, depth_multiplier, dropout).create(request)


def MobileNetV2(
    input_shape: Any = None,
    alpha: float = 1.0,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: Any = "softmax",
    name: Any = None,
) -> Model:
    shape, activation = input_shape, classifier_activation
    request = Request(include_top, weights, input_tensor, shape, pooling, classes, activation, name)
    known = (0.35, 0.5, 0.75, 1.0, 1.3, 1.4)
    if weights == "imagenet" and alpha not in known:
        raise ValueError(f"There are weights of ImageNet for {known}. Received: alpha={alpha}")
    return MobileV2(alpha).create(request)


documented(MobileNet, "MobileNet", MobileV1(1.0, 1, 0.001))
documented(MobileNetV2, "MobileNetV2", MobileV2(1.0))
