"""`model_to_dot` and `plot_model`: the layers of models as graphs and pictures."""

from __future__ import annotations

import os
import stat
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf

keras = tf.keras
layers = keras.layers
to_dot = keras.utils.model_to_dot


@pytest.fixture
def no_graphviz(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))


def two_branches() -> Any:
    """Two inputs, a Sequential model inside, and a functional model in which that one is."""
    a, b = keras.Input((4,), name="a"), keras.Input((3,), name="b")
    x = layers.Dense(3, activation="relu", name="h")(a)
    line = keras.Sequential([keras.Input((3,)), layers.Dense(3, name="i1")], name="line")
    i = keras.Input((3,), name="i")
    inner = keras.Model(i, layers.Dense(2, name="last")(line(i)), name="inner")
    outputs = layers.Concatenate(name="cat")([inner(x), b])
    return keras.Model([a, b], outputs, name="two")


def names(model: Any) -> dict[str, str]:
    layers_of = {str(id(each)): each.name for each in model._flatten_layers()}
    return layers_of


def edges(graph: Any, known: dict[str, str]) -> list[tuple[str, str]]:
    own = [(known[e.get_source()], known[e.get_destination()]) for e in graph.get_edges()]
    return sorted(own + [pair for each in graph.get_subgraphs() for pair in edges(each, known)])


def test_nested_models_are_one_box_or_a_frame_of_boxes() -> None:
    model = two_branches()
    known = names(model)
    plain = to_dot(model)
    assert edges(plain, known) == [("a", "h"), ("b", "cat"), ("h", "inner"), ("inner", "cat")]
    assert len(plain.get_nodes()) == 5 and not plain.get_subgraphs()
    expanded = to_dot(model, expand_nested=True)
    assert edges(expanded, known) == [
        *(("a", "h"), ("b", "cat"), ("h", "i"), ("i", "i1"), ("i1", "last"), ("last", "cat")),
    ]
    (inner,) = expanded.get_subgraphs()
    assert inner.get_name() == "cluster_inner" and len(inner.get_subgraphs()) == 1
    assert "subgraph cluster_inner {" in expanded.to_string()


def test_what_is_shown_of_layers() -> None:
    model = two_branches()
    model.get_layer("h").trainable = False
    bare = to_dot(model, show_layer_names=False).to_string()
    assert "<b>Dense</b>" in bare and "h (Dense)" not in bare and "shape:" not in bare
    full = to_dot(
        model,
        show_shapes=True,
        show_dtype=True,
        show_layer_activations=True,
        show_trainable=True,
        rankdir="LR",
        dpi=50,
    ).to_string()
    for words in (
        *("h (Dense)", "Activation: <b>relu</b>", "Input shape: <b>(None, 4)</b>"),
        *("Output dtype: <b>float32</b>", "Non-trainable", "rankdir=LR", "dpi=50"),
    ):
        assert words in full
    assert full.count("{") == full.count("}")


def test_sequential_and_other_models_and_ranges_of_layers() -> None:
    model = keras.Sequential([layers.Dense(2, name=f"d{n}") for n in range(4)])
    with pytest.raises(ValueError, match="not built"):
        to_dot(model)
    model.build((None, 3))
    assert edges(to_dot(model), names(model)) == [("d0", "d1"), ("d1", "d2"), ("d2", "d3")]
    part = to_dot(model, layer_range=["d1", "d2"])
    assert edges(part, names(model)) == [("d1", "d2")] and len(part.get_nodes()) == 2
    with pytest.raises(ValueError, match="No layer matches"):
        to_dot(model, layer_range=["x", "d2"])
    with pytest.raises(ValueError, match="unknown"):
        to_dot(model, colour="red")

    class Own(keras.Model):  # type: ignore[misc, name-defined]
        def call(self, x: Any) -> Any:
            return x

    own = Own()
    own.build((None, 2))
    assert len(to_dot(own).get_nodes()) == 1 and not to_dot(own).get_edges()


@pytest.mark.usefixtures("no_graphviz")
@pytest.mark.parametrize("rankdir", ["TB", "BT", "LR", "RL"])
def test_pictures_without_graphviz(rankdir: str, tmp_path: Path) -> None:
    model = two_branches()
    file = tmp_path / "m.svg"
    picture = keras.utils.plot_model(model, file, expand_nested=True, rankdir=rankdir)
    tree = ElementTree.parse(file).getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert len(tree.findall(f"{space}line")) == 6
    boxes = [r for r in tree.findall(f"{space}rect") if r.get("stroke-dasharray") is None]
    assert len(boxes) == 7
    places = [[float(r.get(n, 0)) for n in ("x", "y", "width", "height")] for r in boxes]
    for i, (x, y, w, h) in enumerate(places):
        for u, v, s, t in places[i + 1 :]:
            assert x + w <= u or u + s <= x or y + h <= v or v + t <= y
    assert picture._repr_svg_() == file.read_text(encoding="utf-8")
    assert picture._repr_png_() is None


@pytest.mark.usefixtures("no_graphviz")
def test_other_formats_need_graphviz(tmp_path: Path) -> None:
    model = two_branches()
    with pytest.warns(UserWarning, match="Graphviz"):
        picture = keras.utils.plot_model(model, tmp_path / "m.png")
    assert picture.filename == str(tmp_path / "m.svg") and (tmp_path / "m.svg").is_file()
    dot = to_dot(model)
    with pytest.raises(ImportError, match="Graphviz"):
        dot.write_png(tmp_path / "x.png")
    dot.write_svg(tmp_path / "x.svg")
    dot.write(tmp_path / "x.dot")
    assert (tmp_path / "x.dot").read_text(encoding="utf-8") == dot.to_string()
    assert dot._repr_svg_().startswith("<svg")


def test_graphviz_is_called_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "dot"
    program.write_text(f'#!/bin/sh\necho called "$1"; exec {os.path.realpath("/bin/cat")}\n')
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    picture = keras.utils.plot_model(two_branches(), tmp_path / "m.png")
    assert picture._repr_png_().startswith(b"called -Tpng\ndigraph G {")
    program.write_text("#!/bin/sh\ncat > /dev/null; echo broken >&2; exit 3\n")
    with pytest.raises(OSError, match="broken"):
        to_dot(two_branches()).create_png()
