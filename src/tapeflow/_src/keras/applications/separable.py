"""Xception: separable convolutions beside shortcuts."""

from __future__ import annotations

from tapeflow._src.keras.applications.architecture import (
    Architecture,
    Request,
    Stack,
    model_function,
)

# The blocks from the second on: the filters of separable convolutions, whether they are activated
# first, and the filters of the strided shortcut; without one, the input is added as it is.
_BLOCKS: dict[int, tuple[tuple[int, ...], int | None]] = {
    2: ((128, 128), 128),
    3: ((256, 256), 256),
    4: ((728, 728), 728),
    **dict.fromkeys(range(5, 13), ((728, 728, 728), None)),
    13: ((728, 1024), 1024),
}


class XceptionNet(Architecture):
    """Three parts: the sizes shrink, stay, and shrink again."""

    size = 299
    minimum = 71
    file = "xception/xception_weights_tf_dim_ordering_tf_kernels"

    def body(self, net: Stack, request: Request) -> Stack:
        for number, (filters, stride) in enumerate(((32, 2), (64, 1)), 1):
            name = f"block1_conv{number}"
            net = net.conv(filters, 3, stride, name=name).norm(f"{name}_bn").act(name=f"{name}_act")
        for block, (widths, shortcut) in _BLOCKS.items():
            net = self._block(net, f"block{block}", widths, shortcut, first=block == 2)
        for number, filters in enumerate((1536, 2048), 1):
            name = f"block14_sepconv{number}"
            net = net.separable(filters, name=name).norm(f"{name}_bn").act(name=f"{name}_act")
        return net

    @staticmethod
    def _block(
        net: Stack, block: str, widths: tuple[int, ...], shortcut: int | None, first: bool
    ) -> Stack:
        beside = net
        if shortcut is not None:
            beside = net.conv(shortcut, 1, 2, padding="same").norm()
        for number, filters in enumerate(widths, 1):
            name = f"{block}_sepconv{number}"
            if number > 1 or not first:
                net = net.act(name=f"{name}_act")
            net = net.separable(filters, name=name).norm(f"{name}_bn")
        if shortcut is not None:
            net = net.max_pool(3, 2, f"{block}_pool", padding="same")
        return net.add(beside)


Xception = model_function(XceptionNet(), "Xception", "xception")
