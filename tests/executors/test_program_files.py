"""The files of the program cache: only its own are touched, and only whole ones are read."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tapeflow._src.executors import program_files

KEY = "0123456789abcdef" * 4
CONTENT = bytes(range(256)) * 8


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(program_files.VARIABLE, str(tmp_path / "cache"))
    inner = program_files.folder()
    assert inner == tmp_path / "cache" / program_files.SUBFOLDER
    return inner


def _stored(folder: Path, key: str = KEY, content: bytes = CONTENT) -> Path:
    path = program_files.entry(folder, key)
    program_files.write(path, content)
    return path


def test_reading_returns_what_was_written(folder: Path) -> None:
    path = _stored(folder)
    assert program_files.read(path) == CONTENT
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(folder) == [path.name]


def test_any_flipped_bit_is_noticed_and_the_entry_removed(folder: Path) -> None:
    path = _stored(folder)
    whole = path.read_bytes()
    places = [*range(64), *random.Random(1).sample(range(64, len(whole)), 100), len(whole) - 1]
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        assert program_files.read(path) is None
        assert not path.exists()
    for length in (0, 1, 16, 47, 48, len(whole) - 1):
        path.write_bytes(whole[:length])
        assert program_files.read(path) is None
    path.write_bytes(whole + b"x")
    assert program_files.read(path) is None


def test_an_entry_is_good_under_its_own_name_only(folder: Path) -> None:
    path = _stored(folder)
    other = program_files.entry(folder, "f" * 64)
    path.rename(other)
    assert program_files.read(other) is None


def test_links_are_not_followed(folder: Path, tmp_path: Path) -> None:
    path = _stored(folder)
    path.rename(tmp_path / path.name)
    path.symlink_to(tmp_path / path.name)
    assert program_files.read(path) is None


def test_files_of_the_user_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(program_files.VARIABLE, str(tmp_path))
    inner = program_files.folder()
    assert inner is not None
    theirs = [tmp_path / "thesis.h5", tmp_path / KEY, inner / "thesis.h5", inner / "tmp123"]
    theirs += [inner / f"{KEY}.partial", inner / "x.program", inner / KEY]
    for path in theirs:
        with path.open("wb") as file:
            file.truncate(700 << 20)
        os.utime(path, (0, 0))
    for number in range(3):
        _stored(inner, f"{number:064x}")
    assert all(path.stat().st_size == 700 << 20 for path in theirs)
    assert len(list(inner.glob("*.program"))) == 4


def test_the_entries_used_least_recently_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        os.utime(_stored(folder, f"{number:064x}", b"x" * 1000), (number, number))
    assert program_files.read(program_files.entry(folder, f"{0:064x}")) is not None
    monkeypatch.setattr(program_files, "MOST_BYTES", 3500)
    monkeypatch.setattr(program_files, "_room", {})
    _stored(folder, f"{4:064x}", b"x" * 1000)
    left = sorted(int(name.partition(".")[0], 16) for name in os.listdir(folder))
    assert left == [0, 3, 4]


def test_the_folder_is_looked_at_again_after_a_part_of_its_free_capacity(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scans: list[Path] = []
    evict = program_files._evict
    monkeypatch.setattr(program_files, "MOST_BYTES", 64_000)
    monkeypatch.setattr(program_files, "_room", {})
    monkeypatch.setattr(program_files, "_evict", lambda at: scans.append(at) or evict(at))
    for number in range(200):
        _stored(folder, f"{number:064x}", b"x" * 1000)
        assert sum(path.stat().st_size for path in folder.iterdir()) < 64_000 * 17 / 16
    assert 20 < len(scans) < 200


def test_a_full_disk_leaves_nothing_behind(folder: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            _stored(folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert os.listdir(folder) == []


def test_what_dead_writers_left_is_swept(folder: Path) -> None:
    tag = program_files._machine_tag()
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], stdout=-1)
    of_the_dead = folder / f"{KEY}.{tag}-{int(dead.stdout)}-00000000.partial"
    of_the_living = folder / f"{KEY}.{tag}-{os.getpid()}-00000000.partial"
    elsewhere = folder / f"{KEY}.{'0' * 8}-{int(dead.stdout)}-00000000.partial"
    of_old = folder / f"{KEY}.{'0' * 8}-1-00000000.partial"
    for path in (of_the_dead, of_the_living, elsewhere, of_old):
        path.write_bytes(b"x")
    two_days_ago = time.time() - 2 * 86_400
    os.utime(of_old, (two_days_ago, two_days_ago))
    path = _stored(folder)
    assert set(folder.iterdir()) == {path, of_the_living, elsewhere}


def test_parents_that_others_can_write_to_turn_the_cache_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    monkeypatch.setenv(program_files.VARIABLE, str(outer / "between" / "cache"))
    assert program_files.folder() is not None
    outer.chmod(0o777)
    assert program_files.folder() is None
    outer.chmod(0o1777)
    assert program_files.folder() is not None
    link = tmp_path / "link"
    link.symlink_to(outer)
    monkeypatch.setenv(program_files.VARIABLE, str(link / "cache"))
    assert program_files.folder() is not None
    outer.chmod(0o777)
    assert program_files.folder() is None


@pytest.mark.skipif(os.getuid() != 0, reason="needs root to give a folder away")
def test_folders_of_others_turn_the_cache_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    monkeypatch.setenv(program_files.VARIABLE, str(outer))
    inner = program_files.folder()
    assert inner is not None
    os.chown(inner, 65534, 65534)
    assert program_files.folder() is None
    os.chown(inner, 0, 0)
    os.chown(outer, 65534, 65534)
    assert program_files.folder() is None


def test_a_file_in_the_way_turns_the_cache_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("mine")
    monkeypatch.setenv(program_files.VARIABLE, str(tmp_path / "cache"))
    assert program_files.folder() is None
    assert (tmp_path / "cache").read_text() == "mine"
