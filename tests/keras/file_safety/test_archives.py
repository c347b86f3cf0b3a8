"""Archives and configs that are damaged, or ask for more than they may."""

from __future__ import annotations

import json
import random
import stat
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.keras.saving import limits
from tests.keras.file_safety.samples import functional, members, with_config, written

keras = tf.keras


@pytest.mark.parametrize(
    "name",
    ["../x", "/x", "assets/../../x", "..\\x", "assets\\..\\..\\x", "C:/x", "a/../../x"],
)
def test_members_stay_inside_the_folder_of_the_model(tmp_path: Path, name: str) -> None:
    parts = {**members(functional(), tmp_path), name: b"x"}
    with pytest.raises(ValueError, match="leads out of the folder"):
        keras.models.load_model(written(tmp_path / "evil.keras", parts))


def test_assets_inside_the_folder_are_no_obstacle(tmp_path: Path) -> None:
    parts = {**members(functional(), tmp_path), "assets/layers/lookup/vocabulary.txt": b"a"}
    assert keras.models.load_model(written(tmp_path / "good.keras", parts)).name == "small"


def test_duplicate_members_are_refused(tmp_path: Path) -> None:
    parts = members(functional(), tmp_path)
    path = written(tmp_path / "evil.keras", parts)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("config.json", parts["config.json"])
    with pytest.raises(ValueError, match=r"config\.json.*twice"):
        keras.models.load_model(path)


def test_symbolic_links_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "evil.keras", members(functional(), tmp_path))
    link = zipfile.ZipInfo("assets/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(ValueError, match="symbolic link"):
        keras.models.load_model(path)


def test_encrypted_members_are_refused(tmp_path: Path) -> None:
    path = Path(written(tmp_path / "evil.keras", members(functional(), tmp_path)))
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")
    data[at + 8] |= 1
    path.write_bytes(bytes(data))
    with pytest.raises(ValueError, match="encrypted"):
        keras.models.load_model(path)


def test_unknown_compression_is_refused(tmp_path: Path) -> None:
    parts = members(functional(), tmp_path)
    path = tmp_path / "evil.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    with pytest.raises(ValueError, match="compressed by method 14"):
        keras.models.load_model(path)


def test_deflated_archives_load(tmp_path: Path) -> None:
    parts = members(functional(), tmp_path)
    path = tmp_path / "small.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    assert keras.models.load_model(path).name == "small"


@pytest.mark.parametrize("missing", ["config.json", "model.weights.h5"])
def test_missing_members_are_named(tmp_path: Path, missing: str) -> None:
    parts = members(functional(), tmp_path)
    del parts[missing]
    with pytest.raises(ValueError, match=f"no member '{missing}'"):
        keras.models.load_model(written(tmp_path / "half.keras", parts))


@pytest.mark.parametrize(
    "text",
    [b"", b"{{{", b"\xff\xfe{", b"[" * 100_000, b"[" * 900 + b"]" * 900, b"[]", b'"x"', b"{}"],
)
def test_texts_that_are_no_config_are_value_errors(tmp_path: Path, text: bytes) -> None:
    parts = {**members(functional(), tmp_path), "config.json": text}
    with pytest.raises(ValueError, match=r"JSON|nested|[Ee]xpected|damaged"):
        keras.models.load_model(written(tmp_path / "evil.keras", parts))
    with pytest.raises(ValueError, match=r"JSON|nested|[Ee]xpected|damaged"):
        keras.models.model_from_json(text.decode("utf-8", "replace"))


def test_configs_are_read_as_utf_8_alone(tmp_path: Path) -> None:
    parts = members(functional(), tmp_path)
    parts["config.json"] = parts["config.json"].decode().encode("utf-16")
    with pytest.raises(ValueError, match="utf-8"):
        keras.models.load_model(written(tmp_path / "model.keras", parts))


@pytest.mark.parametrize("size", [0, 4, 300, 3000])
def test_truncated_archives_are_value_errors(tmp_path: Path, size: int) -> None:
    path = Path(written(tmp_path / "cut.keras", members(functional(), tmp_path)))
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ValueError, match=r"cut\.keras"):
        keras.models.load_model(path)
    with pytest.raises(ValueError, match=r"not found: .*nowhere\.keras"):
        keras.models.load_model(tmp_path / "nowhere.keras")


