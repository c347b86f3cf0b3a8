"""ResNet-RS, of Keras 2: residual networks with a deeper stem, and squeeze and excitation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tapeflow._src.keras.applications.architecture import Architecture, Request, Stack, documented
from tapeflow._src.keras.applications.compound import conv_initializer, squeezed
from tapeflow._src.keras.utils.naming import get_uid
from tapeflow.keras import layers

_FILTERS = (64, 128, 256, 512)
# By depth: the blocks of each stage, the rate of dropped blocks, the rate of dropout before the
# classifier, the sizes of images that weights were trained with.
VARIANTS: dict[int, tuple[tuple[int, ...], float, float, tuple[int, ...]]] = {
    50: ((3, 4, 6, 3), 0.0, 0.25, (160,)),
    101: ((3, 4, 23, 3), 0.0, 0.25, (160, 192)),
    152: ((3, 8, 36, 3), 0.0, 0.25, (192, 224, 256)),
    200: ((3, 24, 36, 3), 0.1, 0.25, (256,)),
    270: ((4, 29, 53, 4), 0.1, 0.25, (256,)),
    350: ((4, 36, 72, 4), 0.1, 0.4, (256, 320)),
    420: ((4, 44, 87, 4), 0.1, 0.4, (320,)),
}


class ResnetRS(Architecture):
    """A variant of `VARIANTS`, with or without the layers that scale images."""

    pools = ("avg_pool", "max_pool")

    def __init__(self, depth: int, scales: bool) -> None:
        self.depths, self.drop_rate, self.dropout, self.trained_sizes = VARIANTS[depth]
        self.pretrained = tuple(f"imagenet-i{size}" for size in self.trained_sizes)
        self.file = f"resnet_rs/resnet-rs-{depth}"
        self.scales = scales

    def create(self, request: Request) -> Any:
        if request.weights == "imagenet":
            request = replace(request, weights=f"imagenet-i{max(self.trained_sizes)}")
        return super().create(request)

    def file_name(self, request: Request) -> str:
        size = request.weights.rpartition("-")[2]
        return f"{self.file}-{size}{'' if request.include_top else self.without_top}.h5"

    def body(self, net: Stack, request: Request) -> Stack:
        net = Stack(net.tensor, {"momentum": 0.0, "epsilon": 1e-5})
        if self.scales:
            net = self._scaled(net)
        stem = f"stem_{get_uid('stem_')}_stem"
        for number, (filters, stride) in enumerate(((32, 2), (32, 1), (64, 1), (64, 2)), 1):
            net = self._conv(net, filters, 3, stride, f"{stem}_conv_{number}")
            net = net.norm(f"{stem}_batch_norm_{number}").act(name=f"{stem}_act_{number}")
        for stage, (filters, depth) in enumerate(zip(_FILTERS, self.depths), 2):
            rate = self.drop_rate * stage / (len(_FILTERS) + 1)
            for number in range(depth):
                stride = 2 if stage > 2 and not number else 1
                name = f"BlockGroup{stage}__block_{number}_"
                net = self._block(net, filters, stride, not number, rate, name)
        return net

    @staticmethod
    def _scaled(net: Stack) -> Stack:
        net = net.put(layers.Rescaling(1 / 255))
        if net.channels != 3:
            return net
        deviations = (0.229, 0.224, 0.225)
        return net.put(
            layers.Normalization(
                mean=[0.485, 0.456, 0.406],
                variance=[each**2 for each in deviations],
                axis=net.axis,
            )
        )

    @staticmethod
    def _conv(net: Stack, filters: int, size: int, stride: int, name: str) -> Stack:
        """A convolution; with a stride, padded by the same amount whatever the size of images."""
        if stride > 1:
            net = net.pad(size // 2)
        return net.conv(
            filters,
            size,
            stride,
            padding="same" if stride == 1 else "valid",
            kernel_initializer=conv_initializer(),
            name=name,
        )

    def _block(
        self, net: Stack, filters: int, stride: int, projects: bool, rate: float, name: str
    ) -> Stack:
        shortcut = net
        if projects:
            if stride > 1:
                shortcut = net.avg_pool(2, 2, f"{name}_projection_pooling", padding="same")
            shortcut = self._conv(shortcut, 4 * filters, 1, 1, f"{name}_projection_conv")
            shortcut = shortcut.norm(f"{name}_projection_batch_norm")
        # Keras 2 leaves the underscore out of the first of these names.
        new = self._conv(net, filters, 1, 1, f"{name}_conv_1").norm(f"{name}batch_norm_1")
        new = new.act(name=f"{name}_act_1")
        new = self._conv(new, filters, 3, stride, f"{name}_conv_2").norm(f"{name}_batch_norm_2")
        new = new.act(name=f"{name}_act_2")
        new = self._conv(new, 4 * filters, 1, 1, f"{name}_conv_3").norm(f"{name}_batch_norm_3")
        new = squeezed(new, filters, f"{name}_se_", "relu")
        if rate:
            new = new.put(layers.Dropout(rate, noise_shape=(None, 1, 1, 1), name=f"{name}_drop"))
        return new.add(shortcut).act(name=f"{name}_output_act")

    def head(self, net: Stack, request: Request) -> Stack:
        net = net.put(layers.GlobalAveragePooling2D(name=self.top_pool))
        net = net.put(layers.Dropout(self.dropout, name="top_dropout"))
        return net.put(
            layers.Dense(request.classes, activation=request.activation, name="predictions")
        )


def model_of(depth: int) -> Any:
    """The public function that creates a variant."""

    def create(
        include_top: bool = True,
        weights: Any = "imagenet",
        classes: int = 1000,
        input_shape: Any = None,
        input_tensor: Any = None,
        pooling: str | None = None,
        classifier_activation: Any = "softmax",
        include_preprocessing: bool = True,
    ) -> Any:
        shape, activation, name = input_shape, classifier_activation, f"resnet-rs-{depth}"
        return ResnetRS(depth, include_preprocessing).create(
            Request(include_top, weights, input_tensor, shape, pooling, classes, activation, name)
        )

    return documented(create, f"ResNetRS{depth}", ResnetRS(depth, True))
