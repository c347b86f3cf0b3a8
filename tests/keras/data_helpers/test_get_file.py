"""`get_file`: cache, hashes, archives that try to escape, and no connection."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import tapeflow as tf
from tapeflow._src.keras.utils.archives import extract_archive

TEXT = b"one line\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KERAS_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def source(tmp_path: Path, data: bytes = TEXT, name: str = "a.txt") -> str:
    path = tmp_path / name
    path.write_bytes(data)
    return path.as_uri()


def test_file_lands_in_the_cache_folder(tmp_path: Path, home: Path) -> None:
    path = tf.keras.utils.get_file(origin=source(tmp_path))
    assert Path(path) == home / "datasets" / "a.txt"
    assert Path(path).read_bytes() == TEXT
    assert [each.name for each in Path(path).parent.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("algorithm", ["md5", "sha256"])
def test_hash_is_checked(tmp_path: Path, home: Path, algorithm: str) -> None:
    digest = hashlib.new(algorithm, TEXT).hexdigest()
    origin = source(tmp_path)
    (home / "datasets").mkdir(parents=True)
    (home / "datasets" / "a.txt").write_bytes(b"outdated")
    path = tf.keras.utils.get_file("a.txt", origin, file_hash=digest)
    assert Path(path).read_bytes() == TEXT
    source(tmp_path, b"tampered")
    assert tf.keras.utils.get_file("a.txt", origin, file_hash=digest) == path
    with pytest.raises(ValueError, match="corrupted"):
        tf.keras.utils.get_file("b.txt", origin, file_hash=digest)
    assert not (home / "datasets" / "b.txt").exists()


def test_cached_file_is_used_unless_download_is_forced(tmp_path: Path) -> None:
    origin = source(tmp_path)
    path = Path(tf.keras.utils.get_file("a.txt", origin))
    source(tmp_path, b"new")
    assert Path(tf.keras.utils.get_file("a.txt", origin)).read_bytes() == TEXT
    tf.keras.utils.get_file("a.txt", origin, force_download=True)
    assert path.read_bytes() == b"new"


def test_downloads_of_killed_programs_are_swept(tmp_path: Path, home: Path) -> None:
    folder = home / "datasets"
    folder.mkdir(parents=True)
    (folder / "mine").write_bytes(b"mine")
    program = (
        "import os, tapeflow as tf, urllib.request\n"
        "urllib.request.urlopen = lambda origin: os._exit(9)\n"
        "tf.keras.utils.get_file('a.txt', 'file:///nowhere')\n"
    )
    killed = subprocess.run([sys.executable, "-c", program], check=False)
    assert killed.returncode == 9
    assert len(list(folder.glob("*.partial"))) == 1
    tf.keras.utils.get_file("b.txt", source(tmp_path))
    assert sorted(each.name for each in folder.iterdir()) == ["b.txt", "mine"]


def test_failed_download_names_the_place_for_the_file(tmp_path: Path, home: Path) -> None:
    with pytest.raises(ConnectionError) as error:
        tf.keras.utils.get_file("a.txt", (tmp_path / "missing").as_uri())
    assert str(home / "datasets" / "a.txt") in str(error.value)
    assert list((home / "datasets").iterdir()) == []


@pytest.mark.parametrize(("kwargs", "words"), [({}, "origin"), ({"fname": "a/b"}, "fname")])
def test_bad_arguments(tmp_path: Path, kwargs: dict[str, str], words: str) -> None:
    origin = {"origin": source(tmp_path)} if kwargs else {}
    with pytest.raises(ValueError, match=words):
        tf.keras.utils.get_file(**kwargs, **origin)


def tar_bytes(*members: tuple[str, str, str]) -> bytes:
    """A tar file of (kind, name, text or target)."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for kind, name, value in members:
            info = tarfile.TarInfo(name)
            if kind == "file":
                info.size = len(value)
                archive.addfile(info, io.BytesIO(value.encode()))
            else:
                info.type = tarfile.SYMTYPE if kind == "symlink" else tarfile.LNKTYPE
                info.linkname = value
                archive.addfile(info)
    return buffer.getvalue()


