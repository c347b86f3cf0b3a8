"""The table of `Model.summary`: layers, output shapes and numbers of weights."""

from __future__ import annotations

import itertools
import math
import re
import shutil
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.call_signature import shapes_for
from tapeflow._src.keras.layers.layer import Layer

# How long lines are where the terminal is wide enough, and where columns end, as fractions of it.
_LINE_LENGTHS = {3: 88, 4: 108}
_FOR_TRAINABLE = 12
_ENDS = {3: (0.45, 0.80, 1.0), 4: (0.3, 0.56, 0.74, 1.0)}


def print_summary(
    model: Any,
    line_length: int | None = None,
    positions: Any = None,
    print_fn: Callable[..., Any] | None = None,
    expand_nested: bool = False,
    show_trainable: bool = False,
    layer_range: Any = None,
) -> None:
    """Print the table, or hand it to `print_fn`."""
    connected = _branches(model)
    columns = ["Layer (type)", "Output Shape", "Param #"]
    if connected:
        columns.append("Connected to")
    if line_length is None:
        longest = _LINE_LENGTHS[len(columns)] + (_FOR_TRAINABLE if show_trainable else 0)
        line_length = min(longest, shutil.get_terminal_size().columns - 4)
    ends = _ENDS[len(columns)] if positions is None else _fractions(positions, len(columns))
    if show_trainable:
        columns.append("Trainable")
        ends = (*(end * 0.9 for end in ends), 1.0)
    widths = _widths(line_length, ends)
    layers = _in_range(model, layer_range)
    rows = list(_rows(model, layers, connected, show_trainable, expand_nested))
    aligned = [">" if title == "Param #" else "<" for title in columns]
    if show_trainable:
        aligned[-1] = "^"
    lines = [f'Model: "{model.name}"', *_table(columns, rows, widths, aligned), *_totals(model)]
    text = "\n".join(lines)
    if print_fn is None:
        print(text)
    else:
        print_fn(text)


def _fractions(positions: Any, count: int) -> tuple[float, ...]:
    """The ends of columns as fractions of a line, of which they may be absolute positions."""
    return tuple(end / positions[-1] for end in positions[:count])


def _widths(line_length: int, ends: tuple[float, ...]) -> list[int]:
    """The widths of columns, less what the lines between them take."""
    edges = [0, *(int(end * line_length) for end in ends)]
    widths = [right - left + 2 for left, right in itertools.pairwise(edges)]
    excess = sum(widths) - (line_length - len(widths) - 1)
    for number, width in enumerate(widths):
        share = round(excess / (len(widths) - number))
        widths[number] = width - share
        excess -= share
    if min(widths) < 4:
        raise ValueError(
            f"The console is too narrow for the table of a model, at {line_length} characters a "
            f"line: pass a larger `line_length` to `summary()`."
        )
    return widths


def _branches(model: Any) -> bool:
    """Whether to show the connections of layers: not for a linear stack."""
    steps = getattr(model, "_tpf_steps", None)
    if steps is None:
        return False
    calls = [step.node for step in steps]
    called = [id(node.operation) for node in calls]
    if len(called) != len(set(called)):
        return True
    return any(len(node.input_tensors) > 1 for node in calls) or _is_used_twice(calls)


def _is_used_twice(calls: list[Any]) -> bool:
    used = [id(tensor) for node in calls for tensor in node.input_tensors]
    return len(used) != len(set(used))


def _in_range(model: Any, layer_range: Any) -> list[Any]:
    layers = list(getattr(model, "operations", None) or model.layers)
    if layer_range is None:
        return layers
    if len(layer_range) != 2:
        raise ValueError(
            f"`layer_range` must have two names of layers, the first and the last to show. "
            f"Received: layer_range={layer_range}"
        )
    matches = []
    for pattern in layer_range:
        indices = [index for index, layer in enumerate(layers) if re.match(pattern, layer.name)]
        if not indices:
            raise ValueError(
                f"Passed layer_range does not match any model layer. Received: {layer_range}"
            )
        matches.append(indices)
    return layers[min(matches[0]) : max(matches[1]) + 1]


def _rows(
    model: Any,
    layers: list[Any],
    connected: bool,
    show_trainable: bool,
    expand_nested: bool,
    indent: str = "",
) -> Iterator[list[str]]:
    own = {id(step.node) for step in model._tpf_steps} if hasattr(model, "_tpf_steps") else None
    for layer in layers:
        name = f"{indent}{layer.name} ({type(layer).__name__})"
        row = [name, _output_shape(layer), _count(layer)]
        if connected:
            row.append(_connections(layer, own))
        if show_trainable:
            weights = getattr(layer, "weights", ())
            row.append(("Y" if layer.trainable else "N") if weights else "-")
        yield row
        inner = getattr(layer, "layers", None)
        if expand_nested and inner:
            yield from _rows(layer, inner, connected, show_trainable, True, indent + "   └ ")


