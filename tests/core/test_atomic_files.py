"""Atomic files: the old content or the new one, whatever happens on the way."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from tapeflow._src.core import atomic_files
from tapeflow._src.core.atomic_files import (
    JOURNAL,
    file_transaction,
    locked,
    make_folder,
    one_generation,
    partial_folder,
    replacing,
    write_file,
)

NAMES = ("a.data", "a.index", "sub/b")


def dead_process() -> tuple[int, int]:
    """The number and the start of a process that has ended."""
    with subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE) as child:
        start = atomic_files._start_time(child.pid)
    return child.pid, start


def partial_of(name: str, pid: int, start: int, host: str | None = None) -> str:
    return f"{name}.{host or atomic_files._host()}-{pid}-{start}-0123456789ab.partial"


def write_all(folder: Path, generation: bytes) -> None:
    with file_transaction(str(folder / "a")) as files:
        for name in NAMES:
            files.write(str(folder / name), generation)


def read_all(folder: Path) -> set[bytes]:
    with one_generation(str(folder / "a")) as place:
        return {Path(place(str(folder / name))).read_bytes() for name in NAMES}


def contents(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_block_that_raises_leaves_the_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_file(str(path), b"old")
    with pytest.raises(RuntimeError), replacing(str(path)) as file:
        file.write(b"new")
        raise RuntimeError
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_data_and_folder_are_synced_around_the_rename(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    sync, rename = os.fsync, os.replace

    def record_sync(descriptor: int) -> None:
        sync(descriptor)
        events.append(os.path.basename(os.readlink(f"/proc/self/fd/{descriptor}"))[:4])

    def record_rename(source: str, target: str) -> None:
        rename(source, target)
        events.append("rename")

    monkeypatch.setattr(os, "fsync", record_sync)
    monkeypatch.setattr(os, "replace", record_rename)
    write_file(str(tmp_path / "file"), b"1")
    assert events == ["file", "rename", tmp_path.name[:4]]


def test_links_and_permissions_are_preserved(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    real.chmod(0o600)
    link.symlink_to(real)
    write_file(str(link), b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert real.stat().st_mode & 0o777 == 0o600


def test_long_names_have_partial_names(tmp_path: Path) -> None:
    path = tmp_path / ("ä" * 127)
    write_file(str(path), b"1")
    write_all_to = tmp_path / ("x" * 235)
    with file_transaction(str(write_all_to)) as files:
        files.write(str(write_all_to), b"2")
    assert write_all_to.read_bytes() == b"2"
    assert path.read_bytes() == b"1"


def test_partial_files_of_dead_writers_are_swept_and_no_others(tmp_path: Path) -> None:
    pid, start = dead_process()
    own = atomic_files._start_time(os.getpid())
    stays = [
        "file.partial",
        "notes.1-2-3.partial",
        partial_of("a", os.getpid(), own),
        partial_of("b", pid, start) + ".txt",
        partial_of("c", pid, start, host="00000000"),
    ]
    goes = [
        partial_of("d", pid, start),
        partial_of("e", os.getpid(), own + 1),
        partial_of("f", pid, start, host="ffffffff"),
    ]
    for name in (*stays, *goes):
        (tmp_path / name).write_bytes(b"")
    os.utime(tmp_path / goes[-1], (0, 0))
    write_file(str(tmp_path / "file"), b"1")
    assert contents(tmp_path) == {*stays, "file"}


@pytest.mark.parametrize("failing", range(1, 6))
def test_transactions_that_stop_anywhere_leave_one_generation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    """The first rename commits: before it the old files are read, after it the new ones."""
    write_all(tmp_path, b"old")
    rename, count = os.replace, iter(range(1, 100))

    class Killed(BaseException):
        pass

    def stop(source: str, target: str) -> None:
        if next(count) == failing:
            raise Killed
        rename(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", stop)
        if failing <= 4:
            with pytest.raises(Killed):
                write_all(tmp_path, b"new")
        else:
            write_all(tmp_path, b"new")
    assert read_all(tmp_path) == ({b"old"} if failing == 1 else {b"new"})
    assert contents(tmp_path) == set(NAMES)


def test_readers_that_may_not_write_read_through_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_all(tmp_path, b"old")
    rename = os.replace

    def refuse(source: str, target: str) -> None:
        if not target.endswith(JOURNAL):
            raise PermissionError(13, "Permission denied", target)
        rename(source, target)

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError):
        write_all(tmp_path, b"new")
    assert read_all(tmp_path) == {b"new"}
    assert (tmp_path / "a.index").read_bytes() == b"old"


def test_the_next_writer_of_a_folder_completes_what_was_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid, start = dead_process()
    with monkeypatch.context() as patched:
        patched.setattr(atomic_files, "_complete", lambda journal: None)
        patched.setattr(atomic_files, "_start_time", lambda _: start)
        patched.setattr(os, "getpid", lambda: pid)
        write_all(tmp_path, b"new")
    assert not (tmp_path / "a.index").exists()
    # A writer in the folder below must leave what the journal above it names.
    write_file(str(tmp_path / "sub" / "other"), b"")
    write_file(str(tmp_path / "other"), b"")
    assert read_all(tmp_path) == {b"new"}
    assert contents(tmp_path) == {*NAMES, "other", "sub/other"}


@pytest.mark.parametrize(
    "renames",
    [
        b'[["x.PARTIAL", "../x"]]',
        b'[["../x.PARTIAL", "../x"]]',
        b'[["/etc/x.PARTIAL", "/etc/x"]]',
        b'[["x.PARTIAL", "y"]]',
        b'[["mine", "x"]]',
        b"[[1, 2]]",
        b"[" * 100_000,
        b"{}x",
    ],
)
def test_foreign_journals_rename_nothing(tmp_path: Path, renames: bytes) -> None:
    inside = tmp_path / "folder"
    inside.mkdir()
    pid, start = dead_process()
    partial = partial_of("x", pid, start)
    renames = renames.replace(b"x.PARTIAL", partial.encode())
    journal = inside / f"a{JOURNAL}"
    journal.write_bytes(b"%08x\n%s" % (zlib.crc32(renames), renames))
    (inside / "mine").write_bytes(b"")
    with one_generation(str(inside / "a")):
        pass
    assert contents(tmp_path) == {f"folder/a{JOURNAL}", "folder/mine"}


def test_damaged_journals_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / f"thesis{JOURNAL}").write_bytes(b"my own notes")
    write_all(tmp_path, b"new")
    assert (tmp_path / f"thesis{JOURNAL}").read_bytes() == b"my own notes"
    assert read_all(tmp_path) == {b"new"}


def test_locks_that_are_held_too_long_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic_files, "_LONGEST_WAIT", 0.0)
    with locked(str(tmp_path)), pytest.raises(TimeoutError), locked(str(tmp_path), shared=True):
        pass
    with locked(str(tmp_path), shared=True), locked(str(tmp_path), shared=True):
        pass


def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        make_folder(str(tmp_path / "file" / "below"))
    with pytest.raises(IsADirectoryError):
        write_file(str(tmp_path), b"")


def test_a_full_disk_leaves_the_old_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_all(tmp_path, b"old")

    def full(descriptor: int) -> Any:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            write_all(tmp_path, b"new")
    assert read_all(tmp_path) == {b"old"}
    assert contents(tmp_path) == set(NAMES)


def test_folders_take_their_place_with_the_files_of_a_transaction(tmp_path: Path) -> None:
    with file_transaction(str(tmp_path / "a")) as files:
        with files.new_folder(str(tmp_path / "run")) as folder:
            (Path(folder) / "inner").mkdir()
            (Path(folder) / "inner" / "data").write_bytes(b"1")
        files.write(str(tmp_path / "state"), b"run")
        assert not (tmp_path / "run").exists()
    assert contents(tmp_path) == {"run/inner/data", "state"}


def test_files_of_a_folder_are_synced_before_anything_is_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: set[int] = set()
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.add(os.fstat(descriptor).st_ino))
    rename = os.replace

    def all_synced(source: str, target: str) -> None:
        for path in tmp_path.rglob("*"):
            assert path.stat().st_ino in synced, path
        rename(source, target)

    monkeypatch.setattr(os, "replace", all_synced)
    with file_transaction(str(tmp_path / "a")) as files:
        with files.new_folder(str(tmp_path / "run")) as folder:
            (Path(folder) / "inner").mkdir()
            (Path(folder) / "inner" / "data").write_bytes(b"1")
        files.write(str(tmp_path / "state"), b"run")


# Writes a folder and the file that names it, and dies at a call to the operating system.
DYING = """
import os, sys
from tapeflow._src.core.atomic_files import file_transaction
folder, run, failing = sys.argv[1:]
calls = []

