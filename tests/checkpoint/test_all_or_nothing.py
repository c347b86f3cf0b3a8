"""Restoring changes all objects or none, and writing leaves one whole checkpoint."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.checkpoint.bundle import BundleReader, data_name, write_bundle

V = tf.Variable
COUNT = 6


def variables(value: float) -> dict[str, tf.Variable]:
    return {f"v{i}": V([value] * 4) for i in range(COUNT)}


def flip(path: Path | str, at: int) -> None:
    data = bytearray(Path(path).read_bytes())
    data[at] ^= 1
    Path(path).write_bytes(data)


def damage(prefix: str, variable: str) -> None:
    """Flip a bit of one value."""
    reader = BundleReader(prefix)
    flip(data_name(prefix), reader.entry(f"{variable}/.ATTRIBUTES/VARIABLE_VALUE").offset)


@pytest.fixture
def prefix(tmp_path: Path) -> str:
    return tf.train.Checkpoint(**variables(1.0)).write(str(tmp_path / "ckpt"))


@pytest.mark.parametrize("method", ["read", "restore"])
def test_one_damaged_value_leaves_all_variables(
    prefix: str, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(prefix, "v3")
    checkpoint = tf.train.Checkpoint(**variables(0.0))
    with pytest.raises(tf.errors.DataLossError, match=r"v3/.*checksum"):
        getattr(checkpoint, method)(prefix)
    assert [float(tf.reduce_sum(getattr(checkpoint, f"v{i}"))) for i in range(COUNT)] == [0.0] * 6
    assert "Exception ignored" not in capsys.readouterr().err


def test_the_last_shape_and_the_last_dtype_are_checked_first(prefix: str) -> None:
    for last, error in (
        (V([0.0] * 5), ValueError),
        (V([0] * 4), tf.errors.InvalidArgumentError),
    ):
        checkpoint = tf.train.Checkpoint(**{**variables(0.0), "v5": last})
        with pytest.raises(error, match=r"v5|Variable"):
            checkpoint.read(prefix)
        assert float(tf.reduce_sum(checkpoint.v0)) == 0.0


def test_restorations_without_a_graph_say_nothing_when_they_go(
    prefix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(data_name(prefix)).unlink()
    with pytest.raises(tf.errors.NotFoundError):
        tf.train.Checkpoint(**variables(0.0)).restore(prefix)
    assert capsys.readouterr().err == ""


class Refusing(tf.train.experimental.PythonState):
    """State that can be saved, and refuses to be restored once."""

    def __init__(self) -> None:
        self.text = b"old"

    def serialize(self) -> bytes:
        return self.text

    def deserialize(self, string_value: bytes) -> None:
        if string_value == b"new":
            raise RuntimeError("not this one")
        self.text = string_value


def test_an_object_that_refuses_its_value_undoes_the_others(tmp_path: Path) -> None:
    state = Refusing()
    state.text = b"new"
    path = tf.train.Checkpoint(a=V(1.0), state=state, z=V(1.0)).write(str(tmp_path / "c"))
    checkpoint = tf.train.Checkpoint(a=V(0.0), state=Refusing(), z=V(0.0))
    with pytest.raises(RuntimeError, match="not this one"):
        checkpoint.restore(path)
    assert (float(checkpoint.a), checkpoint.state.text, float(checkpoint.z)) == (0.0, b"old", 0.0)


def test_a_failed_restore_leaves_nothing_waiting(prefix: str) -> None:
    damage(prefix, "v3")
    checkpoint = tf.train.Checkpoint(v0=V([0.0] * 4), v3=V([0.0] * 4))
    with pytest.raises(tf.errors.DataLossError):
        checkpoint.restore(prefix)
    checkpoint.v1 = V([5.0] * 4)
    assert float(checkpoint.v1[0]) == 5.0


def test_deferred_subtrees_are_restored_whole_or_not_at_all(tmp_path: Path) -> None:
    model = tf.Module()
    model.a, model.b = V([1.0]), V([2.0])
    path = tf.train.Checkpoint(model=model).write(str(tmp_path / "c"))
    checkpoint = tf.train.Checkpoint()
    checkpoint.read(path).expect_partial()
    late = tf.Module()
    late.a, late.b = V([0.0]), V([0.0, 0.0])
    with pytest.raises(ValueError, match="shape"):
        checkpoint.model = late
    assert float(late.a[0]) == 0.0
    # The values still wait.
    late.b = V([0.0])
    checkpoint.model = late
    assert [float(late.a[0]), float(late.b[0])] == [1.0, 2.0]


def test_deferred_values_are_those_of_the_files_that_were_restored(prefix: str) -> None:
    checkpoint = tf.train.Checkpoint(v0=V([0.0] * 4))
    checkpoint.read(prefix).expect_partial()
    tf.train.Checkpoint(**variables(2.0)).write(prefix)
    Path(data_name(prefix)).unlink()
    checkpoint.v1 = V([0.0] * 4)
    assert float(checkpoint.v1[0]) == 1.0


def test_checkpoints_by_name_are_restored_whole_or_not_at_all(tmp_path: Path) -> None:
    path = str(tmp_path / "names")
    write_bundle(path, [("a", np.float32(1)), ("b", np.float32(2))])
    flip(data_name(path), -1)
    a, b = V(0.0, name="a"), V(0.0, name="b")
    with pytest.raises(tf.errors.DataLossError, match="'b'"):
        tf.train.Checkpoint(a=a, b=b).restore(path)
    assert float(a) == 0.0


def test_managers_restore_whole_or_not_at_all(tmp_path: Path) -> None:
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(**variables(1.0)), tmp_path, 2)
    damage(manager.save(), "v5")
    again = tf.train.CheckpointManager(tf.train.Checkpoint(**variables(0.0)), tmp_path, 2)
    with pytest.raises(tf.errors.DataLossError):
        again.restore_or_initialize()
    assert float(again.checkpoint.v0[0]) == 0.0
    assert int(again.checkpoint.save_counter) == 0


# -- writing -----------------------------------------------------------------------------------


class Killed(BaseException):
    """Stands for the end of the process."""


def stop_at(count: int, rename: Callable[[str, str], None]) -> Callable[[str, str], None]:
    left = iter(range(count))

    def replace(source: str, target: str) -> None:
        if next(left, None) is None:
            raise Killed
        rename(source, target)

    return replace


@pytest.mark.parametrize("renames", range(4))
def test_writing_over_a_prefix_keeps_one_generation(
    prefix: str, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    """The second of three renames used to leave the data of one with the index of the other."""
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", stop_at(renames, os.replace))
        if renames < 3:
            with pytest.raises(Killed):
                tf.train.Checkpoint(**variables(2.0)).write(prefix)
        else:
            tf.train.Checkpoint(**variables(2.0)).write(prefix)
    checkpoint = tf.train.Checkpoint(**variables(0.0))
    checkpoint.read(prefix).assert_consumed()
    values = {float(x) for i in range(COUNT) for x in getattr(checkpoint, f"v{i}").numpy()}
    assert values == ({1.0} if renames == 0 else {2.0})
    assert sorted(os.listdir(Path(prefix).parent)) == ["ckpt.data-00000-of-00001", "ckpt.index"]


class Model(tf.Module):
    def __init__(self, value: float, asset: Path) -> None:
        super().__init__()
        self.v = V(value)
        asset.write_text(f"{value}\n")
        self.asset = tf.saved_model.Asset(str(asset))
        self.scale = value

    @tf.function(input_signature=[])
    def both(self) -> Any:
        return self.v, tf.constant(self.scale), tf.io.read_file(self.asset.asset_path)


@pytest.mark.parametrize("renames", range(7))
def test_saving_over_a_model_keeps_one_generation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    folder = tmp_path / "model"
    tf.saved_model.save(Model(1.0, tmp_path / "asset"), folder)
    new = Model(2.0, tmp_path / "asset")
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", stop_at(renames, os.replace))
        if renames < 6:
            with pytest.raises(Killed):
                tf.saved_model.save(new, folder)
        else:
            tf.saved_model.save(new, folder)
    value, constant, asset = tf.saved_model.load(folder).both()
    assert float(value) == float(constant) == float(asset.numpy()) == (1.0 if not renames else 2.0)
    assert not [path for path in folder.rglob("*") if "partial" in path.name]


def test_a_file_above_a_checkpoint_is_a_failed_precondition(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    below = tmp_path / "file" / "below"
    checkpoint = tf.train.Checkpoint(v=V(1.0))
    for write in (
        lambda: checkpoint.write(str(below)),
        lambda: checkpoint.save(str(below)),
        lambda: tf.train.CheckpointManager(checkpoint, below, 3).save(),
        lambda: tf.saved_model.save(tf.Module(), below),
    ):
        with pytest.raises(tf.errors.FailedPreconditionError, match=r"file.*directory"):
            write()


def test_managers_delete_only_the_files_of_their_checkpoints(tmp_path: Path) -> None:
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=V(1.0)), tmp_path / "m", 1)
    manager.save()
    kept = [
        "ckpt-1.data-backup",
        "ckpt-1.data-00000-of-00001.bak",
        "ckpt-1.data-00000-of-00002",
        "ckpt-1.index.old",
        "ckpt-10.index",
    ]
    for name in kept:
        (tmp_path / "m" / name).write_bytes(b"mine")
    manager.save()
    manager.save()
    assert sorted(os.listdir(tmp_path / "m")) == sorted(
        [*kept, "checkpoint", "ckpt-3.data-00000-of-00001", "ckpt-3.index"]
    )


def test_managers_delete_nothing_outside_of_their_folder(tmp_path: Path) -> None:
    """A state file can name anything, as those of TensorFlow may."""
    other = tf.train.Checkpoint(v=V(1.0)).write(str(tmp_path / "thesis"))
    folder = tmp_path / "m"
    tf.train.CheckpointManager(tf.train.Checkpoint(v=V(1.0)), folder, 2).save()
    for name in (str(tmp_path / "thesis"), "../thesis"):
        (folder / "checkpoint").write_text(
            f'model_checkpoint_path: "ckpt-1"\nall_model_checkpoint_paths: "{name}"\n'
            f'all_model_checkpoint_paths: "ckpt-1"\n'
        )
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=V(1.0)), folder, 1)
        assert len(manager.checkpoints) == 2
        manager.save()
        tf.train.Checkpoint(v=V(0.0)).read(other).assert_consumed()


WRITER = """
import sys, numpy as np
from tapeflow._src.checkpoint.bundle import write_bundle
path, start, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
print(flush=True)
for generation in range(start, start + count):
    write_bundle(path, [(str(i), np.full(2000, generation, "f")) for i in range(8)])
