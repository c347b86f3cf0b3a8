"""The comparison itself: it must notice what differs, and nothing else."""

from __future__ import annotations

import pytest

import tapeflow as tf
from tests.parity.program import difference, execute


def run(code: str) -> dict[str, object]:
    return execute(code, tf)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("tf.constant(1)", "tf.constant(1.0)"),
        ("tf.constant([1])", "tf.constant(1)"),
        ("tf.constant([1.0, 2.0])", "tf.constant([1.0, 2.1])"),
        ("tf.constant(1.0)", "tf.Variable(1.0)"),
        ("tf.constant(1.0)", "1.0"),
        ("[1, 2]", "(1, 2)"),
        ("[1, 2]", "[1, 2, 3]"),
        ("tf.constant(float('nan'))", "tf.constant(0.0)"),
        ("tf.TensorShape([1, None])", "tf.TensorShape(None)"),
        ("tf.float32", "tf.int32"),
        ("1 / 0", "0"),
        ("1 / 0", "int('x')"),
        ("{'a': 1}", "{'a': 1, 'b': 2}"),
    ],
)
def test_a_difference_is_noticed(ours: str, theirs: str) -> None:
    assert difference(run(ours), run(theirs)) is not None


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("tf.constant([1.0, float('nan'), float('inf')])",) * 2,
        ("x = 1\nx + 1", "2"),
        ("tf.constant(1.0)", "tf.constant(1.0 + 1e-7)"),
        ("1 / 0", "2 / 0"),
        ("tf.constant([b'a', b'\\xff'])",) * 2,
        ("tf.constant([1 + 2j])",) * 2,
        ("np.float32(1)", "np.ones([], np.float32)"),
        ("(None, True, tf.bfloat16)",) * 2,
    ],
)
def test_what_agrees_agrees(ours: str, theirs: str) -> None:
    assert difference(run(ours), run(theirs)) is None


def test_a_program_without_a_result_is_refused() -> None:
    with pytest.raises(ValueError, match="ends in an expression"):
        run("x = 1")
