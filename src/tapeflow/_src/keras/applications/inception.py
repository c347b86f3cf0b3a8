"""Inception modules: branches of convolutions beside each other, declared as tables."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.applications.architecture import (
    Architecture,
    Request,
    Stack,
    model_function,
)

# A step of a branch: pooling by name, or a convolution as (filters, size, stride, padding); a list
# of steps is a fork, whose convolutions run beside each other.
Step = Any
_POOLS: dict[str, dict[str, Any]] = {
    "mean": {"size": 3, "stride": 1, "padding": "same"},
    "maximum": {"size": 3, "stride": 2},
}


def conv(net: Stack, filters: int, size: Any, stride: int = 1, padding: str = "same") -> Stack:
    """A convolution with normalisation and ReLU."""
    return net.conv(filters, size, stride, padding=padding).norm(scale=False).act()


def branch(net: Stack, steps: tuple[Step, ...], fork: str | None = None) -> Stack:
    """One branch of a module; a fork in it is joined under the name `fork`."""
    for step in steps:
        if isinstance(step, str):
            pool = net.avg_pool if step == "mean" else net.max_pool
            net = pool(**_POOLS[step])
        elif isinstance(step, list):
            parts = [conv(net, *each) for each in step]
            net = parts[0].beside(*parts[1:], name=fork)
        else:
            net = conv(net, *step)
    return net


def module(net: Stack, branches: tuple[Any, ...], name: str, fork: str | None = None) -> Stack:
    """Branches beside each other; the first fork of a module has a name."""
    parts = []
    for steps in branches:
        parts.append(branch(net, steps, fork))
        if any(isinstance(step, list) for step in steps):
            fork = None
    return parts[0].beside(*parts[1:], name=name)


STEM: tuple[Step, ...] = (
    (32, 3, 2, "valid"),
    (32, 3, 1, "valid"),
    (64, 3),
    "maximum",
    (80, 1, 1, "valid"),
    (192, 3, 1, "valid"),
    "maximum",
)
_WIDE, _TALL = (1, 7), (7, 1)


def _first(pooled: int) -> Any:
    double = ((64, 1), (96, 3), (96, 3))
    return ((64, 1),), ((48, 1), (64, 5)), double, ("mean", (pooled, 1))


def _factored(n: int) -> Any:
    single = ((n, 1), (n, _WIDE), (192, _TALL))
    double = ((n, 1), (n, _TALL), (n, _WIDE), (n, _TALL), (192, _WIDE))
    return ((192, 1),), single, double, ("mean", (192, 1))


_FORK = [(384, (1, 3)), (384, (3, 1))]
_LAST = (
    ((320, 1),),
    ((384, 1), _FORK),
    ((448, 1), (384, 3), _FORK),
    ("mean", (192, 1)),
)
# The modules, in order.
_MODULES: tuple[Any, ...] = (
    *(_first(pooled) for pooled in (32, 64, 64)),
    (
        ((384, 3, 2, "valid"),),
        ((64, 1), (96, 3), (96, 3, 2, "valid")),
        ("maximum",),
    ),
    *(_factored(n) for n in (128, 160, 160, 192)),
    (
        ((192, 1), (320, 3, 2, "valid")),
        ((192, 1), (192, _WIDE), (192, _TALL), (192, 3, 2, "valid")),
        ("maximum",),
    ),
    _LAST,
    _LAST,
)


class Inception(Architecture):
    """The third version."""

    size = 299
    minimum = 75
    file = "inception_v3/inception_v3_weights_tf_dim_ordering_tf_kernels"

    def body(self, net: Stack, request: Request) -> Stack:
        net = branch(net, STEM)
        for number, branches in enumerate(_MODULES):
            net = module(net, branches, f"mixed{number}", f"mixed9_{number - 9}")
        return net


InceptionV3 = model_function(Inception(), "InceptionV3", "inception_v3")
