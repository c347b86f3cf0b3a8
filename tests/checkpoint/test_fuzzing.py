"""Damaged checkpoints and records raise errors of `tf.errors`, and change nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tapeflow as tf
from tests import fuzzing
from tests.checkpoint import fuzz_targets
from tests.checkpoint.fuzz_targets import MEMORY, SECONDS, Files, record_file, records

FEW, MANY = 60, 4000


@pytest.fixture(scope="module")
def files() -> Iterator[Files]:
    files = Files()
    yield files
    shutil.rmtree(files.folder)


def fuzz(files: Files, name: str, count: int, seed: int) -> fuzzing.Report:
    """Run one of the targets."""
    files.restore_whole()
    extra = ()
    if name in ("zlib", "gzip", "plain"):
        kind = "" if name == "plain" else name.upper()
        target, samples = record_file(kind), records(kind)
    else:
        target = getattr(files, f"read_{name}")
        samples = {
            "index": lambda: [files.whole_index],
            "block": lambda: [files.block()],
            "entry": files.entries,
            "data": lambda: [files.whole_data],
            "graph": lambda: [files.graph()],
            "state": lambda: [files.state()],
        }[name]()
    if name == "entry":
        extra = (fuzz_targets.overwrite_field,)
    wrap: dict[str, Callable[[bytes], bytes]] = {
        "plain": fuzzing.as_record,
        "zlib": lambda data: fuzzing.as_zlib(fuzzing.as_record(data)),
        "gzip": lambda data: fuzzing.as_gzip(fuzzing.as_record(data)),
    }
    report = fuzzing.check(
        target,
        samples,
        count,
        seed,
        seconds=SECONDS,
        memory=MEMORY,
        wrap=wrap.get(name),
        extra=extra,
    )
    files.restore_whole()
    return report


TARGETS = ("index", "block", "entry", "data", "graph", "state", "plain", "zlib", "gzip")


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_files(files: Files, name: str) -> None:
    report = fuzz(files, name, FEW, seed=3)
    assert report.inputs == FEW
    # A state file that cannot be read is the same as none, as in TensorFlow.
    assert report.raised or name == "state"


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_many_damaged_files(files: Files, name: str) -> None:
    assert fuzz(files, name, MANY, seed=4).inputs == MANY


def test_the_target_notices_wrong_values(files: Files) -> None:
    tf.train.Checkpoint(v=tf.Variable([7.0] * 3)).write(files.prefix)
    with pytest.raises(AssertionError, match=r"v\.0 was restored as \[7"):
        files.check()
    files.restore_whole()


def test_the_target_notices_half_restored_objects(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    def restore_the_first(restored: Any) -> None:
        value, tensors = restored[0]
        value._restore_from_tensors(tensors)
        raise tf.errors.DataLossError(None, None, "the second")

    files.restore_whole()
    monkeypatch.setattr("tapeflow._src.checkpoint.restoring.restore_all", restore_the_first)
    with pytest.raises(AssertionError, match="a failed restore has changed an object"):
        files.check()