def dying(function):
    def call(*args):
        calls.append(args)
        if len(calls) == int(failing):
            os._exit(9)
        function(*args)
    return call

with file_transaction(folder + "/a") as files:
    os.mkdir, os.replace = dying(os.mkdir), dying(os.replace)
    with files.new_folder(folder + "/" + run) as inside:
        with open(inside + "/data", "w") as file:
            file.write(run)
    files.write(folder + "/state", run.encode())
"""


def write_run(folder: Path, run: str, failing: int = 0) -> int:
    return subprocess.run(
        [sys.executable, "-c", DYING, str(folder), run, str(failing)], check=False
    ).returncode


def read_run(folder: Path) -> str:
    with one_generation(str(folder / "a")) as current:
        run = Path(current(str(folder / "state"))).read_text()
        assert (Path(current(str(folder / run))) / "data").read_text() == run
    return run


@pytest.mark.parametrize("failing", range(1, 5))
def test_a_writer_of_a_folder_that_dies_anywhere_leaves_one_generation(
    tmp_path: Path, failing: int
) -> None:
    assert write_run(tmp_path, "one") == 0
    assert write_run(tmp_path, "two", failing) == 9
    left = read_run(tmp_path)
    assert left == ("one" if failing <= 2 else "two")
    assert write_run(tmp_path, "three") == 0
    assert read_run(tmp_path) == "three"
    assert {path.name for path in tmp_path.iterdir()} == {"one", "three", "state", left}


def test_partial_folders_of_dead_writers_are_swept_and_no_others(tmp_path: Path) -> None:
    pid, start = dead_process()
    own = atomic_files._start_time(os.getpid())
    mine = tmp_path / "mine"
    stays = [partial_of("a", os.getpid(), own), partial_of("c", pid, start, host="00000000")]
    goes = [partial_of("d", pid, start), partial_of("f", pid, start, host="ffffffff")]
    mine.mkdir()
    (mine / "thesis").write_bytes(b"mine")
    for name in (*stays, *goes):
        (tmp_path / name).mkdir()
        (tmp_path / name / "data").write_bytes(b"")
        (tmp_path / name / "link").symlink_to(mine)
        os.utime(tmp_path / name, (0, 0))
    os.utime(tmp_path / goes[-1] / "data", (0, 0))
    os.utime(mine, (0, 0))
    (tmp_path / partial_of("g", pid, start)).symlink_to(mine)
    write_file(str(tmp_path / "file"), b"1")
    assert {path.name for path in tmp_path.iterdir()} == {*stays, "mine", "file"}
    assert (mine / "thesis").read_bytes() == b"mine"


def test_folders_that_are_not_renamed_are_removed(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), partial_folder(str(tmp_path / "a")) as folder:
        (Path(folder) / "data").write_bytes(b"1")
        raise RuntimeError
    assert not any(tmp_path.iterdir())
    with partial_folder(str(tmp_path / "a")) as folder:
        (Path(folder) / "data").write_bytes(b"1")
        os.rename(folder, tmp_path / "a")
    assert contents(tmp_path) == {"a/data"}


def test_pipes_and_devices_are_written_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(str(pipe), b"data")
    assert os.read(reader, 10) == b"data"
    os.close(reader)
    assert pipe.is_fifo() and len(list(tmp_path.iterdir())) == 1


def test_a_missing_folder_is_created_only_on_request(tmp_path: Path) -> None:
    path = str(tmp_path / "missing" / "file")
    with pytest.raises(FileNotFoundError), replacing(path, create_folder=False):
        pass
    assert not any(tmp_path.iterdir())
    write_file(path, b"1")
    assert contents(tmp_path) == {"missing/file"}
