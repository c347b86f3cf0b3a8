"""`tf.train.CheckpointManager` and the files that say which checkpoints a folder has."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.checkpoint import manager as managing

V = tf.Variable


def names(folder: Path) -> list[str]:
    return sorted({file.name.partition(".")[0] for file in folder.iterdir()})


def test_old_checkpoints_go(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=V(1.0))
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    paths = [manager.save() for _ in range(4)]
    assert paths == [str(tmp_path / f"ckpt-{i}") for i in (1, 2, 3, 4)]
    assert manager.checkpoints == paths[2:]
    assert manager.latest_checkpoint == paths[3] == tf.train.latest_checkpoint(tmp_path)
    assert names(tmp_path) == ["checkpoint", "ckpt-3", "ckpt-4"]
    state = tf.train.get_checkpoint_state(str(tmp_path))
    assert list(state.all_model_checkpoint_paths) == paths[2:]
    assert len(state.all_model_checkpoint_timestamps) == 2
    assert 'model_checkpoint_path: "ckpt-4"' in (tmp_path / "checkpoint").read_text()


def test_another_manager_goes_on(tmp_path: Path) -> None:
    first = tf.train.CheckpointManager(tf.train.Checkpoint(v=V(1.0)), tmp_path, 2)
    first.save()
    first.save()
    checkpoint = tf.train.Checkpoint(v=V(0.0))
    second = tf.train.CheckpointManager(checkpoint, tmp_path, 2, checkpoint_name="other")
    assert second.checkpoints == first.checkpoints
    assert second.restore_or_initialize() == first.latest_checkpoint
    assert float(checkpoint.v) == 1.0
    assert second.save() == str(tmp_path / "other-3")
    assert names(tmp_path) == ["checkpoint", "ckpt-2", "other-3"]


def test_initialization(tmp_path: Path) -> None:
    called: list[int] = []
    checkpoint = tf.train.Checkpoint(v=V(1.0))
    manager = tf.train.CheckpointManager(
        checkpoint, tmp_path / "new", None, init_fn=lambda: called.append(1)
    )
    assert manager.restore_or_initialize() is None
    assert called == [1]


def test_intervals(tmp_path: Path) -> None:
    step = V(0)
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(step=step), tmp_path, None, step_counter=step, checkpoint_interval=2
    )
    saved = []
    for i in range(5):
        step.assign(i)
        saved.append(manager.save() is not None)
    assert saved == [True, False, True, False, True]
    assert manager.save(check_interval=False) is not None
    assert manager.save(checkpoint_number=77, check_interval=False) == str(tmp_path / "ckpt-77")


def test_one_of_each_hour_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(managing.time, "time", lambda: now[0])
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(v=V(1.0)), tmp_path, 1, keep_checkpoint_every_n_hours=1
    )
    for _ in range(6):
        now[0] += 1500.0
        manager.save()
    assert names(tmp_path) == ["checkpoint", "ckpt-3", "ckpt-6"]


def test_wrong_arguments(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=V(1.0))
    with pytest.raises(ValueError, match="max_to_keep must be 1 or more"):
        tf.train.CheckpointManager(checkpoint, tmp_path, 0)
    with pytest.raises(ValueError, match="pass `step_counter`"):
        tf.train.CheckpointManager(checkpoint, tmp_path, 1, checkpoint_interval=2)


def test_folders_without_checkpoints(tmp_path: Path) -> None:
    assert tf.train.get_checkpoint_state(tmp_path) is None
    assert tf.train.latest_checkpoint(tmp_path) is None
    with pytest.raises(ValueError, match="No checkpoint found"):
        tf.train.load_checkpoint(tmp_path)


def test_readers(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(v=V([1.0, 2.0]), s=V("text")).save(tmp_path / "a")
    key = "v/.ATTRIBUTES/VARIABLE_VALUE"
    assert tf.train.list_variables(tmp_path)[3] == (key, [2])
    assert tf.train.load_variable(path, key).tolist() == [1.0, 2.0]
    reader = tf.train.load_checkpoint(path)
    assert reader.has_tensor(key)
    assert not reader.has_tensor("v")
    assert reader.get_tensor("s/.ATTRIBUTES/VARIABLE_VALUE") == b"text"
    assert isinstance(reader.get_tensor("save_counter/.ATTRIBUTES/VARIABLE_VALUE"), np.int64)
    assert reader.get_variable_to_dtype_map()[key] is tf.float32
    assert f"{key} (DT_FLOAT) [2]\n" in reader.debug_string().decode()


def test_iteration_over_new_checkpoints(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=V(1.0))
    checkpoint.save(tmp_path / "a")
    found = []
    for path in tf.train.checkpoints_iterator(tmp_path, timeout=0.05):
        found.append(os.path.basename(path))
        if len(found) < 3:
            checkpoint.save(tmp_path / "a")
    assert found == ["a-1", "a-2", "a-3"]