def test_archives_are_unpacked(tmp_path: Path, home: Path) -> None:
    origin = source(tmp_path, tar_bytes(("file", "in/x.txt", "x")), "data.tar.gz")
    folder = Path(tf.keras.utils.get_file(origin=origin, extract=True))
    assert folder == home / "datasets" / "data.tar.gz"
    assert (folder / "in" / "x.txt").read_text() == "x"
    assert (home / "datasets" / "data.tar.gz_archive").exists()
    named = Path(tf.keras.utils.get_file("some.tar.gz", origin, untar=True))
    assert named == home / "datasets" / "some_extracted"


@pytest.mark.parametrize(
    "members",
    [
        [("file", "../out.txt", "bad")],
        [("file", "/../../out.txt", "bad")],
        [("symlink", "link", ".."), ("file", "link/out.txt", "bad")],
        [("symlink", "link", "/"), ("file", "link/out.txt", "bad")],
        [("hardlink", "link", "../secret.txt")],
        [("symlink", "a", "."), ("symlink", "a/b", ".."), ("file", "b/out.txt", "bad")],
    ],
)
def test_no_member_of_a_tar_file_escapes(
    tmp_path: Path, members: list[tuple[str, str, str]]
) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    archive = tmp_path / "bad.tar.gz"
    archive.write_bytes(tar_bytes(*members, ("file", "good.txt", "good")))
    with pytest.warns(UserWarning, match="skipped"):
        assert extract_archive(archive, tmp_path / "folder")
    assert (tmp_path / "folder" / "good.txt").read_text() == "good"
    outside = {each.name for each in tmp_path.iterdir()}
    assert outside == {"secret.txt", "bad.tar.gz", "folder"}
    inside = [each for each in (tmp_path / "folder").rglob("*") if each.is_file()]
    assert all(each.read_text() != "secret" for each in inside)


def test_no_member_of_a_zip_file_escapes(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr("../out.txt", "bad")
        archive.writestr("good.txt", "good")
    with pytest.warns(UserWarning, match="skipped"):
        assert extract_archive(tmp_path / "bad.zip", tmp_path / "folder")
    assert {each.name for each in tmp_path.iterdir()} == {"bad.zip", "folder"}


def test_damaged_archive_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine.txt").write_text("mine")
    whole = tar_bytes(("file", "x.txt", "x" * 100_000), ("file", "y.txt", "y"))
    (tmp_path / "bad.tar.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(EOFError):
        extract_archive(tmp_path / "bad.tar.gz", tmp_path / "folder")
    assert [each.name for each in (tmp_path / "folder").iterdir()] == ["mine.txt"]
    assert {each.name for each in tmp_path.iterdir()} == {"bad.tar.gz", "folder"}


def test_files_cannot_name_get_file() -> None:
    config = {"module": "keras.utils", "class_name": "get_file", "config": {}}
    with pytest.raises((ValueError, TypeError)):
        tf.keras.layers.deserialize(config)


def test_untar_returns_the_folder_in_the_archive(tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "one.txt").write_text("1")
    archive = tmp_path / "photos.tgz"
    with tarfile.open(archive, "w:gz") as file:
        file.add(folder, "photos")
    path = Path(
        tf.keras.utils.get_file("photos", archive.as_uri(), untar=True, cache_dir=tmp_path / "c")
    )
    assert path.name == "photos" and [item.name for item in path.iterdir()] == ["one.txt"]


def test_keras_2_unpacks_beside_the_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    with zipfile.ZipFile(tmp_path / "table.zip", "w") as archive:
        archive.writestr("table.csv", "a,b")
    origin = (tmp_path / "table.zip").as_uri()
    path = Path(tf.keras.utils.get_file(origin=origin, extract=True))
    assert path.name == "table.zip" and path.with_suffix(".csv").read_text() == "a,b"
    (tmp_path / "one.txt").write_text("1")
    with tarfile.open(tmp_path / "p.tgz", "w:gz") as tar:
        tar.add(tmp_path / "one.txt", "photos/one.txt")
    folder = tf.keras.utils.get_file("photos", (tmp_path / "p.tgz").as_uri(), untar=True)
    assert (Path(folder) / "one.txt").read_text() == "1"
    assert Path(folder).with_name("photos.tar.gz").is_file()
