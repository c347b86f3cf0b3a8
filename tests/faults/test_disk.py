"""Disks that are full and folders that cannot be written: errors of `tf.errors`, nothing lost."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf

ROOT = Path(__file__).parents[2]
LARGE = 50_000


def checkpoint(value: float) -> tf.train.Checkpoint:
    return tf.train.Checkpoint(v=tf.Variable(np.full(LARGE, value)))


def write(folder: Path, value: float) -> None:
    checkpoint(value).write(str(folder / "written"))


def save(folder: Path, value: float) -> None:
    checkpoint(value).save(str(folder / "saved"))


def manage(folder: Path, value: float) -> None:
    tf.train.CheckpointManager(checkpoint(value), str(folder), 2).save()


def save_model(folder: Path, value: float) -> None:
    module = tf.Module()
    module.v = tf.Variable(np.full(LARGE, value))
    tf.saved_model.save(module, str(folder / "model"))


WRITERS = (write, save, manage, save_model)


def contents(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("size", [0, 60, 100_000])
def test_files_that_may_not_grow(
    tmp_path: Path, writer: Callable[[Path, float], None], size: int
) -> None:
    writer(tmp_path, 1.0)
    before = contents(tmp_path)
    with files_of_at_most(size), pytest.raises(tf.errors.OutOfRangeError, match="File too large"):
        writer(tmp_path, 2.0)
    assert contents(tmp_path) == before


@contextmanager
def without_privileges() -> Iterator[None]:
    """Root may write everywhere: be somebody else for a while."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


@pytest.mark.parametrize("writer", WRITERS)
def test_folders_that_may_not_be_written(writer: Callable[[Path, float], None]) -> None:
    # Not below `tmp_path`, which is its owner's alone.
    folder = Path(tempfile.mkdtemp())
    try:
        writer(folder, 1.0)
        before = contents(folder)
        folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
        for path in folders:
            path.chmod(0o555)
        with without_privileges(), pytest.raises(tf.errors.PermissionDeniedError):
            writer(folder, 2.0)
        assert contents(folder) == before
        with without_privileges():
            if writer is write:
                checkpoint(0.0).read(str(folder / "written")).assert_consumed()
            if writer is save_model:
                tf.saved_model.load(str(folder / "model"))
        for path in folders:
            path.chmod(0o755)
    finally:
        shutil.rmtree(folder)


FULL = """
import os, sys, numpy as np
from pathlib import Path
import tapeflow as tf
from tests.faults.test_disk import WRITERS, contents
for writer in WRITERS:
    folder = Path(sys.argv[1]) / writer.__name__
    writer(folder, 1.0)
    before = contents(folder)
    for spare in (0, 100_000, 395_000):
        space = os.statvfs(folder)
        (folder / "filling").write_bytes(bytes(max(0, space.f_bavail * space.f_bsize - spare)))
        try:
            writer(folder, 2.0)
            raise SystemExit("the disk was not full")
        except tf.errors.ResourceExhaustedError:
            (folder / "filling").unlink()
        assert contents(folder) == before, writer
"""


def test_full_disks(tmp_path: Path) -> None:
    """On a small file system, in a mount namespace of its own."""
    mount = f"mount -t tmpfs -o size=8m none {tmp_path}"
    namespace = ["unshare", "-m", "sh", "-c"]
    if not shutil.which("unshare") or subprocess.run([*namespace, mount], check=False).returncode:
        pytest.skip("needs the right to mount a file system")
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    command = [*namespace, f'{mount} && exec "$0" -c "$1" {tmp_path}', sys.executable, FULL]
    result = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
