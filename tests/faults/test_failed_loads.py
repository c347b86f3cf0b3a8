"""A load that fails changes nothing: every value is read and checked before the first assignment.

Each test saves ones, damages one value of them or takes it away, and loads into zeros.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.checkpoint.bundle import BundleReader, data_name
from tapeflow._src.core import protos

v1 = tf.compat.v1
keras = tf.keras
SHAPES = ((3,), (2, 2), (4,))
LAST = f"v{len(SHAPES) - 1}"


def flip(prefix: Path, key: str) -> None:
    """Flip a bit of a value of a checkpoint."""
    offset = BundleReader(str(prefix)).entry(key).offset
    path = Path(data_name(str(prefix)))
    data = bytearray(path.read_bytes())
    data[offset] ^= 1
    path.write_bytes(data)


# -- sessions ----------------------------------------------------------------------------------


class InSession:
    """Variables of a graph, with their values in a session."""

    def __init__(self, value: float, **others: Any) -> None:
        self.session = v1.Session(graph=tf.Graph())
        with self.session.graph.as_default():
            variables = {f"v{n}": np.full(shape, value, "f") for n, shape in enumerate(SHAPES)}
            variables |= others
            self.variables = [
                v1.get_variable(name, initializer=tf.constant(first))
                for name, first in variables.items()
            ]
            self.saver = v1.train.Saver()
            self.session.run(v1.global_variables_initializer())

    def save(self, folder: Path) -> Path:
        return Path(self.saver.save(self.session, str(folder / "ckpt")))

    def values(self) -> set[float]:
        arrays = self.session.run(self.variables)
        return {float(x) for array in arrays for x in np.unique(array)}


def test_savers_restore_all_values_or_none(tmp_path: Path) -> None:
    path = InSession(1.0).save(tmp_path)
    whole = InSession(0.0)
    whole.saver.restore(whole.session, str(path))
    assert whole.values() == {1.0}

    another_shape = InSession(0.0, **{LAST: np.zeros(5, "f")})
    with pytest.raises(tf.errors.InvalidArgumentError):
        another_shape.saver.restore(another_shape.session, str(path))
    assert another_shape.values() == {0.0}

    another_dtype = InSession(0.0, **{LAST: np.zeros(4)})
    with pytest.raises(tf.errors.InvalidArgumentError):
        another_dtype.saver.restore(another_dtype.session, str(path))
    assert another_dtype.values() == {0.0}

    one_more = InSession(0.0, zz=np.zeros(4))
    with pytest.raises(tf.errors.NotFoundError):
        one_more.saver.restore(one_more.session, str(path))
    assert one_more.values() == {0.0}

    flip(path, LAST)
    damaged = InSession(0.0)
    with pytest.raises(tf.errors.DataLossError):
        damaged.saver.restore(damaged.session, str(path))
    assert damaged.values() == {0.0}


def test_eager_savers_restore_all_values_or_none(tmp_path: Path) -> None:
    def saver(value: float) -> tuple[Any, list[Any]]:
        variables = [tf.Variable(tf.fill(s, value), name=f"v{n}") for n, s in enumerate(SHAPES)]
        return v1.train.Saver(variables), variables

    path = Path(saver(1.0)[0].save(None, str(tmp_path / "ckpt")))
    flip(path, LAST)
    damaged, variables = saver(0.0)
    with pytest.raises(tf.errors.DataLossError):
        damaged.restore(None, str(path))
    assert {float(x) for v in variables for x in np.unique(v)} == {0.0}


@pytest.fixture
def session_model(tmp_path: Path) -> Path:
    """A SavedModel that a session has written, with an asset."""
    (tmp_path / "asset.txt").write_text("text")
    saved = InSession(1.0)
    with saved.session.graph.as_default():
        asset = tf.constant(str(tmp_path / "asset.txt"))
        v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, asset)
        builder = v1.saved_model.Builder(str(tmp_path / "model"))
        assets = v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS)
        builder.add_meta_graph_and_variables(saved.session, ["serve"], assets_collection=assets)
        builder.save()
    return tmp_path / "model"


def load_into(session: Any, model: Path) -> list[Any]:
    """Load a SavedModel into a session; returns its variables."""
    with session.graph.as_default():
        v1.saved_model.load(session, ["serve"], str(model))
        return v1.global_variables()


def _flip_last(model: Path) -> None:
    flip(model / "variables" / "variables", LAST)


def _asset_outside(model: Path) -> None:
    message = protos.SavedModel.FromString((model / "saved_model.pb").read_bytes())
    message.meta_graphs[0].asset_file_def[0].filename = "../../asset.txt"
    (model / "saved_model.pb").write_bytes(message.SerializeToString())


@pytest.mark.parametrize("damage", [_flip_last, _asset_outside])
def test_models_of_sessions_restore_all_values_or_none(
    session_model: Path, damage: Callable[[Path], None]
) -> None:
    with v1.Session(graph=tf.Graph()) as session:
        assert len(load_into(session, session_model)) == len(SHAPES)
    damage(session_model)
    with v1.Session(graph=tf.Graph()) as session:
        with pytest.raises((tf.errors.DataLossError, ValueError)):
            load_into(session, session_model)
        with session.graph.as_default():
            for variable in v1.global_variables():
                with pytest.raises(tf.errors.FailedPreconditionError):
                    session.run(variable)
    with pytest.raises((tf.errors.DataLossError, ValueError)):
        tf.saved_model.load(str(session_model))


# -- Keras -------------------------------------------------------------------------------------


def model_of(value: float) -> Any:
    layers = [keras.layers.Dense(n, name=f"layer{n}") for n in (5, 4, 3)]
    model = keras.Sequential([keras.Input((6,)), *layers])
    model.set_weights([np.full(w.shape, value, "f") for w in model.get_weights()])
    return model


def values_of(model: Any) -> set[float]:
    return {float(x) for weight in model.get_weights() for x in np.unique(weight)}


def _edit(path: Path, edit: Callable[[Any, str], None]) -> None:
    with h5py.File(path, "r+") as file:
        names: list[str] = []
        file.visititems(lambda name, each: names.append(name) if hasattr(each, "shape") else None)
        (name,) = (n for n in names if "layer3" in n and n.endswith(("kernel", "kernel:0")))
        edit(file, name)


def _other_shape(file: Any, name: str) -> None:
    del file[name]
    file[name] = np.ones((7, 7), "f")


def _missing(file: Any, name: str) -> None:
    del file[name]


def _group(file: Any, name: str) -> None:
    del file[name]
    file.create_group(name)


def _other_file(file: Any, name: str) -> None:
    del file[name]
    file[name] = h5py.ExternalLink("other.h5", "/a")


@pytest.mark.parametrize("by_name", [False, True])
@pytest.mark.parametrize("edit", [_other_shape, _missing, _group, _other_file])
def test_legacy_weights_are_loaded_whole_or_not_at_all(
    tmp_path: Path, edit: Callable[[Any, str], None], by_name: bool
) -> None:
    path = tmp_path / "weights.h5"
    model_of(1.0).save_weights(path)
    model = model_of(0.0)
    model.load_weights(path, by_name=by_name)
    assert values_of(model) == {1.0}
    _edit(path, edit)
    model = model_of(0.0)
    with pytest.raises((ValueError, OSError), match=r"weights\.h5"):
        model.load_weights(path, by_name=by_name)
    assert values_of(model) == {0.0}


def test_weights_in_a_checkpoint_are_loaded_whole_or_not_at_all(tmp_path: Path) -> None:
    prefix = tmp_path / "weights"
    model_of(1.0).save_weights(prefix)
    model = model_of(0.0)
    model.load_weights(prefix)
    assert values_of(model) == {1.0}
    keys = [key for key in BundleReader(str(prefix)).entries if key.endswith("VARIABLE_VALUE")]
    for key in keys:
        shutil.copytree(tmp_path, tmp_path / "copy", dirs_exist_ok=True)
        flip(tmp_path / "copy" / "weights", key)
        model = model_of(0.0)
        with pytest.raises(tf.errors.DataLossError):
            model.load_weights(tmp_path / "copy" / "weights")
        assert values_of(model) == {0.0}
        shutil.rmtree(tmp_path / "copy")


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"x" * 5000)])
def test_weights_in_several_files_are_loaded_whole_or_not_at_all(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    path = tmp_path / "m.weights.json"
    model_of(1.0).save_weights(path, max_shard_size=2e-7)
    model = model_of(0.0)
    model.load_weights(path)
    assert values_of(model) == {1.0}
    shards = sorted(tmp_path.glob("*.weights.h5"))
    assert len(shards) > 1
    damage(shards[-1])
    model = model_of(0.0)
    with pytest.raises((ValueError, OSError), match=r"weights\.h5"):
        model.load_weights(path)
    assert values_of(model) == {0.0}


def test_an_edit_that_fails_changes_neither_weights_nor_file(tmp_path: Path) -> None:
    path = tmp_path / "m.weights.h5"
    model_of(1.0).save_weights(path)
    before = path.read_bytes()
    editor = keras.saving.KerasFileEditor(path)
    weights = repr(editor.weights_dict)
    with pytest.raises(ValueError):
        editor.add_object("layers/missing/inner", {"0": np.zeros(3)})
    with pytest.raises(ValueError):
        editor.rename_object("layers/dense", "dense_1")
    with pytest.raises(ValueError):
        editor.delete_weight("layers/dense", "9")
    assert repr(editor.weights_dict) == weights
    editor.weights_dict["layers"]["dense_2"]["0"] = np.array([object()])
    with pytest.raises(TypeError):
        editor.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


# -- readers -----------------------------------------------------------------------------------


def test_reading_a_checkpoint_changes_no_file(tmp_path: Path) -> None:
    variables = {f"v{n}": tf.Variable(tf.ones(shape)) for n, shape in enumerate(SHAPES)}
    prefix = Path(tf.train.Checkpoint(**variables).write(str(tmp_path / "ckpt")))
    key = f"{LAST}/.ATTRIBUTES/VARIABLE_VALUE"
    flip(prefix, key)
    files = {path: path.read_bytes() for path in tmp_path.iterdir()}
    reader = tf.train.load_checkpoint(str(prefix))
    for read in (reader.get_tensor, lambda name: tf.train.load_variable(str(prefix), name)):
        with pytest.raises(tf.errors.DataLossError):
            read(key)
        assert read("v0/.ATTRIBUTES/VARIABLE_VALUE").tolist() == [1.0] * 3
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == files


def test_a_damaged_dataset_raises_where_the_damage_is(tmp_path: Path) -> None:
    tf.data.Dataset.range(100).save(str(tmp_path))
    (shard,) = tmp_path.glob("*/*.shard/*.snapshot")
    data = bytearray(shard.read_bytes())
    data[-1] ^= 1
    shard.write_bytes(data)
    files = sorted(tmp_path.rglob("*"))
    iterator = iter(tf.data.Dataset.load(str(tmp_path)))
    assert [int(next(iterator)) for _ in range(99)] == list(range(99))
    with pytest.raises(tf.errors.DataLossError):
        next(iterator)
    assert sorted(tmp_path.rglob("*")) == files
