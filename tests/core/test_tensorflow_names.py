"""Missing names say what TensorFlow has and where it moved."""

from __future__ import annotations

import pickle

import pytest

import tapeflow as tf
from tapeflow._src.core.tensorflow_names import hint, recorded


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("log", "tf.math.log"),
        ("Session", "tf.compat.v1.Session"),
        ("contrib", "ended with TensorFlow 1"),
        ("reduce_meen", "Did you mean tf.reduce_mean"),
    ],
)
def test_missing_root_names(name: str, words: str) -> None:
    with pytest.raises(AttributeError, match=words) as caught:
        getattr(tf, name)
    assert caught.value.name == name
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_names_that_tensorflow_has_and_we_do_not() -> None:
    assert "does not have it yet" in hint("tpu.XLAOptions")


def test_names_nobody_has() -> None:
    assert hint("qqqqqq") == ""


def test_moved_names_exist_here() -> None:
    missing = []
    for new in recorded().moved.values():
        value = tf
        for part in new.split("."):
            value = getattr(value, part, None)
        if value is None:
            missing.append(new)
    assert len(missing) <= 12, missing


def test_hasattr_reads_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tapeflow._src.core.tensorflow_names.recorded", None)
    assert not hasattr(tf, "no_such_name")
