"""DenseNet: each block sees the outputs of all blocks before it."""

from __future__ import annotations

from tapeflow._src.keras.applications.architecture import (
    Architecture,
    Request,
    Stack,
    model_function,
)

_GROWTH = 32


class Densenet(Architecture):
    """`depths`: the number of blocks of each stage."""

    pools = ("avg_pool", "max_pool")

    def __init__(self, name: str, depths: tuple[int, ...]) -> None:
        self.depths = depths
        self.file = f"densenet/{name}_weights_tf_dim_ordering_tf_kernels"

    def body(self, net: Stack, request: Request) -> Stack:
        net = Stack(net.tensor, {"epsilon": 1.001e-5}).pad(3).conv(64, 7, 2, name="conv1_conv")
        net = net.norm("conv1_bn").act(name="conv1_relu").pad(1).max_pool(3, 2, "pool1")
        for stage, depth in enumerate(self.depths, 2):
            for number in range(1, depth + 1):
                net = self._block(net, f"conv{stage}_block{number}")
            if stage < 5:
                net = self._transition(net, f"pool{stage}")
        return net.norm("bn").act(name="relu")

    @staticmethod
    def _block(net: Stack, name: str) -> Stack:
        new = net.norm(f"{name}_0_bn").act(name=f"{name}_0_relu")
        new = new.conv(4 * _GROWTH, name=f"{name}_1_conv")
        new = new.norm(f"{name}_1_bn").act(name=f"{name}_1_relu")
        new = new.conv(_GROWTH, 3, padding="same", name=f"{name}_2_conv")
        return net.beside(new, name=f"{name}_concat")

    @staticmethod
    def _transition(net: Stack, name: str) -> Stack:
        """Half of the channels, on an image of half the size."""
        half = net.channels // 2
        net = net.norm(f"{name}_bn").act(name=f"{name}_relu").conv(half, name=f"{name}_conv")
        return net.avg_pool(2, 2, f"{name}_pool")


_DEPTHS = {"121": (6, 12, 24, 16), "169": (6, 12, 32, 32), "201": (6, 12, 48, 32)}
DenseNet121, DenseNet169, DenseNet201 = (
    model_function(Densenet(f"densenet{n}", depths), f"DenseNet{n}", f"densenet{n}")
    for n, depths in _DEPTHS.items()
)
