"""`model_to_dot` and `plot_model`: the layers of a model and their connections as a picture."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.layers.core.input_layer import InputLayer
from tapeflow._src.keras.models.functional import Functional
from tapeflow._src.keras.models.sequential import Sequential
from tapeflow._src.keras.utils.dot_graph import (
    INSTALL,
    Cell,
    Cluster,
    Dot,
    Edge,
    Graph,
    Label,
    Node,
)

_MODELS = (Functional, Sequential)
# The source of an arrow with the number of its output, and the target with that of its input.
Connection = tuple[Any, int, Any, int]


def model_to_dot(
    model: Any,
    show_shapes: bool = False,
    show_dtype: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int | None = 200,
    subgraph: bool = False,
    show_layer_activations: bool = False,
    show_trainable: bool = False,
    splines: str = "ortho",
    **kwargs: Any,
) -> Any:
    """Return the layers of a model and their connections as a graph of Graphviz.

    Args:
        model: The model, which is built.
        show_shapes: Whether to show the shapes of inputs and outputs.
        show_dtype: Whether to show the dtypes of outputs.
        show_layer_names: Whether to show the names of layers, besides their classes.
        rankdir: Direction of the arrows: "TB" (down), "BT", "LR" (right) or "RL".
        expand_nested: Whether to draw models inside the model with their layers, in a frame.
        dpi: Dots per inch of pictures.
        subgraph: Whether to return a graph that can be added to another.
        show_layer_activations: Whether to show activation functions.
        show_trainable: Whether to show if layers are trained.
        splines: How to draw arrows: "ortho", "curved", "polyline", "spline" or "line".
        **kwargs: `layer_range` of Keras 2: regular expressions of the first and last layer.

    Returns:
        A graph with methods of `pydot.Dot`, such as `to_string()` and `create(format="svg")`.
        Neither pydot nor, for SVG, Graphviz is needed.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
        >>> len(tf.keras.utils.model_to_dot(model).get_nodes())
        1
    """
    layer_range = kwargs.pop("layer_range", None)
    if kwargs:
        raise ValueError(f"`model_to_dot` received the unknown arguments {sorted(kwargs)}.")
    if not model.built:
        raise ValueError(
            f"The model '{model.name}' is not built, so its layers are not connected yet: call it "
            f"on a batch of data, or call its `build` method, first."
        )
    if subgraph:
        graph: Graph = Cluster(model.name, style="dashed", label=model.name, labeljust="l")
    else:
        graph = Dot(rankdir=rankdir, concentrate=True, splines=splines)
        if dpi is not None:
            graph.set("dpi", dpi)
        graph.set_node_defaults(shape="record")
    shown = _Shown(show_shapes, show_dtype, show_layer_names, show_layer_activations)
    shown.trainable = show_trainable
    _fill(graph, model, shown, expand_nested, layer_range)
    return graph


def plot_model(
    model: Any,
    to_file: Any = "model.png",
    show_shapes: bool = False,
    show_dtype: bool = False,
    show_layer_names: bool = False,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int | None = 200,
    show_layer_activations: bool = False,
    show_trainable: bool = False,
    splines: str = "ortho",
    **kwargs: Any,
) -> Any:
    """Draw a model, and write the picture to a file.

    Without Graphviz it is drawn as SVG, with a warning if `to_file` has another ending.

    Args:
        model: The model, which is built.
        to_file: The file, whose ending is the format: `.png`, `.svg`, `.pdf`, `.dot`, ….
        show_shapes: As all that follow, an argument of `model_to_dot`.
        show_dtype: Whether to show the dtypes of outputs.
        show_layer_names: Whether to show the names of layers.
        rankdir: Direction of the arrows: "TB", "BT", "LR" or "RL".
        expand_nested: Whether to draw models inside the model with their layers.
        dpi: Dots per inch of pictures.
        show_layer_activations: Whether to show activations.
        show_trainable: Whether to mark layers as trainable or frozen.
        splines: Shape of the lines.
        **kwargs: `layer_range`.

    Returns:
        The picture, which notebooks show.
    """
    dot = model_to_dot(
        model,
        show_shapes=show_shapes,
        show_dtype=show_dtype,
        show_layer_names=show_layer_names,
        rankdir=rankdir,
        expand_nested=expand_nested,
        dpi=dpi,
        show_layer_activations=show_layer_activations,
        show_trainable=show_trainable,
        splines=splines,
        **kwargs,
    )
    path = Path(to_file)
    format = path.suffix[1:].lower() or "png"
    if shutil.which("dot") is None and format not in ("svg", "dot", "gv"):
        path, asked = path.with_suffix(".svg"), format
        format = "svg"
        warn_user(f"A picture as '{asked}' needs Graphviz: {INSTALL}. It is in {path} as SVG.")
    dot.write(path, format=format)
    return Picture(path, format)


class Picture:
    """A picture in a file, as notebooks show it."""

    def __init__(self, path: Path, format: str) -> None:
        self.filename = str(path)
        self.format = format

    def __repr__(self) -> str:
        return f"<Picture {self.filename}>"

    def _repr_png_(self) -> bytes | None:
        return Path(self.filename).read_bytes() if self.format == "png" else None

    def _repr_svg_(self) -> str | None:
        is_svg = self.format == "svg"
        return Path(self.filename).read_text(encoding="utf-8") if is_svg else None


class _Shown:
    """Labels of layers: which of their properties are shown."""

    trainable = False

    def __init__(self, shapes: bool, dtype: bool, names: bool, activations: bool) -> None:
        self._shapes = shapes
        self._dtype = dtype
        self._names = names
        self._activations = activations

    def node(self, layer: Any) -> Node:
        """The box of a layer."""
        rows = [row for row in (self._activation(layer), self._facts(layer)) if row]
        label = Label(self._title(layer), tuple(rows))
        return Node(_id(layer), label=label, fontname="Helvetica", border=0, margin=0)

    def _title(self, layer: Any) -> Cell:
        kind = type(layer).__name__
        words = f"{layer.name} ({kind})" if self._names else kind
        return Cell("", words, "white", "black")

    def _activation(self, layer: Any) -> tuple[Cell, ...]:
        function = getattr(layer, "activation", None) if self._activations else None
        if function is None:
            return ()
        name = str(getattr(function, "name", None) or getattr(function, "__name__", function))
        return (Cell("Activation: ", name),)

    def _facts(self, layer: Any) -> tuple[Cell, ...]:
        cells = []
        if self._shapes:
            if not isinstance(layer, InputLayer):
                cells.append(Cell("Input shape: ", _of_tensors(layer, "input", "shape")))
            cells.append(Cell("Output shape: ", _of_tensors(layer, "output", "shape")))
        if self._dtype:
            cells.append(Cell("Output dtype: ", _of_tensors(layer, "output", "dtype")))
        if self.trainable and getattr(layer, "weights", None):
            words, color = ("Trainable", "forestgreen")
            if not layer.trainable:
                words, color = ("Non-trainable", "firebrick")
            cells.append(Cell("", words, "white", color))
        return tuple(cells)


def _of_tensors(layer: Any, which: str, attribute: str) -> str:
    """The shapes or dtypes of the inputs or outputs of a layer; "?" if it has no single call."""
    try:
        tensors = getattr(layer, which)
    except (AttributeError, ValueError):
        return "?"
    values = tf.keras.tree.map_structure(lambda tensor: getattr(tensor, attribute), tensors)
    if isinstance(values, dict):
        return ", ".join(f"{key}: {value}" for key, value in values.items())
    return str(values)


def _id(layer: Any) -> str:
    return str(id(layer))


def _fill(graph: Graph, model: Any, shown: _Shown, expand: bool, layer_range: Any) -> None:
    """Add the layers of a model to a graph, and their connections."""
    if not isinstance(model, _MODELS):
        graph.add_node(shown.node(model))
        return
    layers = _in_range(_layers(model), layer_range)
    for layer in layers:
        if expand and isinstance(layer, _MODELS):
            inner = Cluster(layer.name, style="dashed", label=layer.name, labeljust="l")
            _fill(inner, layer, shown, expand, None)
            graph.add_subgraph(inner)
        else:
            graph.add_node(shown.node(layer))
    drawn = {id(layer) for layer in layers}
    for source, output, target, input_ in _connections(model):
        if id(source) not in drawn or id(target) not in drawn:
            continue
        if expand:
            source, target = _last(source, output), _first(target, input_)
        if not graph.get_edge(_id(source), _id(target)):
            graph.add_edge(Edge(_id(source), _id(target), penwidth=2))


def _layers(model: Any) -> list[Any]:
    return list(model.layers if isinstance(model, Sequential) else model.operations)


def _in_range(layers: list[Any], layer_range: Any) -> list[Any]:
    """The layers from the first to the last that regular expressions name, as in Keras 2."""
    if layer_range is None:
        return layers
    if len(layer_range) != 2 or not all(isinstance(each, str) for each in layer_range):
        raise ValueError(
            f"`layer_range` must be the names of the first and of the last layer, as regular "
            f"expressions. Received: layer_range={layer_range!r}"
        )
    numbers = []
    for pattern in layer_range:
        matched = [n for n, layer in enumerate(layers) if re.match(pattern, layer.name)]
        if not matched:
            names = [layer.name for layer in layers]
            raise ValueError(f"No layer matches {pattern!r} of `layer_range`. Layers: {names}")
        numbers.append(matched[0])
    return layers[min(numbers) : max(numbers) + 1]


def _connections(model: Any) -> Iterator[Connection]:
    if isinstance(model, Sequential):
        for source, target in zip(model.layers, model.layers[1:]):
            yield source, 0, target, 0
        return
    for step in model._tpf_steps:
        for number, tensor in enumerate(step.node.input_tensors):
            history = tensor._keras_history
            yield history.operation, history.tensor_index, step.operation, number


def _last(layer: Any, output: int) -> Any:
    """The layer inside a model, at any depth, that computes one of its outputs."""
    while isinstance(layer, _MODELS):
        if isinstance(layer, Sequential):
            layer = layer.layers[-1]
        else:
            history = layer.outputs[output]._keras_history
            layer, output = history.operation, history.tensor_index
    return layer


def _first(layer: Any, input_: int) -> Any:
    """The layer inside a model, at any depth, that takes one of its inputs."""
    while isinstance(layer, _MODELS):
        if isinstance(layer, Sequential):
            layer = layer.layers[0]
        else:
            layer = layer.inputs[input_]._keras_history.operation
    return layer
