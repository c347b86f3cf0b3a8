"""Structured tensors made of fields and of Python values, as TensorFlow makes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeflow as tf
from tests.structured.values import (
    ROWS,
    SCALAR,
    VECTOR,
    VECTOR_SPEC,
    C,
    D,
    P,
    S,
)

LENGTHS = P.from_row_lengths([1, 2])
FLAT = S.from_fields({"b": [1, 2]}, shape=[2])


@pytest.mark.parametrize(
    ("made", "pyval", "shape"),
    [
        (lambda: S.from_fields({}), {}, []),
        (lambda: S.from_fields({}, shape=[2]), [{}, {}], [2]),
        (lambda: S.from_fields({}, shape=[None], nrows=3), [{}, {}, {}], [3]),
        (lambda: S.from_fields({}, shape=[2, 3]), [[{}] * 3] * 2, [2, 3]),
        (
            lambda: S.from_fields({}, shape=[2, None], row_partitions=[LENGTHS]),
            [[{}], [{}, {}]],
            [2, None],
        ),
        (lambda: S.from_fields({"a": [1, 2]}), {"a": [1, 2]}, []),
        (lambda: S.from_fields({"a": [1, 2]}, [None]), [{"a": 1}, {"a": 2}], [2]),
        (lambda: S.from_fields({"a": tf.Variable([1, 2])}, [2]), [{"a": 1}, {"a": 2}], [2]),
        (
            lambda: S.from_fields({"a": [[1, 2]], "b": C([[3, 4]])}, [None, None]),
            [[{"a": 1, "b": 3}, {"a": 2, "b": 4}]],
            [1, 2],
        ),
        (lambda: S.from_fields({"s": FLAT}, [2]), [{"s": {"b": 1}}, {"s": {"b": 2}}], [2]),
        (lambda: S.from_fields_and_rank({"a": [1, 2]}, 1), [{"a": 1}, {"a": 2}], [2]),
        (lambda: S.from_fields_and_rank({"a": [1, 2]}, 0), {"a": [1, 2]}, []),
        (lambda: S.from_shape(D.from_lengths([2, (1, 2)])), [[{}], [{}, {}]], [2, None]),
        (lambda: S.from_shape(D.from_lengths([])), {}, []),
        (lambda: S({"a": [1, 2]}, D.from_lengths([2])), [{"a": 1}, {"a": 2}], [2]),
    ],
)
def test_from_fields(made: Callable[[], Any], pyval: Any, shape: list[Any]) -> None:
    value = made()
    assert value.to_pyval() == pyval
    assert value.shape.as_list() == shape
    assert value.rank == len(shape)


def test_rows_of_axes() -> None:
    shape = D.from_lengths([2, (1, 2), 3])
    texts = [
        "tf.RowPartition(row_splits=[0 1 3])",
        "tf.RowPartition(nrows=3, uniform_row_length=3)",
    ]
    assert [repr(rows) for rows in S.from_shape(shape).row_partitions] == texts
    even = S.from_fields_and_rank({"a": [[1, 2], [3, 4]]}, 2)
    assert repr(even.row_partitions) == "(tf.RowPartition(nrows=2, uniform_row_length=2),)"
    given = S.from_fields(
        {"a": [[1, 2], [3, 4]]}, [2, 2], row_partitions=[P.from_row_lengths([2, 2])]
    )
    assert repr(given.row_partitions) == "(tf.RowPartition(nrows=2, uniform_row_length=2),)"
    assert SCALAR.row_partitions == () and SCALAR.nrows() is None
    assert int(ROWS.nrows()) == 2


def test_dtypes_of_sizes() -> None:
    narrow, wide = C([[1, 2], [3]], row_splits_dtype=tf.int32), C([[1, 2], [3]])

    def dtype(value: Any) -> Any:
        return value._ragged_shape.dtype

    assert dtype(S.from_fields({"a": narrow}, [2, None])) is tf.int32
    both = S.from_fields({"a": narrow, "b": wide}, [2, None])
    assert dtype(both) is both.field_value("a").row_splits.dtype is tf.int64
    assert dtype(S.from_fields({"a": [1, 2]}, [2], nrows=tf.constant(2))) is tf.int32
    assert dtype(S.from_fields_and_rank({"a": [1, 2]}, 1, dtype=tf.int32)) is tf.int32
    changed = ROWS.with_shape_dtype(tf.int32)
    assert dtype(changed) is changed.field_value("b").row_splits.dtype is tf.int32
    assert ROWS.with_shape_dtype(tf.int64) is ROWS
    with pytest.raises(ValueError, match="int32 or int64"):
        ROWS.with_shape_dtype(tf.float32)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: S.from_fields({}, [None]), ValueError, "pass `nrows`"),
        (lambda: S.from_fields({}, [2, None]), ValueError, "pass `row_partitions`"),
        (lambda: S.from_fields({}, nrows=3), ValueError, "nrows=3"),
        (lambda: S.from_fields({}, None), ValueError, "known rank"),
        (
            lambda: S.from_fields({}, [2], row_partitions=[LENGTHS]),
            ValueError,
            "`row_partitions` need a shape of rank 2",
        ),
        (
            lambda: S.from_fields({}, [2, None], row_partitions=[LENGTHS, LENGTHS]),
            ValueError,
            "shape.rank-1",
        ),
        (lambda: S.from_fields({"a": [1, 2]}, [3]), ValueError, r"\(3,\) and \(2,\)"),
        (
            lambda: S.from_fields({"a": [1, 2], "b": [1, 2, 3]}, [None]),
            ValueError,
            "Error in shape of b",
        ),
        (
            lambda: S.from_fields({"a": C([[1, 2], [3]]), "b": C([[1], [3, 4]])}, [2, None]),
            ValueError,
            "Error in shape of b: Rows differ",
        ),
        (lambda: S.from_fields({"a": 1}, [2]), ValueError, "Error in shape of a"),
        (lambda: S.from_fields({"a": [1]}, [None], nrows=3), ValueError, r"\(3,\) and \(1,\)"),
        (lambda: S.from_fields({1: 2}), TypeError, "Unexpected type for key"),
        (lambda: S.from_fields({"1a": 2}), ValueError, "'1a' is not currently allowed"),
        (lambda: S.from_fields({"_a": 2}), ValueError, "not currently allowed"),
        (lambda: S.from_fields([1]), TypeError, "fields must be a dictionary, got list"),
        (
            lambda: S.from_fields({"a": tf.sparse.from_dense([1])}, [1]),
            TypeError,
            "Unexpected type for value",
        ),
        (lambda: S.from_fields({"a": None}), ValueError, "'a' cannot be converted"),
        (lambda: S.from_fields_and_rank({}, 1), ValueError, "at least one field"),
        (lambda: S.from_fields_and_rank({"a": 1}, -1), ValueError, "nonnegative"),
        (lambda: S.from_shape([2]), TypeError, "expected 'DynamicRaggedShape', got 'list'"),
    ],
)
def test_fields_that_do_not_go_together(
    make: Callable[[], Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        make()


# -- of Python values -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pyval",
    [
        {},
        {"a": [[1], [2, 3]]},
        [[{"a": 1}], []],
        [[[{"a": 1}], []], []],
        [{"a": []}, {"a": [1.5]}],
        [{"a": [[]]}, {"a": []}],
        {"a": [{"b": 1}, {"b": 2}]},
        [{"z": 1, "b": {}}, {"z": 1, "b": {}}],
        {"a": [{}]},
        {"a": b"x", "b": True, "c": 2 + 1j},
    ],
)
def test_python_values_and_back(pyval: Any) -> None:
    assert S.from_pyval(pyval).to_pyval() == pyval


def test_what_fields_become() -> None:
    value = S.from_pyval({"a": [1, 2.5], "b": [[4, 5], [6, 7]], "c": (1, 2), "d": []})
    assert value.field_value("a").dtype is tf.float32
    assert isinstance(value.field_value("b"), tf.RaggedTensor)
    assert value.field_value("c").numpy().tolist() == [1, 2]
    assert value.field_value("d").shape == (0,)
    assert value.field_names() == ("a", "b", "c", "d")
    assert S.from_pyval([1, 2]).numpy().tolist() == [1, 2]
    assert S.from_pyval([[], []]).to_list() == [[], []]
    assert S.from_pyval(({"a": 1},)).shape == (1,)


@pytest.mark.parametrize(
    ("pyval", "error", "text"),
    [
        ([{"a": 1}, {"a": 2, "b": 3}], KeyError, "b"),
        ([{"a": [1]}, {}], KeyError, "a"),
        ([{"a": "x"}, {"a": 1}], ValueError, r"Error parsing path \('a',\)"),
        ({"a": None}, ValueError, "Error parsing path"),
        ([None], ValueError, r"Error parsing path \(\)"),
        ([[{"a": 1}], {"a": 1}], ValueError, "Inconsistent depth of dictionaries"),
        ([{"a": 1}, []], ValueError, "Inconsistent depth of dictionaries"),
        ({"a": [{"b": 1}, 5]}, ValueError, "nested lists of dicts"),
        ({"a": [{"b": [1]}, {"b": 5}]}, ValueError, r"Error parsing path \('a', 'b'\)"),
        ({1: 2}, TypeError, "Unexpected type for key"),
    ],
)
def test_python_values_that_are_none(pyval: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        S.from_pyval(pyval)


def test_python_values_of_a_spec() -> None:
    pyval = [{"a": 1, "b": [3]}, {"a": 2, "b": []}]
    assert S.from_pyval(pyval, VECTOR._type_spec).to_pyval() == pyval
    rows = [[{"a": 1, "b": [1, 2]}], []]
    assert S.from_pyval(rows, ROWS._type_spec).to_pyval() == rows
    empty = S.from_pyval([], VECTOR_SPEC)
    assert empty.field_value("b").dtype is tf.int32 and empty.shape == (0,)
    assert S.from_pyval([1, 2], tf.TensorSpec([None])).dtype is tf.float32
    assert S.from_pyval([[1], []], tf.RaggedTensorSpec([None, None])).to_list() == [[1.0], []]


@pytest.mark.parametrize(
    ("pyval", "spec", "text"),
    [
        ([{"a": 1}, {"a": 2}], VECTOR._type_spec, "does not match typespec"),
        ([{"a": 1, "b": [3]}], VECTOR._type_spec, r"Value at \('a',\) does not match"),
        ([{"a": 1.5, "b": [3]}], VECTOR_SPEC, r"Error parsing path \('a',\)"),
        ({}, VECTOR._type_spec, r"Value at \(\) does not match typespec: \{\} vs"),
        ({"a": 1, "b": [1, 2], "c": 1}, SCALAR._type_spec, "does not match typespec"),
        ({"a": 1}, tf.TensorSpec([]), "does not match typespec"),
    ],
)
def test_python_values_of_another_spec(pyval: Any, spec: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        S.from_pyval(pyval, spec)
    with pytest.raises(TypeError, match="typespec must be"):
        S.from_pyval(pyval, "spec")


# -- in graphs --------------------------------------------------------------------------------


def test_what_graphs_know() -> None:
    seen = []

    @tf.function(
        input_signature=[
            tf.TensorSpec([None], tf.int32),
            tf.TensorSpec([None, 3], tf.int32),
            tf.RaggedTensorSpec([None, None], tf.int32),
        ]
    )
    def make(vector: Any, matrix: Any, rows: Any) -> Any:
        made = (
            S.from_fields({"a": vector}, shape=[None]),
            S.from_fields({"a": vector}, shape=[2]),
            S.from_fields({"a": matrix}, shape=[None, None]),
            S.from_fields({"a": rows}, shape=[None, None]),
        )
        seen.extend(value.shape.as_list() for value in made)
        return made

    made = make([1, 2], [[1, 2, 3]], C([[1], [2, 3]]))
    assert seen == [[None], [2], [None, 3], [None, None]]
    assert made[2].to_pyval() == [[{"a": 1}, {"a": 2}, {"a": 3}]]
    assert made[3].to_pyval() == [[{"a": 1}], [{"a": 2}, {"a": 3}]]


@pytest.mark.parametrize("jit_compile", [False, True])
def test_rows_are_compared_when_the_graph_runs(jit_compile: bool) -> None:
    spec = tf.RaggedTensorSpec([None, None], tf.int32)

    @tf.function(input_signature=[spec, spec], jit_compile=jit_compile)
    def make(a: Any, b: Any) -> Any:
        return S.from_fields({"a": a, "b": b}, [None, None]).field_value("a")

    rows = C([[1, 2], [3]])
    assert make(rows, rows + 1).to_list() == [[1, 2], [3]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="the same rows"):
        make(rows, C([[1], [3, 4]]))


def test_sizes_are_compared_if_asked_for() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)] * 2)
    def make(a: Any, b: Any) -> Any:
        return S.from_fields({"a": a, "b": b}, [None], validate=True).field_value("a")

    assert make([1, 2], [3, 4]).numpy().tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="different numbers of rows"):
        make([1, 2], [3, 4, 5])
