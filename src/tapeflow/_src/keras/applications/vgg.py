"""VGG: blocks of 3x3 convolutions, each followed by pooling."""

from __future__ import annotations

from tapeflow._src.keras.applications.architecture import (
    Architecture,
    Request,
    Stack,
    model_function,
)
from tapeflow.keras import layers

_FILTERS = (64, 128, 256, 512, 512)


class Vgg(Architecture):
    """`depths`: the number of convolutions of each block."""

    def __init__(self, name: str, depths: tuple[int, ...]) -> None:
        self.depths = depths
        self.file = f"{name}/{name}_weights_tf_dim_ordering_tf_kernels"

    def body(self, net: Stack, request: Request) -> Stack:
        for block, (filters, depth) in enumerate(zip(_FILTERS, self.depths), 1):
            for number in range(1, depth + 1):
                name = f"block{block}_conv{number}"
                net = net.conv(
                    filters, 3, use_bias=True, activation="relu", padding="same", name=name
                )
            net = net.max_pool(2, 2, f"block{block}_pool")
        return net

    def head(self, net: Stack, request: Request) -> Stack:
        net = net.put(layers.Flatten(name="flatten"))
        for name in ("fc1", "fc2"):
            net = net.put(layers.Dense(4096, activation="relu", name=name))
        return net.put(
            layers.Dense(request.classes, activation=request.activation, name="predictions")
        )


VGG16 = model_function(Vgg("vgg16", (2, 2, 3, 3, 3)), "VGG16", "vgg16")
VGG19 = model_function(Vgg("vgg19", (2, 2, 4, 4, 4)), "VGG19", "vgg19")
