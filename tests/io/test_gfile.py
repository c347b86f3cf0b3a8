"""`tf.io.gfile` and whole files: what they do, and TensorFlow's errors where they cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf

gfile = tf.io.gfile
NotFound = tf.errors.NotFoundError


@pytest.fixture
def root(tmp_path: Path) -> str:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c.txt").write_text("hi\nyou\n")
    return str(tmp_path)


def test_reading(root: str) -> None:
    name = f"{root}/a/b/c.txt"
    assert gfile.GFile(name).read() == "hi\nyou\n"
    assert gfile.GFile(Path(name), "rb").read(4) == b"hi\ny"
    assert gfile.GFile(f"file://{name}").readlines() == ["hi\n", "you\n"]
    assert list(gfile.GFile(name, "rb")) == [b"hi\n", b"you\n"]
    with gfile.GFile(name) as file:
        assert (next(file), file.readline(), file.readline(), file.tell()) == (
            "hi\n",
            "you\n",
            "",
            7,
        )
        file.seek(-4, 2)
        assert file.read() == "you\n"
        file.seek(1)
        file.seek(1, 1)
        assert (file.tell(), file.size(), file.seekable()) == (2, 7, True)
        assert (file.name, file.mode) == (name, "r")


def test_writing(root: str) -> None:
    with gfile.GFile(f"{root}/w", "w") as file:
        assert file.write("é") is None
        file.flush()
        assert Path(root, "w").read_bytes() == "é".encode()
    with gfile.GFile(f"{root}/w", "ab") as file:
        file.write(b"!")
    with gfile.GFile(f"{root}/w", "r+") as file:
        assert file.read() == "é!"
        file.seek(0)
        file.write("ab")
    assert Path(root, "w").read_text() == "ab!"


def test_folders(root: str) -> None:
    assert gfile.exists(root)
    assert not gfile.exists(f"{root}/no")
    assert gfile.isdir(root)
    assert not gfile.isdir(f"{root}/a/b/c.txt")
    assert gfile.listdir(f"{root}/a") == ["b"]
    gfile.mkdir(f"{root}/x")
    gfile.mkdir(f"{root}/x")
    gfile.makedirs(f"{root}/x/y/z")
    assert sorted(gfile.glob(f"{root}/*")) == [f"{root}/a", f"{root}/x"]
    assert gfile.glob([f"{root}/a/*", f"{root}/n*"]) == [f"{root}/a/b"]
    assert sorted(gfile.walk(f"{root}/x")) == [
        (f"{root}/x", ["y"], []),
        (f"{root}/x/y", ["z"], []),
        (f"{root}/x/y/z", [], []),
    ]
    assert next(gfile.walk(f"{root}/a", topdown=False)) == (f"{root}/a/b", [], ["c.txt"])
    found = gfile.stat(f"{root}/a/b/c.txt")
    assert (found.length, found.is_directory, found.mtime_nsec > 0) == (7, False, True)
    gfile.copy(f"{root}/a/b/c.txt", f"{root}/d")
    gfile.rename(f"{root}/d", f"{root}/e")
    assert Path(root, "e").read_text() == "hi\nyou\n"
    gfile.copy(f"{root}/a/b/c.txt", f"{root}/e", overwrite=True)
    gfile.remove(f"{root}/e")
    gfile.rmtree(f"{root}/a")
    assert gfile.listdir(root) == ["x"]


def test_errors_of_a_walk_are_told() -> None:
    seen: list[Any] = []
    assert list(gfile.walk("/no/such/folder", onerror=seen.append)) == []
    assert isinstance(seen[0], NotFound)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("gcs://folder", "file.py"), "gcs://folder/file.py"),
        (("ram://a/", "/b/", "c"), "ram://a/b/c"),
        (("a", "b", "c"), "a/b/c"),
        (("/a", "/b"), "/b"),
        ((b"a", b"b"), b"a/b"),
        ((Path("a"), "b"), "a/b"),
    ],
)
def test_join(parts: tuple[Any, ...], expected: Any) -> None:
    assert gfile.join(*parts) == expected


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda r: gfile.GFile(f"{r}/no").read(), NotFound),
        (lambda r: gfile.GFile(f"{r}/a").read(), tf.errors.FailedPreconditionError),
        (lambda r: gfile.GFile(f"{r}/a", "q"), tf.errors.InvalidArgumentError),
        (lambda r: gfile.GFile(f"{r}/a/b/c.txt").write("a"), tf.errors.PermissionDeniedError),
        (lambda r: gfile.GFile(f"{r}/w", "w").read(), tf.errors.PermissionDeniedError),
        (lambda r: gfile.GFile("foo://bar").read(), tf.errors.UnimplementedError),
        (lambda r: gfile.exists("foo://bar"), tf.errors.UnimplementedError),
        (lambda r: gfile.GFile(f"{r}/a/b/c.txt").seek(), TypeError),
        (lambda r: gfile.GFile(f"{r}/a/b/c.txt").seek(0, 3), tf.errors.InvalidArgumentError),
        (lambda r: gfile.GFile(f"{r}/a/b/c.txt").seek(-1), tf.errors.OutOfRangeError),
        (lambda r: gfile.listdir(f"{r}/no"), NotFound),
        (lambda r: gfile.listdir(f"{r}/a/b/c.txt"), NotFound),
        (lambda r: gfile.mkdir(f"{r}/x/y"), NotFound),
        (lambda r: gfile.copy(f"{r}/no", f"{r}/q"), NotFound),
        (lambda r: gfile.copy(f"{r}/a/b", f"{r}/q"), tf.errors.InvalidArgumentError),
        (lambda r: gfile.copy(f"{r}/a/b/c.txt", f"{r}/a"), tf.errors.AlreadyExistsError),
        (lambda r: gfile.rename(f"{r}/a", f"{r}/a"), tf.errors.AlreadyExistsError),
        (lambda r: gfile.rename(f"{r}/no", f"{r}/q"), NotFound),
        (lambda r: gfile.remove(f"{r}/no"), NotFound),
        (lambda r: gfile.remove(f"{r}/a"), tf.errors.FailedPreconditionError),
        (lambda r: gfile.rmtree(f"{r}/no"), NotFound),
        (lambda r: gfile.stat(f"{r}/no"), NotFound),
        (lambda r: tf.io.read_file(f"{r}/no"), NotFound),
        (lambda r: tf.io.read_file(f"{r}/a"), tf.errors.FailedPreconditionError),
        (lambda r: tf.io.read_file([r]), tf.errors.InvalidArgumentError),
        (lambda r: tf.io.write_file(f"{r}/a", "x"), tf.errors.FailedPreconditionError),
    ],
)
def test_refusals(root: str, call: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        call(root)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_whole_files(root: str, wrap: Any) -> None:
    @wrap
    def program(name: Any) -> Any:
        tf.io.write_file(name, "new")
        first = tf.io.read_file(name)
        tf.io.write_file(name, tf.strings.join([first, "er"]))
        return first, tf.io.read_file(name), tf.io.matching_files([name, root + "/a/b/*"])

    first, second, names = program(tf.constant(f"{root}/deep/er/file"))
    assert (first.numpy(), second.numpy()) == (b"new", b"newer")
    assert [n.decode() for n in names.numpy()] == [f"{root}/a/b/c.txt", f"{root}/deep/er/file"]
    assert tf.io.matching_files(f"{root}/no*").shape == [0]
    assert tf.io.match_filenames_once(f"{root}/a/*").numpy().tolist() == [f"{root}/a/b".encode()]
