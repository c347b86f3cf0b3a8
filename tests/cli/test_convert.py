"""`tapeflow convert`: what is read from the new file is what the old one held."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.export
import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.checkpoint.safetensors import SafetensorsReader, write_safetensors
from tapeflow._src.cli.inspect import describe
from tapeflow._src.cli.main import main

X = np.linspace(-1, 1, 8, dtype="float32").reshape(2, 4)


@pytest.fixture(scope="module")
def model() -> Any:
    tf.keras.utils.set_random_seed(3)
    layers = [tf.keras.Input((4,), name="x"), tf.keras.layers.Dense(3, "tanh", name="head")]
    made = tf.keras.Sequential(layers)
    made.compile("adam", "mse")
    made.fit(X, np.ones((2, 3)), verbose=0)
    return made


@pytest.mark.parametrize("source", ["m.keras", "m.h5", "folder"])
@pytest.mark.parametrize("target", ["n.keras", "n.h5", "saved"])
def test_whole_models(tmp_path: Path, model: Any, source: str, target: str) -> None:
    model.save(tmp_path / source)
    assert main(["convert", str(tmp_path / source), str(tmp_path / target)]) == 0
    loaded = tf.keras.models.load_model(tmp_path / target)
    np.testing.assert_allclose(loaded.predict(X, verbose=0), model.predict(X, verbose=0), 1e-6)
    assert int(loaded.optimizer.iterations) == 1


def test_weights(tmp_path: Path, model: Any) -> None:
    model.save(tmp_path / "m.keras")
    assert main(["convert", str(tmp_path / "m.keras"), str(tmp_path / "m.weights.h5")]) == 0
    twin = tf.keras.models.clone_model(model)
    twin.load_weights(tmp_path / "m.weights.h5")
    np.testing.assert_array_equal(twin.get_weights()[0], model.get_weights()[0])


def test_safetensors_and_checkpoints(tmp_path: Path, model: Any) -> None:
    model.save(tmp_path / "m.keras")
    tensors, prefix = str(tmp_path / "m.safetensors"), str(tmp_path / "m.ckpt")
    assert main(["convert", str(tmp_path / "m.keras"), tensors]) == 0
    values = dict(SafetensorsReader(tensors).tensors())
    kernel = next(value for name, value in values.items() if name.endswith("head/kernel"))
    np.testing.assert_array_equal(kernel, model.layers[0].kernel.numpy())
    assert main(["convert", tensors, prefix]) == 0
    reader = tf.train.load_checkpoint(prefix)
    assert set(reader.get_variable_to_shape_map()) == set(values)
    assert main(["convert", prefix, str(tmp_path / "again.safetensors")]) == 0
    again = dict(SafetensorsReader(str(tmp_path / "again.safetensors")).tensors())
    assert all(np.array_equal(again[name], value) for name, value in values.items())
    names = {row["name"] for row in describe(tensors).to_json()["tensors"]}
    assert names == set(values)


@pytest.mark.parametrize("source", ["m.keras", "exported"])
def test_stablehlo_computes_what_the_model_does(tmp_path: Path, model: Any, source: str) -> None:
    if source == "m.keras":
        model.save(tmp_path / source)
    else:
        model.export(tmp_path / source, verbose=False)
    target = str(tmp_path / "m.stablehlo")
    arguments = ["convert", str(tmp_path / source), target]
    assert main(arguments) == 1  # the size of the batch is not known
    assert main([*arguments, "--shape", "x=2,4"]) == 0
    loaded = jax.export.deserialize(bytearray(Path(target).read_bytes()))
    result = jax.tree.leaves(loaded.call(X))[0]
    np.testing.assert_allclose(result, model.predict(X, verbose=0), 1e-5)


def test_targets_that_exist_and_unknown_endings_are_refused(
    tmp_path: Path, model: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    model.save(tmp_path / "m.keras")
    source = str(tmp_path / "m.keras")
    assert main(["convert", source, source]) == 1
    assert "exists" in capsys.readouterr().err
    tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(tmp_path / "mine.ckpt"))
    assert main(["convert", source, str(tmp_path / "mine.ckpt")]) == 1
    assert "mine.ckpt.index exists" in capsys.readouterr().err
    assert [name for name, _ in tf.train.list_variables(str(tmp_path / "mine.ckpt"))][-1][0] == "v"
    assert main(["convert", source, str(tmp_path / "m.xyz")]) == 1
    assert ".safetensors" in capsys.readouterr().err
    assert main(["convert", source, str(tmp_path / "m.onnx")]) == 1
    assert "tf2onnx" in capsys.readouterr().err


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int8", "bool", "complex64", "float64"])
def test_safetensors_keep_every_dtype(tmp_path: Path, dtype: str) -> None:
    path = tmp_path / "x.safetensors"
    value = tf.cast(tf.reshape(tf.range(6), [2, 3]), dtype).numpy()
    write_safetensors(path, [("a", value), ("empty", value[:0]), ("scalar", value[1, 1])])
    values = dict(SafetensorsReader(path).tensors())
    assert np.array_equal(values["a"], value) and values["a"].dtype == value.dtype
    assert values["empty"].shape == (0, 3) and values["scalar"].shape == ()


@pytest.mark.parametrize("cut", [0, 4, 20, -1])
def test_damaged_safetensors_raise_data_loss(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "x.safetensors"
    write_safetensors(path, [("a", np.ones(5, "float32"))])
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(tf.errors.DataLossError, match=r"x\.safetensors"):
        SafetensorsReader(path)
