"""Inception modules whose outputs are scaled and added to their inputs."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.applications.architecture import (
    Architecture,
    Request,
    Stack,
    model_function,
)
from tapeflow._src.keras.applications.inception import STEM, branch, module
from tapeflow.keras import layers


class CustomScaleLayer(layers.Layer):  # type: ignore[misc, name-defined]
    """`first + scale * second`, for a list of two tensors."""

    def __init__(self, scale: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale = scale

    def call(self, inputs: Any) -> Any:
        first, second = inputs
        return first + self.scale * second

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape[0]

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "scale": self.scale}


_OPENING = (
    ((96, 1),),
    ((48, 1), (64, 5)),
    ((64, 1), (96, 3), (96, 3)),
    ("mean", (64, 1)),
)
# The stages: name of the blocks, how many, scale, branches; then what reduces the size.
_STAGES: tuple[Any, ...] = (
    (
        *("block35", 10, 0.17),
        (((32, 1),), ((32, 1), (32, 3)), ((32, 1), (48, 3), (64, 3))),
        "mixed_6a",
        (
            ((384, 3, 2, "valid"),),
            ((256, 1), (256, 3), (384, 3, 2, "valid")),
            ("maximum",),
        ),
    ),
    (
        *("block17", 20, 0.1),
        (((192, 1),), ((128, 1), (160, (1, 7)), (192, (7, 1)))),
        "mixed_7a",
        (
            ((256, 1), (384, 3, 2, "valid")),
            ((256, 1), (288, 3, 2, "valid")),
            ((256, 1), (288, 3), (320, 3, 2, "valid")),
            ("maximum",),
        ),
    ),
    (
        *("block8", 10, 0.2),
        (((192, 1),), ((192, 1), (224, (1, 3)), (256, (3, 1)))),
        None,
        None,
    ),
)


class InceptionResidual(Architecture):
    """The second version."""

    size = 299
    minimum = 75
    file = "inception_resnet_v2/inception_resnet_v2_weights_tf_dim_ordering_tf_kernels"

    def body(self, net: Stack, request: Request) -> Stack:
        net = module(branch(net, STEM), _OPENING, "mixed_5b")
        for kind, count, scale, branches, name, reduction in _STAGES:
            for number in range(1, count + 1):
                # The very last block is neither scaled down nor activated.
                last = reduction is None and number == count
                net = self._block(
                    net, f"{kind}_{number}", 1.0 if last else scale, branches, not last
                )
            if reduction is not None:
                net = module(net, reduction, name)
        net = net.conv(1536, padding="same", name="conv_7b").norm("conv_7b_bn", scale=False)
        return net.act(name="conv_7b_ac")

    @staticmethod
    def _block(net: Stack, name: str, scale: float, branches: Any, activated: bool) -> Stack:
        mixed = module(net, branches, f"{name}_mixed")
        up = mixed.conv(net.channels, use_bias=True, padding="same", name=f"{name}_conv")
        net = net.on(CustomScaleLayer(scale)([net.tensor, up.tensor]))
        return net.act(name=f"{name}_ac") if activated else net


InceptionResNetV2 = model_function(InceptionResidual(), "InceptionResNetV2", "inception_resnet_v2")