def _output_shape(layer: Any) -> str:
    if layer._inbound_nodes:
        shapes = [t.shape for t in layer._inbound_nodes[0].outputs]
        return str(shapes[0]) if len(shapes) == 1 else f"[{', '.join(map(str, shapes))}]"
    shapes_dict = getattr(layer, "_build_shapes_dict", None)
    if not shapes_dict:
        return "?"
    try:
        if type(layer).compute_output_shape is Layer.compute_output_shape:
            output_shape = layer.compute_output_shape(**shapes_dict)
        else:
            stand_ins = {
                name.removesuffix("_shape"): KerasTensor(shape)
                for name, shape in shapes_dict.items()
                if isinstance(shape, tuple)
            }
            call_shapes = shapes_for(type(layer).compute_output_shape, stand_ins)
            output_shape = layer.compute_output_shape(**call_shapes)
    except (NotImplementedError, TypeError, ValueError):
        return "?"
    return str(output_shape)


def _count(layer: Any) -> str:
    if not isinstance(layer, Layer):
        return "0"
    return f"{layer.count_params():,}" if layer.built else "0 (unbuilt)"


def _connections(layer: Any, own: Any) -> str:
    sources = []
    for node in layer._inbound_nodes:
        if own is not None and id(node) not in own:
            continue
        for tensor in node.input_tensors:
            operation, node_index, tensor_index = tensor._keras_history
            sources.append(f"{operation.name}[{node_index}][{tensor_index}]")
    return ", ".join(sources) or "-"


def _table(
    columns: list[str], rows: list[list[str]], widths: list[int], aligned: list[str]
) -> Iterator[str]:
    def rule(left: str, line: str, cross: str, right: str) -> str:
        return left + cross.join(line * width for width in widths) + right

    yield rule("┏", "━", "┳", "┓")
    yield from _cells(columns, widths, aligned, "┃")
    yield rule("┡", "━", "╇", "┩")
    for number, row in enumerate(rows):
        if number:
            yield rule("├", "─", "┼", "┤")
        yield from _cells(row, widths, aligned, "│")
    yield rule("└", "─", "┴", "┘")


def _cells(row: list[str], widths: list[int], aligned: list[str], bar: str) -> Iterator[str]:
    """The lines of a row: what is too long is broken between words, or cut."""
    broken = [_broken(text, width - 2) for text, width in zip(row, widths)]
    for number in range(max(map(len, broken))):
        parts = [
            f" {lines[number] if number < len(lines) else '':{side}{width - 2}} "
            for lines, width, side in zip(broken, widths, aligned)
        ]
        yield bar + bar.join(parts) + bar


def _broken(text: str, width: int) -> list[str]:
    indent = len(text) - len(text.lstrip())
    lines = textwrap.wrap(
        text.strip(), width - indent, break_long_words=False, break_on_hyphens=False
    )
    cut = [
        line if len(line) <= width - indent else line[: width - indent - 1] + "…" for line in lines
    ]
    return [" " * indent + line for line in cut] or [""]


def _totals(model: Any) -> Iterator[str]:
    trainable = {id(weight): weight for weight in model.trainable_weights}
    fixed = {id(w): w for w in model.non_trainable_weights if id(w) not in trainable}
    optimizer_variables = _of_optimizer(model)
    kinds = [
        ("Total", [*trainable.values(), *fixed.values(), *optimizer_variables]),
        ("Trainable", list(trainable.values())),
        ("Non-trainable", list(fixed.values())),
        *([("Optimizer", optimizer_variables)] if optimizer_variables else []),
    ]
    for kind, weights in kinds:
        count = sum(math.prod(weight.shape) for weight in weights)
        size = sum(math.prod(w.shape) * tf.as_dtype(w.dtype).size for w in weights)
        yield f" {kind} params: {count:,} ({_readable(size)})"


def _of_optimizer(model: Any) -> list[Any]:
    """The variables of the model's optimizer, once training has begun."""
    optimizer = getattr(model, "optimizer", None)
    return list(optimizer.variables) if model.compiled and optimizer and optimizer.built else []


def _readable(size: float) -> str:
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if size < 1024 or unit == "TB":
            return f"{size:.2f} {unit}"
        size /= 1024
    return ""
