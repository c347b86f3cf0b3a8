"""Residual networks, with activations after (`Resnet`) or before (`ResnetV2`) the sums."""

from __future__ import annotations

from tapeflow._src.keras.applications.architecture import (
    Architecture,
    Request,
    Stack,
    model_function,
)

_FILTERS = (64, 128, 256, 512)


class Resnet(Architecture):
    """`depths`: the number of blocks of each stage."""

    pools = ("avg_pool", "max_pool")
    early = False
    stem_bias = True

    def __init__(self, name: str, depths: tuple[int, ...]) -> None:
        self.depths = depths
        self.file = f"resnet/{name}_weights_tf_dim_ordering_tf_kernels"

    def body(self, net: Stack, request: Request) -> Stack:
        net = Stack(net.tensor, {"epsilon": 1.001e-5}).pad(3, "conv1_pad")
        net = net.conv(64, 7, 2, use_bias=self.stem_bias, name="conv1_conv")
        if not self.early:
            net = net.norm("conv1_bn").act(name="conv1_relu")
        net = net.pad(1, "pool1_pad").max_pool(3, 2, "pool1_pool")
        for stage, (filters, depth) in enumerate(zip(_FILTERS, self.depths), 2):
            for number in range(1, depth + 1):
                name = f"conv{stage}_block{number}"
                net = self.block(net, filters, name, number, number == depth, stage)
        return net.norm("post_bn").act(name="post_relu") if self.early else net

    def block(
        self, net: Stack, filters: int, name: str, number: int, last: bool, stage: int
    ) -> Stack:
        """Three convolutions beside a shortcut; the first block of a stage has the stride."""
        stride = 2 if number == 1 and stage > 2 else 1
        shortcut = net
        if number == 1:
            shortcut = net.conv(4 * filters, 1, stride, use_bias=True, name=f"{name}_0_conv")
            shortcut = shortcut.norm(f"{name}_0_bn")
        steps = ((filters, 1, stride), (filters, 3, 1), (4 * filters, 1, 1))
        for step, (width, size, by) in enumerate(steps, 1):
            label = f"{name}_{step}"
            net = net.conv(width, size, by, use_bias=True, padding="same", name=f"{label}_conv")
            net = net.norm(f"{label}_bn")
            if step < 3:
                net = net.act(name=f"{label}_relu")
        return shortcut.add(net, name=f"{name}_add").act(name=f"{name}_out")


class ResnetV2(Resnet):
    """Normalises and activates first; the last block of a stage has the stride."""

    early = True

    def block(
        self, net: Stack, filters: int, name: str, number: int, last: bool, stage: int
    ) -> Stack:
        stride = 2 if last and stage < 5 else 1
        ready = net.norm(f"{name}_preact_bn").act(name=f"{name}_preact_relu")
        if number == 1:
            shortcut = ready.conv(4 * filters, 1, stride, use_bias=True, name=f"{name}_0_conv")
        else:
            shortcut = net.max_pool(1, stride) if stride > 1 else net
        net = ready.conv(filters, 1, name=f"{name}_1_conv")
        net = net.norm(f"{name}_1_bn").act(name=f"{name}_1_relu").pad(1, f"{name}_2_pad")
        net = net.conv(filters, 3, stride, name=f"{name}_2_conv")
        net = net.norm(f"{name}_2_bn").act(name=f"{name}_2_relu")
        net = net.conv(4 * filters, 1, use_bias=True, name=f"{name}_3_conv")
        return shortcut.add(net, name=f"{name}_out")


_DEPTHS = {"50": (3, 4, 6, 3), "101": (3, 4, 23, 3), "152": (3, 8, 36, 3)}
ResNet50, ResNet101, ResNet152 = (
    model_function(Resnet(f"resnet{n}", depths), f"ResNet{n}", f"resnet{n}")
    for n, depths in _DEPTHS.items()
)
ResNet50V2, ResNet101V2, ResNet152V2 = (
    model_function(ResnetV2(f"resnet{n}v2", depths), f"ResNet{n}V2", f"resnet{n}v2")
    for n, depths in _DEPTHS.items()
)
