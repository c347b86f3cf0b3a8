"""Files of weights that refer to other files, are damaged, or do not fit: refused as a whole."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import tapeflow as tf
from tests.keras.file_safety.samples import (
    GOLDEN,
    functional,
    same_state,
    state_of,
    with_weights,
)

keras = tf.keras
KERNEL = "layers/dense/vars/0"


def _other_file(folder: Path) -> Path:
    path = folder / "secret.h5"
    with h5py.File(path, "w") as file:
        file["data"] = np.full((4, 2), 7.0, "float32")
    return path


def _external_link(file: Any, folder: Path) -> None:
    del file[KERNEL]
    file[KERNEL] = h5py.ExternalLink(str(_other_file(folder)), "data")


def _external_group(file: Any, folder: Path) -> None:
    del file["layers/dense"]
    file["layers/dense"] = h5py.ExternalLink(str(_other_file(folder)), "/")


def _soft_link(file: Any, folder: Path) -> None:
    file["elsewhere"] = h5py.ExternalLink(str(_other_file(folder)), "/")
    del file[KERNEL]
    file[KERNEL] = h5py.SoftLink("/elsewhere/data")


def _external_storage(file: Any, folder: Path) -> None:
    secret = folder / "secret.bin"
    secret.write_bytes(b"7" * 32)
    del file[KERNEL]
    file.create_dataset(KERNEL, (4, 2), "float32", external=[(str(secret), 0, 32)])


def _virtual(file: Any, folder: Path) -> None:
    layout = h5py.VirtualLayout((4, 2), "float32")
    layout[:] = h5py.VirtualSource(str(_other_file(folder)), "data", (4, 2))
    del file[KERNEL]
    file.create_virtual_dataset(KERNEL, layout)


def _unknown_filter(file: Any, folder: Path) -> None:
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk((4, 2))
    properties.set_filter(4711, h5py.h5z.FLAG_OPTIONAL)
    space = h5py.h5s.create_simple((4, 2))
    del file[KERNEL]
    name = KERNEL.encode()
    h5py.h5d.create(file.id, name, h5py.h5t.IEEE_F32LE, space, dcpl=properties)


def _texts(file: Any, folder: Path) -> None:
    del file[KERNEL]
    file.create_dataset(KERNEL, (4, 2), h5py.string_dtype())


def _references(file: Any, folder: Path) -> None:
    del file[KERNEL]
    file.create_dataset(KERNEL, (4, 2), h5py.ref_dtype)


def _group_for_dataset(file: Any, folder: Path) -> None:
    del file[KERNEL]
    file.create_group(KERNEL)


def _dataset_for_group(file: Any, folder: Path) -> None:
    del file["layers/dense"]
    file["layers/dense"] = np.zeros(3)


def _huge_chunks(file: Any, folder: Path) -> None:
    del file[KERNEL]
    chunks = (2**20, 2**8)
    file.create_dataset(KERNEL, (4, 2), "float32", maxshape=(None, None), chunks=chunks)


def _huge_dataset(file: Any, folder: Path) -> None:
    del file[KERNEL]
    file.create_dataset(KERNEL, (2**40, 2), "float32", chunks=(1024, 2))


def _wrong_shape(file: Any, folder: Path) -> None:
    del file[KERNEL]
    file[KERNEL] = np.zeros((4, 3), "float32")


def _other_name(file: Any, folder: Path) -> None:
    file.move(KERNEL, "layers/dense/vars/kernel")


def _one_missing(file: Any, folder: Path) -> None:
    del file[KERNEL]


def _complex_numbers(file: Any, folder: Path) -> None:
    del file[KERNEL]
    file[KERNEL] = np.zeros((4, 2), "complex64")


REFUSED = [
    *(_external_link, _external_group, _soft_link, _external_storage, _virtual, _unknown_filter),
    *(_texts, _references, _group_for_dataset, _dataset_for_group, _huge_chunks, _huge_dataset),
    *(_wrong_shape, _other_name, _one_missing, _complex_numbers),
]


@pytest.mark.parametrize("edit", REFUSED)
def test_weights_are_refused_as_a_whole(tmp_path: Path, edit: Callable[[Any, Path], None]) -> None:
    """A dataset whose bytes lie in another file of the machine."""
    model = functional()
    path = tmp_path / "model.weights.h5"
    model.save_weights(path)
    with h5py.File(path, "r+") as file:
        file["layers/dense/vars/1"][...] = 5.0
        edit(file, tmp_path)
    state = state_of(model)
    with pytest.raises(ValueError, match=r"model\.weights\.h5") as failure:
        model.load_weights(path)
    assert "layers/dense" in str(failure.value)
    assert same_state(model, state)


@pytest.mark.parametrize("edit", REFUSED[:6])
def test_weights_in_archives_lie_in_them(tmp_path: Path, edit: Callable[[Any, Path], None]) -> None:
    path = with_weights(tmp_path, lambda file: edit(file, tmp_path))
    with pytest.raises(ValueError, match=r"edited\.keras"):
        keras.models.load_model(path)


@pytest.mark.parametrize("size", [0, 10, 100, 2000, 5000])
def test_truncated_files_are_an_os_error(tmp_path: Path, size: int) -> None:
    model = functional()
    path = tmp_path / "model.weights.h5"
    model.save_weights(path)
    path.write_bytes(path.read_bytes()[:size])
    state = state_of(model)
    with pytest.raises(OSError, match=r"model\.weights\.h5"):
        model.load_weights(path)
    assert same_state(model, state)


def test_compressed_weights_load(tmp_path: Path) -> None:
    model = functional()
    path = tmp_path / "model.weights.h5"
    model.save_weights(path)
    with h5py.File(path, "r+") as file:
        value = file[KERNEL][...]
        del file[KERNEL]
        options = {"compression": "gzip", "shuffle": True, "fletcher32": True}
        file.create_dataset(KERNEL, data=value + 1, **options)
    model.load_weights(path)
    np.testing.assert_array_equal(model.get_weights()[0], value + 1)


def test_a_mismatch_that_is_skipped_leaves_its_layer_alone(tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.Dense(2)])
    path = tmp_path / "model.weights.h5"
    model.save_weights(path)
    state = state_of(model)
    with h5py.File(path, "r+") as file:
        file["layers/dense/vars/1"][...] = 5.0
        del file["layers/dense_1/vars/0"]
        file["layers/dense_1/vars/0"] = np.zeros((9, 9))
    with pytest.raises(ValueError, match="dense_1"):
        model.load_weights(path)
    assert same_state(model, state)
    with pytest.warns(UserWarning, match="skipped"):
        model.load_weights(path, skip_mismatch=True)
    np.testing.assert_array_equal(model.get_weights()[1], np.full(3, 5.0))
    assert all(map(np.array_equal, model.get_weights()[2:], state[2:]))


def _trained() -> Any:
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)])
    model.compile("adam", "mse")
    model.fit(np.ones((4, 4)), np.ones((4, 2)), verbose=0)
    return model


def test_a_damaged_optimizer_leaves_model_and_optimizer_alone(tmp_path: Path) -> None:
    path = tmp_path / "model.weights.h5"
    _trained().save_weights(path)
    with h5py.File(path, "r+") as file:
        count = len(file["optimizer/vars"])
        del file[f"optimizer/vars/{count - 1}"]
        file[f"optimizer/vars/{count - 1}"] = np.zeros((3, 3, 3))
    for built in (True, False):
        model = _trained()
        if not built:
            model.compile("adam", "mse")
        state, variables = state_of(model), model.optimizer.variables
        with pytest.raises(ValueError, match="Optimizer 'adam"):
            model.load_weights(path)
        assert same_state(model, state)
        assert model.optimizer.built is built
        assert all(a is b for a, b in zip(model.optimizer.variables, variables, strict=True))
        model.fit(np.ones((4, 4)), np.ones((4, 2)), verbose=0)


def test_models_that_are_not_built_have_no_weights(tmp_path: Path) -> None:
    path = tmp_path / "model.weights.h5"
    model = keras.Sequential([keras.layers.Dense(2)])
    with pytest.raises(ValueError, match="not built"):
        model.save_weights(path)
    assert not path.exists()
    functional().save_weights(path)
    with pytest.raises(ValueError, match="not built"):
        model.load_weights(path)


def test_bfloat16_weights_survive(tmp_path: Path) -> None:
    inputs = keras.Input((4,))
    model = keras.Model(inputs, keras.layers.Dense(2, dtype="bfloat16")(inputs))
    path = tmp_path / "model.weights.h5"
    before = [np.array(value) for value in model.get_weights()]
    model.save_weights(path)
    with h5py.File(path) as file:
        assert file[KERNEL].attrs["dtype"] == "bfloat16"
    model.set_weights([value * 0 for value in before])
    model.load_weights(path)
    assert all(map(np.array_equal, model.get_weights(), before))


def test_legacy_models_are_read_from_the_file_itself(tmp_path: Path) -> None:
    path = tmp_path / "m.h5"
    for name, damage in LEGACY_DAMAGES.items():
        shutil.copy(GOLDEN / "keras3_line.h5", path)
        with h5py.File(path, "r+") as file:
            damage(file)
        with pytest.raises((ValueError, TypeError, OSError)):
            keras.models.load_model(path)
        assert name


def _linked(file: Any) -> None:
    del file["model_weights/d"]
    file["model_weights/d"] = h5py.ExternalLink("/etc/passwd", "/")


def _renamed(file: Any) -> None:
    config = json.loads(file.attrs["model_config"])
    config["config"]["layers"][1]["class_name"] = "system"
    file.attrs["model_config"] = json.dumps(config)


def _huge(file: Any) -> None:
    config = json.loads(file.attrs["model_config"])
    config["config"]["layers"][1]["config"]["input_dim"] = 2**40
    file.attrs["model_config"] = json.dumps(config)


LEGACY_DAMAGES: dict[str, Any] = {
    "a link to another file": _linked,
    "a class that is none of Keras": _renamed,
    "more variables than the file has bytes for": _huge,
    "no list of layers": lambda file: file["model_weights"].attrs.__delitem__("layer_names"),
    "numbers for names": lambda file: file["model_weights"].attrs.__setitem__("layer_names", [1]),
    "numbers for a config": lambda file: file.attrs.__setitem__("model_config", 3),
}