def test_files_that_are_no_archives_are_not_said_to_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "text.keras"
    path.write_text("not a zip file")
    with pytest.raises(ValueError, match=r"text\.keras \(14 bytes\): expected .* zip file"):
        keras.models.load_model(path)


def test_a_member_with_a_wrong_checksum_is_named(tmp_path: Path) -> None:
    path = Path(written(tmp_path / "flip.keras", members(functional(), tmp_path)))
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"units": 2', b'"units": 3', 1))
    with pytest.raises(ValueError, match=r"config\.json.*damaged"):
        keras.models.load_model(path)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("units", 2**40),
        ("units", 2**63),
        ("units", -1),
        ("units", "many"),
        ("units", None),
        ("name", 3),
        ("name", "a/b"),
        ("dtype", "float99"),
        ("kernel_initializer", 3),
        ("activation", "nothing"),
        ("surprise", 1),
    ],
)
def test_arguments_of_layers_are_checked(tmp_path: Path, argument: str, value: Any) -> None:
    def edit(config: dict[str, Any]) -> None:
        config["config"]["layers"][1]["config"][argument] = value

    with pytest.raises((ValueError, TypeError), match=r"config\.layers\[1\]"):
        keras.models.load_model(with_config(tmp_path, edit))


@pytest.mark.parametrize("shape", [[None, 2**40], [2**31, 2**31], [None, 10**30]])
def test_shapes_that_weights_do_not_account_for_are_refused(tmp_path: Path, shape: Any) -> None:
    def edit(config: dict[str, Any]) -> None:
        config["config"]["layers"][1]["build_config"]["input_shape"] = shape

    with pytest.raises(ValueError, match=r"layers\[1\]"):
        keras.models.load_model(with_config(tmp_path, edit))


def test_a_config_alone_may_ask_for_half_of_the_memory() -> None:
    assert limits.default_budget() == limits.memory_of_machine() // 2
    config = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)]).get_config()
    config["layers"][1]["config"]["units"] = limits.memory_of_machine()
    with pytest.raises(ValueError, match="bytes that this config may ask for"):
        keras.Sequential.from_config(config)
    # Only configs are limited, not the program.
    keras.layers.Dense(2**20).build((None, 2))


_LOAD = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, 8 * 2**30))
import tapeflow as tf
tf.keras.models.Sequential
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    tf.keras.models.load_model(sys.argv[1])
    print("loaded")
