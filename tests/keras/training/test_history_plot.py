"""`keras.utils.plot_history` draws what `fit` reported."""

from __future__ import annotations

import importlib.util
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
SVG = "{http://www.w3.org/2000/svg}"
LOGS = {"loss": [1.2, 0.5, float("nan")], "val_loss": [1.3, 0.8, 0.7], "accuracy": [0.3, 0.8, 0.9]}


def drawn(plot: Any) -> tuple[list[str], list[list[tuple[float, float]]]]:
    """The words of a picture and the points of its curves."""
    root = ElementTree.fromstring(plot.to_svg())
    lines = [line.get("points", "").split() for line in root.iter(f"{SVG}polyline")]
    curves = [[(float(x), float(y)) for x, y in (p.split(",") for p in line)] for line in lines]
    return [text.text or "" for text in root.iter(f"{SVG}text")], curves


def test_curves_have_a_point_for_every_finite_value() -> None:
    words, curves = drawn(keras.utils.plot_history(LOGS, title="a < b"))
    assert {"a < b", "loss", "accuracy", "epoch", "training", "validation"} <= set(words)
    assert [len(curve) for curve in curves] == [2, 3, 3]
    loss, validation, accuracy = curves
    assert loss[0][1] < loss[1][1]  # a smaller value is further down
    assert accuracy[0][1] > accuracy[1][1] > accuracy[2][1]
    assert loss[0][0] == validation[0][0] == accuracy[0][0]


def test_what_fit_returns_is_drawn_with_its_epochs(tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    x = np.ones((4, 2), "float32")
    history = model.fit(x, x[:, :1], epochs=5, initial_epoch=2, verbose=0)
    plot = keras.utils.plot_history(history, tmp_path / "training.svg")
    assert (tmp_path / "training.svg").read_text(encoding="utf-8") == plot.to_svg()
    assert plot.epochs == [3, 4, 5]


def test_one_epoch_and_equal_values_can_be_drawn() -> None:
    assert len(drawn(keras.utils.plot_history({"loss": [0.0]}))[1][0]) == 1
    assert len(drawn(keras.utils.plot_history({"loss": [2.0, 2.0]}))[1][0]) == 2


def test_wrong_arguments_are_answered() -> None:
    with pytest.raises(ValueError, match="fit"):
        keras.utils.plot_history({})
    with pytest.raises(ValueError, match="'f1'"):
        keras.utils.plot_history(LOGS, metrics=["f1"])


@pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is not None, reason="matplotlib draws other formats"
)
def test_other_formats_name_what_is_needed(tmp_path: Path) -> None:
    with pytest.raises(ImportError, match="matplotlib"):
        keras.utils.plot_history(LOGS, tmp_path / "training.png")
