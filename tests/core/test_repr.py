"""The text of tensors equals TensorFlow's, recorded in `tests/golden/repr.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeflow._src.core import repr as text
from tests.core.repr_cases import read

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden" / "repr.json").read_text(encoding="utf-8")
)

# Arrays that NumPy summarises show their shape from NumPy 2.2 on; the file was recorded with 2.4.
SHAPE_IN_SUMMARY = np.lib.NumpyVersion(np.__version__) >= "2.2.0"


class Tensor:
    """Stands for a tensor: an array and nothing else."""

    def __init__(self, value: Any) -> None:
        array = np.asarray(value)
        if array.dtype.kind == "S":
            array = array.astype(object)
        if not isinstance(value, np.ndarray) and array.dtype == np.float64:
            array = array.astype(np.float32)
        self.array = array


def content(leaf: Any) -> np.ndarray[Any, Any] | None:
    return leaf.array if isinstance(leaf, Tensor) else None


def skip_summaries(array: np.ndarray[Any, Any]) -> None:
    if array.size > np.get_printoptions()["threshold"] and not SHAPE_IN_SUMMARY:
        pytest.skip(f"NumPy {np.__version__} summarises without the shape")


@pytest.mark.parametrize("case", GOLDEN["tensors"], ids=lambda case: case["array"])
def test_tensors(case: dict[str, Any]) -> None:
    array = read(case["array"])
    skip_summaries(array)
    assert text.tensor_repr(array, case["dtype"], array.shape) == case["repr"]
    assert text.tensor_str(array, case["dtype"], array.shape) == case["str"]
    if "print" in case:
        assert text.format_for_print(array, quote_scalar=False) == case["print"]


@pytest.mark.parametrize(
    "case", GOLDEN["summaries"], ids=lambda case: f"{case['array']}-{case['summarize']}"
)
def test_summaries(case: dict[str, Any]) -> None:
    assert text.format_for_print(read(case["array"]), case["summarize"]) == case["print"]


@pytest.mark.parametrize("case", GOLDEN["variables"], ids=lambda case: case["array"])
def test_variables(case: dict[str, Any]) -> None:
    array = read(case["array"])
    skip_summaries(array)
    shape = read(case["shape"])
    assert text.variable_repr(case["name"], shape, case["dtype"], array) == case["repr"]


@pytest.mark.parametrize("case", GOLDEN["prints"], ids=lambda case: case["inputs"])
def test_prints(case: dict[str, Any]) -> None:
    inputs = read(case["inputs"], T=Tensor)
    assert text.format_inputs(inputs, content, **case["options"]) == case["print"]


def test_variables_without_a_value() -> None:
    assert text.variable_repr("v:0", (1,), "float32") == (
        "<tf.Variable 'v:0' shape=(1,) dtype=float32>"
    )


def test_print_options_of_numpy_are_respected() -> None:
    with np.printoptions(precision=2):
        array = np.array([1.2345], "float32")
        assert text.tensor_str(array, "float32", (1,)) == (
            "tf.Tensor([1.23], shape=(1,), dtype=float32)"
        )


def test_complex_numbers_are_printed_as_python_writes_them() -> None:
    array = np.array([1 + 2j, 0.1 - 0.5j, complex("nan-infj")], "complex64")
    assert text.format_for_print(array) == "[(1+2j) (0.1-0.5j) (nan-infj)]"


def test_composites_bring_their_own_text() -> None:
    def ragged(leaf: Any) -> str | None:
        return "[[1, 2], [3]]" if leaf == "ragged" else None

    assert text.format_inputs([["ragged"], {"k": "ragged"}], ragged) == (
        "[[[1, 2], [3]]] {'k': [[1, 2], [3]]}\n"
    )
    assert text.format_inputs([object], lambda leaf: "whole") == "whole\n"


def test_a_scalar_string_is_raw_only_alone() -> None:
    word = Tensor(b"abc")
    assert text.format_inputs([word], content) == "abc\n"
    assert text.format_inputs([word, 1], content) == '"abc" 1\n'
    assert text.format_inputs([[word]], content) == '["abc"]\n'


def test_a_string_cannot_pass_for_a_tensor() -> None:
    forged = "\U000f0000\U00100000\ue000\ue000"
    assert text.format_inputs([[forged, Tensor(7)]], content) == f"[{forged!r}, 7]\n"


@given(st.lists(st.floats(width=32), min_size=1, max_size=6))
def test_printed_floats_read_back_exactly(values: list[float]) -> None:
    array = np.array(values, "float32")
    printed = text.format_for_print(array, -1)
    np.testing.assert_array_equal(np.array(printed[1:-1].split(), "float32"), array)
    wide = array.astype("float64")
    printed = text.format_for_print(wide, -1)
    np.testing.assert_array_equal(np.array(printed[1:-1].split(), "float64"), wide)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=4), st.integers(-1, 5))
def test_printing_shows_every_entry_or_dots(shape: list[int], summarize: int) -> None:
    array = np.arange(np.prod(shape), dtype="int64").reshape(shape)
    printed = text.format_for_print(array, summarize)
    assert printed.count("[") == printed.count("]")
    if "..." not in printed:
        shown = printed.replace("[", " ").replace("]", " ").split()
        assert [int(entry) for entry in shown] == array.ravel().tolist()


@given(st.binary(max_size=20))
def test_printed_strings_keep_their_bytes(value: bytes) -> None:
    array = np.array(value, object)
    raw = text.format_for_print(array, quote_scalar=False)
    assert raw.encode("utf-8", "surrogateescape") == value
    quoted = text.format_for_print(array).encode("utf-8", "surrogateescape")
    assert b"\n" not in quoted and quoted[:1] == quoted[-1:] == b'"'
    assert quoted[1:-1].decode("unicode_escape").encode("latin-1") == value