"""


def test_two_writers_of_one_prefix_leave_readers_whole_checkpoints(tmp_path: Path) -> None:
    path = str(tmp_path / "shared")
    write_bundle(path, [(str(i), np.zeros(2000, "f")) for i in range(8)])
    command = [sys.executable, "-c", WRITER, path]
    writers = [
        subprocess.Popen([*command, start, "15"], stdout=subprocess.PIPE)
        for start in ("1000", "2000")
    ]
    reads = 0
    while any(writer.poll() is None for writer in writers):
        reader = BundleReader(path)
        values = {float(x) for i in range(8) for x in np.unique(reader.read(str(i)))}
        assert len(values) == 1
        reads += 1
    for writer in writers:
        writer.communicate()
    assert [writer.returncode for writer in writers] == [0, 0]
    assert reads
    assert BundleReader(path).read("0")[0] in (1014, 2014)
    assert sorted(os.listdir(tmp_path)) == ["shared.data-00000-of-00001", "shared.index"]


MODELS = """
import sys
import tapeflow as tf
folder, first = sys.argv[1], int(sys.argv[2])
tf.get_logger().setLevel("ERROR")
for generation in range(first, first + 12):
    module = tf.Module()
    module.v = tf.Variable(generation)
    module.f = tf.function(lambda: tf.constant(generation), input_signature=[])
    tf.saved_model.save(module, folder)
"""


def test_models_that_are_loaded_while_they_are_saved_are_whole(tmp_path: Path) -> None:
    folder = str(tmp_path / "model")
    module = tf.Module()
    module.v = V(0)
    module.f = tf.function(lambda: tf.constant(0), input_signature=[])
    tf.saved_model.save(module, folder)
    with subprocess.Popen([sys.executable, "-c", MODELS, folder, "1"]) as writer:
        while writer.poll() is None:
            loaded = tf.saved_model.load(folder)
            assert int(loaded.f()) == int(loaded.v)
    assert writer.returncode == 0
    assert int(tf.saved_model.load(folder).v) == 12
