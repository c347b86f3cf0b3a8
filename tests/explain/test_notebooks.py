"""What notebooks show of models, graphs, functions and trainings."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf


def model() -> Any:
    layers = [tf.keras.Input((4,)), tf.keras.layers.Dense(3, name="only"), tf.keras.layers.ReLU()]
    return tf.keras.Sequential(layers, name="<small>")


def test_models_show_their_layers() -> None:
    shown = model()._repr_html_()
    assert "<svg" in shown
    assert "only" in shown
    assert "&lt;small&gt;" in shown


def test_unbuilt_models_show_their_summary() -> None:
    shown = tf.keras.Sequential([tf.keras.layers.Dense(3)])._repr_html_()
    assert "<svg" not in shown
    assert "dense" in shown


def test_concrete_functions_and_graphs() -> None:
    concrete = tf.function(lambda x: tf.nn.relu(x) + 1.0).get_concrete_function(tf.ones([2]))
    shown = concrete._repr_html_()
    assert "as Python" in shown
    assert "<td style='text-align:left'>Relu</td>" in shown
    assert "test_notebooks.py:" in concrete.graph._repr_html_()
    ElementTree.fromstring(f"<div>{shown}</div>")


def test_long_graphs_are_cut() -> None:
    def f(x: Any) -> Any:
        for _ in range(150):
            x = x * 2.0 + 1.0
        return x

    graph = tf.function(f).get_concrete_function(tf.ones([2])).graph
    assert "more</p>" in graph._repr_html_()


def test_histories_are_drawn_without_matplotlib(tmp_path: Path) -> None:
    logs = {"loss": [1.0, 0.5, 0.25], "val_loss": [1.1, 0.7, 0.6], "acc": [0.1, 0.5, 0.9]}
    plot = tf.explain.history(logs, tmp_path / "training.svg")
    root = ElementTree.parse(tmp_path / "training.svg").getroot()
    assert root.tag.endswith("svg")
    assert plot.to_svg().count("<polyline") + plot.to_svg().count("<path") >= 3
    with pytest.raises(ValueError, match="expected what `fit` returned"):
        tf.explain.history({})


def test_models_are_drawn_without_graphviz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *args, **kwargs: None)
    picture = tf.keras.utils.plot_model(model(), tmp_path / "model.svg", show_shapes=True)
    assert ElementTree.parse(picture.filename).getroot().tag.endswith("svg")
