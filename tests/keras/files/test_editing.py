"""`KerasFileEditor`, weights of which some are skipped, and models in folders of their parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.keras.files.test_legacy_h5 import same_values, small

h5py = __import__("h5py")
keras = tf.keras
layers = keras.layers


def editor_of(path: Path, model: Any) -> Any:
    if path.suffix == ".keras":
        model.save(path)
    else:
        model.save_weights(path)
    return keras.saving.KerasFileEditor(path)


@pytest.mark.parametrize("name", ["m.keras", "m.weights.h5"])
def test_weights_are_edited_to_fit_another_model(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = small()
    editor = editor_of(tmp_path / name, model)
    assert (editor.config is not None) == name.endswith(".keras")
    assert editor.compare(model) == {"status": "success", "error_count": 0, "match_count": 4}
    longer = keras.Sequential([*model.layers, layers.Dense(2)])
    longer.build((None, 4))
    assert editor.compare(longer)["error_count"] == 1
    editor.add_object("layers/dense_3", {"0": np.ones((2, 2))})
    assert editor.compare(longer)["error_count"] == 2
    editor.rename_object("dense_3", "dense_2")
    editor.add_weights("layers/dense_2", {"1": np.ones((7,))})
    assert editor.compare(longer)["error_count"] == 1
    editor.delete_weight("dense_2", "1")
    editor.add_weights("dense_2", {"1": np.full((2,), 3.0)})
    assert editor.compare(longer)["status"] == "success"
    editor.summary()
    assert "dense_2" in capsys.readouterr().out
    editor.save(tmp_path / "new.weights.h5")
    longer.load_weights(tmp_path / "new.weights.h5")
    assert longer.layers[-1].bias.numpy().tolist() == [3.0, 3.0]
    editor.delete_object("layers/dense_2")
    assert editor.compare(model)["status"] == "success"


def test_what_cannot_be_edited(tmp_path: Path) -> None:
    editor = editor_of(tmp_path / "m.weights.h5", small())
    for wrong in (
        lambda: editor.rename_object("none", "x"),
        lambda: editor.rename_object("dense", "dense_1"),
        lambda: editor.delete_weight("dense", "9"),
        lambda: editor.add_object("none/x", {}),
        lambda: editor.add_weights("dense", [1]),
        lambda: editor.save(tmp_path / "x.keras"),
        lambda: keras.saving.KerasFileEditor(tmp_path / "x.h6"),
    ):
        with pytest.raises(ValueError):
            wrong()
    with h5py.File(tmp_path / "link.weights.h5", "w") as file:
        file["layers"] = h5py.ExternalLink(str(tmp_path / "m.weights.h5"), "/layers")
    with pytest.raises(ValueError, match="link"):
        keras.saving.KerasFileEditor(tmp_path / "link.weights.h5")


def test_layers_are_skipped(tmp_path: Path) -> None:
    model, other = small(), small()
    before = other.layers[0].kernel.numpy()
    path = tmp_path / "w.weights.h5"
    for skipped in ([model.layers[0]], []):
        model.save_weights(path, objects_to_skip=skipped)
        other.load_weights(path, objects_to_skip=[other.layers[0]])
        np.testing.assert_array_equal(other.layers[0].kernel, before)
        assert same_values(other.layers[1].weights, model.layers[1].weights)
    with pytest.raises(ValueError, match="objects_to_skip"):
        model.save_weights(tmp_path / "w.h5", objects_to_skip=[model.layers[0]])
    with pytest.raises(ValueError, match="objects_to_skip"):
        model.load_weights(tmp_path / "w.keras", objects_to_skip=[])


def test_a_model_in_a_folder_of_its_parts(tmp_path: Path) -> None:
    model = small()
    model.compile("adam", "mse")
    model.save(tmp_path / "m", zipped=False)
    names = {file.name for file in (tmp_path / "m").iterdir() if not file.name.startswith(".")}
    assert names == {"config.json", "metadata.json", "model.weights.h5"}
    again = keras.models.load_model(tmp_path / "m")
    assert same_values(model.weights, again.weights) and again.compiled
    with pytest.raises(ValueError, match="should not end in"):
        model.save(tmp_path / "m.keras", zipped=False)
    with pytest.raises(ValueError, match="no file"):
        keras.models.load_model(tmp_path)
