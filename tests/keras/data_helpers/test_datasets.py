"""`keras.datasets` read files in Keras' cache layout; the files here are small ones."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.keras.datasets import sources

DATASETS = tf.keras.datasets


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder; files in it are taken without a look at their hashes."""
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    monkeypatch.setattr(sources.Source, "path", _path)
    (tmp_path / "datasets").mkdir()
    return tmp_path / "datasets"


def _path(self: Any, name: str | None = None, **kwargs: Any) -> str:
    return tf.keras.utils.get_file(name, origin=self.origin, **kwargs)


def test_mnist(cache: Path) -> None:
    x = np.arange(2 * 28 * 28, dtype="uint8").reshape(2, 28, 28)
    np.savez(cache / "mnist.npz", x_train=x, y_train=[1, 2], x_test=x[:1], y_test=[3])
    (x_train, y_train), (x_test, y_test) = DATASETS.mnist.load_data()
    np.testing.assert_array_equal(x_train, x)
    np.testing.assert_array_equal(x_test, x[:1])
    assert (y_train.tolist(), y_test.tolist()) == ([1, 2], [3])


def test_data_of_another_cache_folder(tmp_path: Path) -> None:
    folder = tmp_path / "other" / "datasets"
    folder.mkdir(parents=True)
    np.savez(folder / "mnist.npz", x_train=[1], y_train=[2], x_test=[3], y_test=[4])
    np.savez(folder / "boston_housing.npz", x=np.ones((2, 1)), y=np.ones(2))
    (x_train, _), _ = DATASETS.mnist.load_data(cache_dir=str(tmp_path / "other"))
    assert x_train.tolist() == [1]
    train, _ = DATASETS.boston_housing.load_data(cache_dir=tmp_path / "other")
    assert len(train[0]) == 1


def test_fashion_mnist(cache: Path) -> None:
    (cache / "fashion-mnist").mkdir()
    for prefix, count in (("train", 3), ("t10k", 2)):
        labels, images = bytes(8) + bytes(range(count)), bytes(16) + bytes(count * 784)
        for kind, data in (("labels-idx1", labels), ("images-idx3", images)):
            with gzip.open(cache / "fashion-mnist" / f"{prefix}-{kind}-ubyte.gz", "wb") as file:
                file.write(data)
    (x_train, y_train), (x_test, _) = DATASETS.fashion_mnist.load_data()
    assert (x_train.shape, x_test.shape) == ((3, 28, 28), (2, 28, 28))
    assert y_train.tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", ["boston_housing", "california_housing"])
def test_housing(cache: Path, name: str) -> None:
    np.savez(cache / f"{name}.npz", x=np.arange(20).reshape(10, 2), y=np.arange(10))
    module = getattr(DATASETS, name)
    (x_train, y_train), (x_test, y_test) = module.load_data(test_split=0.3, seed=1)
    order = np.arange(10)
    np.random.RandomState(1).shuffle(order)
    assert np.concatenate([y_train, y_test]).tolist() == order.tolist()
    assert (x_train.shape, x_test.shape) == ((7, 2), (3, 2))
    with pytest.raises(ValueError, match="test_split"):
        module.load_data(test_split=1)


def archive(path: Path, files: dict[str, Any]) -> None:
    with tarfile.open(path, "w:gz") as tar:
        for name, value in files.items():
            data = pickle.dumps(value, protocol=3)
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def batch(start: int, key: bytes = b"labels") -> dict[bytes, Any]:
    return {b"data": np.full((2, 3072), start, "uint8"), key: [start, start + 1]}


def test_cifar10(cache: Path) -> None:
    folder = "cifar-10-batches-py"
    files = {f"{folder}/data_batch_{n}": batch(n) for n in range(1, 6)}
    archive(cache / f"{folder}-target_archive", {**files, f"{folder}/test_batch": batch(7)})
    (x_train, y_train), (x_test, y_test) = DATASETS.cifar10.load_data()
    assert (x_train.shape, x_test.shape) == ((10, 32, 32, 3), (2, 32, 32, 3))
    assert y_train[:, 0].tolist() == [1, 2, 2, 3, 3, 4, 4, 5, 5, 6]
    assert y_test.dtype == np.uint8


def test_cifar100(cache: Path) -> None:
    parts = {f"cifar-100-python/{n}": batch(1, b"coarse_labels") for n in ("train", "test")}
    archive(cache / "cifar-100-python-target_archive", parts)
    (x_train, y_train), _ = DATASETS.cifar100.load_data("coarse")
    assert (x_train.shape, y_train.tolist()) == ((2, 32, 32, 3), [[1], [2]])
    with pytest.raises(ValueError, match="label_mode"):
        DATASETS.cifar100.load_data("other")


def lists(*sequences: list[int]) -> np.ndarray:
    found = np.empty(len(sequences), object)
    found[:] = sequences
    return found


def test_imdb(cache: Path) -> None:
    x = lists([1, 2], [3, 4, 5], [6])
    np.savez(cache / "imdb.npz", x_train=x, y_train=[0, 1, 0], x_test=x[:1], y_test=[1])
    (x_train, y_train), (x_test, _) = DATASETS.imdb.load_data(num_words=7)
    expected = {0: [[1, 4, 5], [1, 2]], 1: [[1, 6, 2, 2]]}
    for sequence, label in zip(x_train, y_train):
        assert sequence in expected[label]
    assert x_test[0] == [1, 4, 5]
    (x_train, _), _ = DATASETS.imdb.load_data(start_char=None, index_from=0, maxlen=3)
    assert sorted(map(len, x_train)) == [1, 2]
    (cache / "imdb_word_index.json").write_text(json.dumps({"the": 1}))
    assert DATASETS.imdb.get_word_index() == {"the": 1}


def test_reuters(cache: Path) -> None:
    np.savez(cache / "reuters.npz", x=lists(*([n, n + 1] for n in range(10))), y=np.arange(10))
    (x_train, y_train), (x_test, _) = DATASETS.reuters.load_data(oov_char=None, skip_top=4)
    assert (len(x_train), len(x_test)) == (8, 2)
    for sequence, label in zip(x_train, y_train):
        assert sequence == [w for w in (1, label + 3, label + 4) if 4 <= w < 13]
    assert len(DATASETS.reuters.get_label_names()) == 46


class _Exploit:
    def __reduce__(self) -> Any:
        return (print, ("ran",))


def test_files_run_no_code(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = np.empty(1, object)
    bad[0] = _Exploit()
    np.savez(cache / "reuters.npz", x=bad, y=[1])
    with pytest.raises(pickle.UnpicklingError, match="print"):
        DATASETS.reuters.load_data()
    assert "ran" not in capsys.readouterr().out


def test_missing_file_is_explained(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = sources.Source((cache / "nowhere").as_uri())
    monkeypatch.setattr("tapeflow._src.keras.datasets.mnist._SOURCE", missing)
    with pytest.raises(ConnectionError, match=r"mnist\.npz"):
        DATASETS.mnist.load_data()