except (ValueError, OSError) as error:
    print(type(error).__name__)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def _loaded_in_process(path: Path) -> tuple[str, int]:
    """What a load in a process of its own came to, and the mebibytes that it took."""
    run = subprocess.run(
        [sys.executable, "-c", _LOAD, str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    outcome, grown = run.stdout.split()
    return outcome, int(grown)


@pytest.mark.parametrize("name", ["model.weights.h5", "config.json"])
def test_zip_bombs_are_not_inflated(tmp_path: Path, name: str) -> None:
    parts = members(functional(), tmp_path)
    path = tmp_path / "bomb.keras"
    block = b"\0" * 2**20 if name.endswith("h5") else b" " * 2**20
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for each, data in parts.items():
            if each != name:
                archive.writestr(each, data)
        with archive.open(name, "w", force_zip64=True) as file:
            for _ in range(200):
                file.write(block)
    outcome, grown = _loaded_in_process(path)
    assert outcome == "ValueError"
    assert grown < 150


def test_weights_are_not_held_twice_in_memory(tmp_path: Path) -> None:
    """A load takes the variables and the values read for them, and nothing else of that size."""
    inputs = keras.Input((2048,))
    model = keras.Model(inputs, keras.layers.Dense(2048, kernel_initializer="zeros")(inputs))
    path = tmp_path / "large.keras"
    model.save(path)
    size = path.stat().st_size // 2**20
    outcome, grown = _loaded_in_process(path)
    assert outcome == "loaded"
    assert size == 16
    assert grown < 3 * size + 60


def test_a_failed_load_leaves_the_program_alone(tmp_path: Path) -> None:
    def edit(config: dict[str, Any]) -> None:
        config["config"]["layers"].append({"class_name": "Nothing", "config": {}, "name": "last"})
        config["config"]["layers"][1]["config"]["kernel_initializer"]["config"]["seed"] = None

    path = with_config(tmp_path, edit)
    keras.layers.Dense(1)
    name = keras.layers.Dense(1).name
    policy, numbers = keras.config.dtype_policy(), random.getstate()
    objects = dict(keras.saving.get_custom_objects())
    with pytest.raises(TypeError, match="Nothing"):
        keras.models.load_model(path, custom_objects={"Own": keras.layers.Dense})
    assert random.getstate() == numbers
    assert keras.config.dtype_policy() == policy
    assert keras.saving.get_custom_objects() == objects
    assert keras.saving.get_registered_object("Own") is None
    stem, _, number = name.rpartition("_")
    assert keras.layers.Dense(1).name == f"{stem}_{int(number) + 1}"


def test_saving_replaces_the_file_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = functional()
    whole, weights = tmp_path / "model.keras", tmp_path / "model.weights.h5"
    model.save(whole)
    model.save_weights(weights)
    before = whole.read_bytes(), weights.read_bytes()
    h5py = __import__("h5py")

    def fail(*args: Any, **kwargs: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(h5py.Group, "create_dataset", fail)
    for save, path in ((model.save, whole), (model.save_weights, weights)):
        with pytest.raises(OSError, match="disk full"):
            save(path)
    assert (whole.read_bytes(), weights.read_bytes()) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.keras", "model.weights.h5"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("layers", None),
        ("layers", {}),
        ("input_layers", None),
        ("input_layers", [["x", 0, 9]]),
        ("input_layers", [["nobody", 0, 0]]),
        ("output_layers", 3),
        ("output_layers", [["dense", 5, 0]]),
        ("output_layers", ["dense", "0", 0]),
        ("output_layers", ["dense", -1, 0]),
    ],
)
def test_functional_configs_are_checked(key: str, value: Any) -> None:
    config = json.loads(functional().to_json())
    config["config"][key] = value
    with pytest.raises(ValueError, match=key):
        keras.models.model_from_json(json.dumps(config))
    with pytest.raises(ValueError, match=key):
        keras.Model.from_config(config["config"])


@pytest.mark.parametrize(
    "node",
    [None, 3, [], {}, {"args": []}, {"args": [], "kwargs": {}}, [["x", 0]], [["nobody", 0, 0, {}]]],
)
def test_calls_in_functional_configs_are_checked(node: Any) -> None:
    config = json.loads(functional().to_json())
    config["config"]["layers"][1]["inbound_nodes"] = [node]
    with pytest.raises((ValueError, TypeError), match=r"dense|inbound_nodes"):
        keras.models.model_from_json(json.dumps(config))


def test_calls_in_any_order_are_made_once() -> None:
    inputs = x = keras.Input((4,), name="x")
    shared = keras.layers.Dense(4, name="shared")
    for _ in range(3):
        x = shared(x) + 1.0
    model = keras.Model(inputs, x)
    config = json.loads(model.to_json())
    config["config"]["layers"].reverse()
    again = keras.models.model_from_json(json.dumps(config))
    again.set_weights(model.get_weights())
    data = np.ones((2, 4), "float32")
    np.testing.assert_allclose(again(data).numpy(), model(data).numpy(), rtol=1e-6)
