"""`OrbaxCheckpoint`: what is written and read again. Those that write need `orbax-checkpoint`."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.keras.models import orbax_files
from tapeflow._src.keras.models.orbax_files import OrbaxModel, assets_folder, assign_state, is_orbax

keras = tf.keras
X, Y = np.ones((8, 3), "float32"), np.zeros((8, 2), "float32")
writes = pytest.mark.skipif(
    importlib.util.find_spec("orbax") is None, reason="orbax-checkpoint is not installed"
)


def _model() -> Any:
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, name="d")], name="m")
    model.compile("adam", "mse", metrics=["mae"])
    return model


def _trained() -> Any:
    model = _model()
    model.fit(X, Y, epochs=2, verbose=0)
    return model


def _saved(model: Any, **parts: Any) -> OrbaxModel:
    values = {"state": orbax_files.checkpointables(model, "{}")["pytree"], "config": "{}"}
    return OrbaxModel(**{"path": "folder/1", "assets": {}, **values, **parts})


def test_state_of_a_trained_model_fits_a_new_one_with_its_optimizer() -> None:
    model, copy = _trained(), _model()
    assign_state(copy, _saved(model))
    for ours, theirs in zip(copy.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert all(map(np.array_equal, copy.optimizer.variables, model.optimizer.variables))


def test_state_fits_a_sequential_model_whose_paths_lack_its_name() -> None:
    model = _trained()
    copy = keras.Sequential.from_config(model.get_config())
    copy.compile("adam", "mse")
    assert copy.weights[0].path == "d/kernel" and model.weights[0].path == "m/d/kernel"
    assign_state(copy, _saved(model))
    np.testing.assert_array_equal(copy.get_weights()[0], model.get_weights()[0])
    assert int(copy.optimizer.iterations) == int(model.optimizer.iterations)
    assert all(map(np.array_equal, copy.optimizer.variables, model.optimizer.variables))


def test_states_of_dropout_are_loaded() -> None:
    def create() -> Any:
        layers = [keras.Input((3,)), keras.layers.Dropout(0.5, name="o"), keras.layers.Dense(2)]
        model = keras.Sequential(layers, name="m")
        model.compile("sgd", "mse")
        return model

    create()  # so that the name of the next seed generator has a number
    model = create()
    model.fit(X, Y, verbose=0)
    saved = _saved(model)
    keras.backend.clear_session()
    copy = keras.Sequential.from_config(model.get_config())
    copy.compile("sgd", "mse")
    assign_state(copy, saved)
    for each in (model, copy):
        each.fit(X, Y, epochs=2, verbose=0, shuffle=False)
    np.testing.assert_array_equal(copy.get_weights()[0], model.get_weights()[0])


@pytest.mark.parametrize("prefix", ["loss_scale_optimizer/", "loss_scale_optimizer_1/", ""])
def test_state_of_a_wrapped_optimizer_is_loaded(prefix: str) -> None:
    def create() -> Any:
        model = _model()
        inner = keras.optimizers.Adam(name="adam")
        model.compile(keras.optimizers.LossScaleOptimizer(inner), "mse")
        return model

    model, copy = create(), create()
    model.fit(X, Y, epochs=2, verbose=0)
    saved = _saved(model)
    # Keras begins the paths of the inner optimizer's slots with the name of the outer one.
    tree = saved.state["optimizer_variables"]
    slots = {name: tree["adam"].pop(name) for name in list(tree["adam"]) if "_kernel_" in name}
    outer = prefix.removesuffix("/")
    tree.setdefault(outer, {})["adam"] = slots if outer else tree["adam"].update(slots)
    assign_state(copy, saved)
    assert all(map(np.array_equal, copy.optimizer.variables, model.optimizer.variables))


def test_state_of_another_optimizer_is_left_out_with_a_warning() -> None:
    model, copy = _trained(), _model()
    copy.compile("sgd", "mse")
    with pytest.warns(UserWarning, match="optimizer 'sgd.*' is not loaded"):
        assign_state(copy, _saved(model))
    np.testing.assert_array_equal(copy.get_weights()[0], model.get_weights()[0])


def test_weights_alone_are_written_without_optimizer_and_metrics() -> None:
    tree = orbax_files.checkpointables(_trained(), None)
    assert list(tree) == ["pytree"]
    assert list(tree["pytree"]) == ["trainable_variables", "non_trainable_variables"]


def test_values_to_write_do_not_change_with_the_model() -> None:
    model = _trained()
    kernel = orbax_files.checkpointables(model, None)["pytree"]["trainable_variables"]["m"]["d"]
    before = kernel["kernel"].copy()
    model.fit(X, Y, verbose=0)
    np.testing.assert_array_equal(kernel["kernel"], before)


def test_weights_that_the_checkpoint_lacks_are_named_and_none_is_assigned() -> None:
    saved = _saved(_trained())
    other = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, name="other")], name="s")
    before = other.get_weights()
    with pytest.raises(ValueError, match=r"no values for \['s/other/kernel', 's/other/bias'\]"):
        assign_state(other, saved)
    np.testing.assert_array_equal(other.get_weights()[0], before[0])


def test_weights_of_another_shape_are_refused() -> None:
    other = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2, name="d")], name="m")
    with pytest.raises(ValueError, match=r"m/d/kernel has the shape \(4, 2\).* \(3, 2\)"):
        assign_state(other, _saved(_trained()))


@pytest.mark.parametrize("name", ["..", "a/b", "a\\b", ""])
def test_assets_with_bad_names_are_refused(name: str) -> None:
    saved = OrbaxModel("folder/1", {}, None, {"layer": {name: np.zeros(2, "uint8")}})
    with pytest.raises(ValueError, match="bad name"), assets_folder(saved):
        pass


def test_a_folder_of_steps_and_a_step_are_checkpoints_and_others_are_not(tmp_path: Any) -> None:
    step = tmp_path / "checkpoint" / "12"
    step.mkdir(parents=True)
    assert not is_orbax(str(step.parent))
    (step / "_CHECKPOINT_METADATA").write_text("{}")
    assert is_orbax(str(step.parent)) and is_orbax(str(step))
    assert not is_orbax(str(tmp_path)) and not is_orbax(str(tmp_path / "none"))


@writes
@pytest.mark.parametrize("save_on_background", [True, False])
def test_load_model_resumes_from_the_last_step(tmp_path: Any, save_on_background: bool) -> None:
    model, folder = _model(), tmp_path / "checkpoint"
    callback = keras.callbacks.OrbaxCheckpoint(folder, save_on_background=save_on_background)
    model.fit(X, Y, epochs=3, verbose=0, callbacks=[callback])
    assert [path.name for path in folder.iterdir()] == ["2"]
    copy = keras.saving.load_model(folder)
    model.fit(X, Y, verbose=0, shuffle=False)
    copy.fit(X, Y, verbose=0, shuffle=False)
    for ours, theirs in zip(copy.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@writes
def test_a_callback_saves_again_in_a_second_fit(tmp_path: Any) -> None:
    model, folder = _model(), tmp_path / "checkpoint"
    callback = keras.callbacks.OrbaxCheckpoint(folder, save_freq=1, max_to_keep=None)
    for _ in range(2):
        model.fit(X, Y, batch_size=4, verbose=0, callbacks=[callback])
    assert sorted(path.name for path in folder.iterdir()) == ["1", "2", "3", "4"]


@writes
def test_load_weights_reads_weights_alone_and_load_model_refuses_them(tmp_path: Any) -> None:
    model, copy, folder = _model(), _model(), tmp_path / "checkpoint"
    callback = keras.callbacks.OrbaxCheckpoint(folder, save_weights_only=True)
    model.fit(X, Y, verbose=0, callbacks=[callback])
    copy.load_weights(folder)
    np.testing.assert_array_equal(copy.get_weights()[0], model.get_weights()[0])
    with pytest.raises(ValueError, match="weights alone"):
        keras.saving.load_model(folder)


@writes
def test_only_better_models_are_saved(tmp_path: Any) -> None:
    model, folder = _model(), tmp_path / "checkpoint"
    callback = keras.callbacks.OrbaxCheckpoint(
        folder, "loss", save_best_only=True, initial_value_threshold=-1.0
    )
    model.fit(X, Y, epochs=2, verbose=0, callbacks=[callback])
    assert not list(folder.iterdir())


@writes
def test_vocabularies_are_read_again(tmp_path: Any) -> None:
    words = keras.layers.StringLookup(name="words")
    words.adapt(["b", "a", "a"])
    inputs = keras.Input((1,), dtype="string")
    model = keras.Model(inputs, keras.layers.Embedding(4, 2)(words(inputs)))
    callback = keras.callbacks.OrbaxCheckpoint(tmp_path / "checkpoint")
    callback.set_model(model)
    callback.on_epoch_end(0)
    callback.on_train_end()
    copy = keras.saving.load_model(tmp_path / "checkpoint")
    assert copy.get_layer("words").get_vocabulary() == ["[UNK]", "a", "b"]


def test_without_orbax_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "orbax.checkpoint", None)
    monkeypatch.setattr(orbax_files._orbax, "_module", None)
    vars(orbax_files._orbax).pop("v1", None)
    with pytest.raises(ImportError, match="pip install orbax-checkpoint"):
        keras.callbacks.OrbaxCheckpoint("folder")
