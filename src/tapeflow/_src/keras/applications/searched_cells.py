"""NASNet: cells found by search. A cell combines the outputs of the two cells before it."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.applications.architecture import Architecture, Request, Stack, documented
from tapeflow._src.keras.scopes import name_scope
from tapeflow.keras import layers

_NORMALIZATION = {"momentum": 0.9997, "epsilon": 0.001}
_INITIALIZER = "he_normal"


def _separable(net: Stack, filters: int, size: int, stride: int, name: str) -> Stack:
    """Two separable convolutions, the first of which may have a stride."""
    with name_scope(f"separable_conv_block_{name}"):
        return _two_separable(net, filters, size, stride, name)


def _two_separable(net: Stack, filters: int, size: int, stride: int, name: str) -> Stack:
    net = net.act()
    padding = "same"
    if stride == 2:
        net, padding = net.pad_for(size, f"separable_conv_1_pad_{name}"), "valid"
    net = net.separable(
        filters, size, f"separable_conv_1_{name}", strides=stride, padding=padding
    ).norm(f"separable_conv_1_bn_{name}")
    net = net.act().separable(filters, size, f"separable_conv_2_{name}")
    return net.norm(f"separable_conv_2_bn_{name}")


def _projected(net: Stack, filters: int, name: str) -> Stack:
    return net.conv(filters, padding="same", name=name, kernel_initializer=_INITIALIZER)


def _adjusted(before: Stack | None, net: Stack, filters: int, name: str) -> Stack:
    """The output of the cell before, in the size and with the filters of this one."""
    if before is None:
        return net
    side = 2 if net.axis == 1 else 1
    smaller = before.tensor.shape[side] != net.tensor.shape[side]
    if not smaller and before.channels == filters:
        return before
    inner = f"adjust_{'reduction' if smaller else 'projection'}_block_{name}"
    with name_scope("adjust_block"), name_scope(inner):
        return _fitted(before, filters, smaller, name)


def _fitted(before: Stack, filters: int, smaller: bool, name: str) -> Stack:
    if smaller:
        before = before.act(name=f"adjust_relu_1_{name}")
        first = before.avg_pool(1, 2, f"adjust_avg_pool_1_{name}")
        first = _projected(first, filters // 2, f"adjust_conv_1_{name}")
        shifted = before.pad(((0, 1), (0, 1))).put(layers.Cropping2D(((1, 0), (1, 0))))
        second = shifted.avg_pool(1, 2, f"adjust_avg_pool_2_{name}")
        second = _projected(second, filters // 2, f"adjust_conv_2_{name}")
        return first.beside(second).norm(f"adjust_bn_{name}")
    before = _projected(before.act(), filters, f"adjust_conv_projection_{name}")
    return before.norm(f"adjust_bn_{name}")


# Steps of a cell: the name of the result, those of two operations with their inputs, and the name
# of the sum. An operation is "separable 5", "mean", "strided maximum", ...; None adds as it is.
_NORMAL: tuple[Any, ...] = (
    ("1", ("separable 5", "here", "left1"), ("separable 3", "before", "right1"), "add_1"),
    ("2", ("separable 5", "before", "left2"), ("separable 3", "before", "right2"), "add_2"),
    ("3", ("mean", "here", "left3"), (None, "before", ""), "add_3"),
    ("4", ("mean", "before", "left4"), ("mean", "before", "right4"), "add_4"),
    ("5", ("separable 3", "here", "left5"), (None, "here", ""), "add_5"),
)
_REDUCTION: tuple[Any, ...] = (
    ("1", ("strided 5", "here", "left1"), ("strided 7", "before", "right1"), "add_1"),
    ("2", ("strided maximum", "padded", "left2"), ("strided 7", "before", "right2"), "add_2"),
    ("3", ("strided mean", "padded", "left3"), ("strided 5", "before", "right3"), "add3"),
    ("4", ("mean", "1", "left4"), (None, "2", ""), None),
    ("5", ("separable 3", "1", "left4"), ("strided maximum", "padded", "right5"), "add4"),
)


def _operation(net: Stack, kind: str | None, filters: int, name: str) -> Stack:
    if kind is None:
        return net
    if kind == "mean":
        return net.avg_pool(3, 1, name, padding="same")
    how, _, what = kind.partition(" ")
    if what == "mean":
        return net.avg_pool(3, 2, name)
    if what == "maximum":
        return net.max_pool(3, 2, name)
    return _separable(net, filters, int(what), 2 if how == "strided" else 1, name)


def _cell(net: Stack, before: Stack | None, filters: int, kind: str, name: str) -> Stack:
    # The scopes are those of Keras: they stand in the paths of weights.
    with name_scope(f"{kind}_A_block_{name}"):
        return _combined(net, before, filters, kind, name)


def _combined(net: Stack, before: Stack | None, filters: int, kind: str, name: str) -> Stack:
    values = {"before": _adjusted(before, net, filters, name)}
    here = _projected(net.act(), filters, f"{kind}_conv_1_{name}").norm(f"{kind}_bn_1_{name}")
    values["here"] = here
    if kind == "reduction":
        values["padded"] = here.pad_for(3, f"reduction_pad_1_{name}")
    for label, left, right, total in _REDUCTION if kind == "reduction" else _NORMAL:
        with name_scope(f"block_{label}"):
            parts = [
                _operation(values[source], how, filters, f"{kind}_{step}_{name}")
                for how, source, step in (left, right)
            ]
        if total is None:
            parts.reverse()
        sum_name = None if total is None else f"{kind}_{total}_{name}"
        values[label] = parts[0].add(parts[1], name=sum_name)
    kept = "2345" if kind == "reduction" else "12345"
    outputs = [values[label] for label in kept]
    if kind == "normal":
        outputs = [values["before"], *outputs]
    return outputs[0].beside(*outputs[1:], name=f"{kind}_concat_{name}")


class Nasnet(Architecture):
    """`filters` of the last cells, `repeats` of normal cells, and `stem` filters."""

    top_pool = None
    without_top = "-no-top"

    def __init__(self, size: int, filters: int, repeats: int, stem: int, skips: bool) -> None:
        self.size = size
        self.filters, self.repeats, self.stem, self.skips = filters, repeats, stem, skips
        self.file = f"nasnet/NASNet-{'large' if skips else 'mobile'}"

    def body(self, net: Stack, request: Request) -> Stack:
        filters = self.filters // 24
        net = Stack(net.tensor, _NORMALIZATION)
        net = net.conv(self.stem, 3, 2, name="stem_conv1", kernel_initializer=_INITIALIZER)
        net = net.norm("stem_bn1")
        before: Stack | None = None
        for number, width in ((1, filters // 4), (2, filters // 2)):
            net, before = _cell(net, before, width, "reduction", f"stem_{number}"), net
        for part in range(3):
            width, start = filters * 2**part, part * self.repeats + (part > 0)
            if part:
                reduced = _cell(net, before, width, "reduction", f"reduce_{start - 1}")
                # The larger model skips what came before the reduction.
                before, net = (before if self.skips else net), reduced
            for number in range(start, start + self.repeats):
                net, before = _cell(net, before, width, "normal", str(number)), net
        return net.act()


def _function(architecture: Nasnet, label: str, default: str) -> Any:
    def create(
        input_shape: Any = None,
        include_top: bool = True,
        weights: Any = "imagenet",
        input_tensor: Any = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: Any = "softmax",
        name: str = default,
    ) -> Any:
        if not include_top and input_shape is None and not architecture.skips:
            input_shape = (224, 224, 3)
        shape, activation = input_shape, classifier_activation
        return architecture.create(
            Request(include_top, weights, input_tensor, shape, pooling, classes, activation, name)
        )

    return documented(create, label, architecture)


NASNetMobile = _function(Nasnet(224, 1056, 4, 32, False), "NASNetMobile", "nasnet_mobile")
NASNetLarge = _function(Nasnet(331, 4032, 6, 96, True), "NASNetLarge", "nasnet_large")
