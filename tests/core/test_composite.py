"""The error for a composite where a tensor is needed: made often, read seldom."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.core.composite import Dispatchable, NotATensor


class Shown(Dispatchable):
    """Counts how often it is shown."""

    times = 0

    def __repr__(self) -> str:
        self.times += 1
        return "SHOWN"


def test_a_value_is_shown_when_the_error_is_read() -> None:
    value = Shown()
    error = NotATensor(value)
    assert isinstance(error, ValueError) and type(error).__name__ == "ValueError"
    assert value.times == 0
    assert "convert SHOWN" in str(error) and "SHOWN" in error.args[0]
    assert repr(error) == f"ValueError({str(error)!r})"
    assert value.times == 1
    assert repr(pickle.loads(pickle.dumps(error))) == repr(error)


def test_other_words_can_be_put_in() -> None:
    value = Shown()
    error = NotATensor(value)
    error.args = ("in user code",)
    assert str(error) == "in user code" and value.times == 0


def test_ops_do_not_show_what_they_take(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tf.ragged.constant([[1, 2], [3]])

    def fail(self: Any) -> str:
        raise AssertionError("shown")

    monkeypatch.setattr(tf.RaggedTensor, "__repr__", fail)
    assert (rows + 1).to_list() == [[2, 3], [4]]
    assert tf.function(lambda r: tf.reduce_sum(r * 2, 1))(rows).numpy().tolist() == [6, 6]


def test_refused_ops_report_their_inputs() -> None:
    rows = tf.ragged.constant([[1.0, 2.0], [3.0]])
    with pytest.raises(ValueError, match=r"it consists of several.*\[\[1.0, 2.0\], \[3.0\]\]"):
        tf.convert_to_tensor(rows)
    with pytest.raises(ValueError, match="MatrixDeterminant does not take a RaggedTensor"):
        tf.linalg.det(rows)
    with pytest.raises(ValueError, match=r"(?s)in user code:.*it consists of several"):
        tf.function(lambda r: tf.convert_to_tensor(r))(rows)
