"""Parts of structured tensors: items, fields by path, rows merged and parted; shown as text."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

import tapeflow as tf
from tests.structured.values import (
    BARE,
    DEEP,
    DOCS,
    EVEN,
    NESTED,
    ROWS,
    ROWS_SPEC,
    SCALAR,
    VECTOR,
    VECTOR_SPEC,
    C,
    D,
    P,
    S,
)


def plain(value: Any) -> Any:
    if isinstance(value, S):
        return value.to_pyval()
    return value.to_list() if isinstance(value, tf.RaggedTensor) else value.numpy().tolist()


@pytest.mark.parametrize(
    ("item", "wanted"),
    [
        (lambda: SCALAR["a"], 1),
        (lambda: SCALAR["b", 1], 2),
        (lambda: SCALAR[:], {"a": 1, "b": [1, 2]}),
        (lambda: VECTOR[()], VECTOR.to_pyval()),
        (lambda: VECTOR[0], {"a": 1, "b": [1, 2]}),
        (lambda: VECTOR[-1], {"a": 2, "b": [3]}),
        (lambda: VECTOR[tf.constant(1)], {"a": 2, "b": [3]}),
        (lambda: VECTOR[:1], [{"a": 1, "b": [1, 2]}]),
        (lambda: VECTOR[::2], [{"a": 1, "b": [1, 2]}]),
        (lambda: VECTOR[0, "b"], [1, 2]),
        (lambda: VECTOR[:, "a"], [1, 2]),
        (lambda: VECTOR[0, "b", 1], 2),
        (lambda: ROWS[0], [{"a": 1, "b": [1, 2]}]),
        (lambda: ROWS[0, 0], {"a": 1, "b": [1, 2]}),
        (lambda: ROWS[0, 0, "a"], 1),
        (lambda: ROWS[:, :, "a"], [[1], [2, 5]]),
        (lambda: ROWS[:, :1], [[{"a": 1, "b": [1, 2]}], [{"a": 2, "b": [3]}]]),
        (lambda: NESTED[:, "x", "y"], [[{"z": 1}, {"z": 2}], [{"z": 3}]]),
        (lambda: NESTED[:, "x", "y", :, "z"], [[1, 2], [3]]),
        (lambda: NESTED[0]["x"]["y"][1]["z"], 2),
        (lambda: BARE[0], {}),
        (lambda: BARE[1:], [{}]),
        (lambda: ROWS.with_updates({"a": None, "b": None})[1:], [[{}, {}]]),
    ],
)
def test_items(item: Callable[[], Any], wanted: Any) -> None:
    assert plain(item()) == wanted


@pytest.mark.parametrize(
    ("item", "error", "text"),
    [
        (lambda: SCALAR[0], ValueError, "without axes"),
        (lambda: SCALAR["q"], KeyError, "q"),
        (lambda: SCALAR["a", 0], tf.errors.InvalidArgumentError, "slice scalar"),
        (lambda: VECTOR["a"], TypeError, "indexed by integers"),
        (lambda: VECTOR[0, 0], ValueError, "a string. Received: 0"),
        (lambda: VECTOR[5], tf.errors.InvalidArgumentError, "out of bounds"),
        (lambda: VECTOR[None], ValueError, "Slicing not supported for tf.newaxis"),
        (lambda: VECTOR[...], ValueError, "Slicing not supported for Ellipsis"),
        (lambda: ROWS[5], IndexError, "out of bounds"),
        (lambda: ROWS[:, 0], ValueError, "inner ragged dimension"),
        (lambda: BARE[5], tf.errors.InvalidArgumentError, "out of bounds"),
        (lambda: NESTED.field_value(("l", "q")), KeyError, "Field path"),
        (lambda: NESTED.field_value("q"), KeyError, "q"),
    ],
)
def test_items_that_are_not_there(
    item: Callable[[], Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        item()


def test_fields_by_path() -> None:
    assert plain(NESTED.field_value(("x", "y", "z"))) == [[1, 2], [3]]
    assert NESTED.field_value(["x"]) is NESTED.field_value("x")
    assert NESTED.field_value(()) is NESTED


# -- fields -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "path", "name", "wanted"),
    [
        (NESTED, ("x", "y"), "n", [[{"z": 1}, {"z": 2}], [{"z": 3}]]),
        (DOCS, ("docs", "tokens"), "n", [[1, 2, 3], [7]]),
        (DOCS, ["docs", "mat"], "n", [[[1, 2], [3, 4]], [[5, 6]]]),
        (S.from_pyval({"d": [{"i": [1, 2]}, {"i": [3]}]}), ("d", "i"), "n", [1, 2, 3]),
        (S.from_pyval([{"d": [{"i": 1}, {"i": 2}]}]), ("d", "i"), "n", [[1, 2]]),
    ],
)
def test_promoted(value: Any, path: Any, name: str, wanted: Any) -> None:
    promoted = value.promote(path, name)
    assert plain(promoted.field_value(name)) == wanted
    assert promoted.shape == value.shape and path[0] in promoted.field_names()


def test_promoted_within_a_field() -> None:
    promoted = NESTED.promote(("x", "y", "z"), "n")
    assert plain(promoted.field_value(("x", "n"))) == [[1, 2], [3]]
    for path, name, text in [
        (("x",), "n", "`source_path` must lead"),
        ("x", "n", "list of field names"),
        (("x", "y"), ("n",), "not a string"),
    ]:
        with pytest.raises(ValueError, match=text):
            NESTED.promote(path, name)


def test_updated() -> None:
    updated = VECTOR.with_updates({"c": [5, 6], "a": lambda a: a + 1, "b": None})
    assert updated.to_pyval() == [{"a": 2, "c": 5}, {"a": 3, "c": 6}]
    below = {("x", "y", "z"): lambda z: z * 10, ("x", "w"): [1, 2], "l": None}
    assert NESTED.with_updates(below).to_pyval() == [
        {"x": {"y": [{"z": 10}, {"z": 20}], "w": 1}},
        {"x": {"y": [{"z": 30}], "w": 2}},
    ]
    bare = VECTOR.with_updates({"a": None, "b": None})
    assert bare.to_pyval() == [{}, {}] and bare.shape == (2,)
    assert VECTOR.with_updates({}).to_pyval() == VECTOR.to_pyval()


@pytest.mark.parametrize(
    ("updates", "text"),
    [
        ({"q": None}, r"cannot delete the field \('q',\)"),
        ({"q": lambda q: q}, "which does not exist"),
        ({"c": 5}, "with_updates` failed: Error in shape of c"),
        ({"c": [1, 2, 3]}, "with_updates` failed"),
        ({("q", "d"): [1, 2]}, r"field \('q',\) is not set"),
        ({("l", "y"): [1, 2]}, "has no fields: expected a StructuredTensor"),
        ({("x", "y", "w"): [1, 2]}, r"failed for field \('x', 'y'\)"),
        ({("x",): None, ("x", "y"): None}, r"both \('x',\) and, inside it, \('x', 'y'\)"),
        ({(): 1}, "does not allow empty names"),
    ],
)
def test_updates_that_cannot_be(updates: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        NESTED.with_updates(updates)
    with pytest.raises(TypeError, match="named by a string"):
        NESTED.with_updates({1: 1})


# -- rows -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "axes", "wanted"),
    [
        (ROWS, (0, 1), [{"a": 1, "b": [1, 2]}, {"a": 2, "b": [3]}, {"a": 5, "b": []}]),
        (ROWS, (-2, -1), [{"a": 1, "b": [1, 2]}, {"a": 2, "b": [3]}, {"a": 5, "b": []}]),
        (DEEP, (0, 1), [[{"a": 1}], [{"a": 2}, {"a": 3}], [{"a": 4}]]),
        (DEEP, (1, 2), [[{"a": 1}, {"a": 2}, {"a": 3}], [{"a": 4}]]),
        (DEEP, (0, 2), [{"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}]),
        (EVEN, (0, 1), [{"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}]),
        (S.from_shape(D.from_lengths([2, (1, 2)])), (0, 1), [{}, {}, {}]),
    ],
)
def test_merged_axes(value: Any, axes: tuple[int, int], wanted: Any) -> None:
    merged = value.merge_dims(*axes)
    assert merged.to_pyval() == wanted
    assert merged.rank == value.rank - (axes[1] - axes[0])
    assert value.merge_dims(0, 0) is value


def test_axes_that_are_not_merged() -> None:
    with pytest.raises(ValueError, match=r"outer_axis=1, inner_axis=0"):
        ROWS.merge_dims(1, 0)
    with pytest.raises(ValueError, match="inner_axis=2 out of bounds"):
        ROWS.merge_dims(0, 2)


@pytest.mark.parametrize("value", [VECTOR, ROWS, NESTED, BARE])
@pytest.mark.parametrize("rows", [P.from_row_lengths([2, 0]), P.from_uniform_row_length(1, 2)])
def test_parted_and_merged_again(value: Any, rows: Any) -> None:
    parted = value.partition_outer_dimension(rows)
    items = value.to_pyval()
    splits = rows.row_splits().numpy().tolist()
    assert parted.to_pyval() == [items[a:b] for a, b in pairwise(splits)]
    assert repr(parted.row_partitions[0]) == repr(rows)
    assert parted.merge_dims(0, 1).to_pyval() == items


def test_parted_into_even_rows_stay_tensors() -> None:
    parted = VECTOR.partition_outer_dimension(P.from_uniform_row_length(2, 2))
    assert parted.field_value("a").numpy().tolist() == [[1, 2]]
    assert parted.shape == (1, 2)


@pytest.mark.parametrize(
    ("value", "rows", "error", "text"),
    [
        (VECTOR, P.from_row_lengths([2, 1]), tf.errors.InvalidArgumentError, "one value for each"),
        (VECTOR, 5, TypeError, "must be a RowPartition"),
        (SCALAR, P.from_row_lengths([1]), ValueError, "rank at least 1"),
        (VECTOR, P.from_row_lengths([1, 1], dtype=tf.int32), ValueError, "dtype tf.int32"),
    ],
)
def test_rows_that_do_not_fit(value: Any, rows: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        value.partition_outer_dimension(rows)


# -- as an object -----------------------------------------------------------------------------


def test_shown() -> None:
    assert repr(SCALAR) == (
        "<StructuredTensor(\n"
        "    fields={\n"
        '        "a": tf.Tensor(1, shape=(), dtype=int32),\n'
        '        "b": tf.Tensor([1 2], shape=(2,), dtype=int32)},\n'
        "    shape=())>"
    )
    assert repr(NESTED[:1]) == (
        "<StructuredTensor(\n"
        "    fields={\n"
        "        \"l\": tf.Tensor([b'a'], shape=(1,), dtype=string),\n"
        '        "x": <StructuredTensor(\n'
        "                fields={\n"
        '                    "y": <StructuredTensor(\n'
        "                            fields={\n"
        '                                "z": <tf.RaggedTensor [[1, 2]]>},\n'
        "                            shape=(1, None))>},\n"
        "                shape=(1,))>},\n"
        "    shape=(1,))>"
    )
    assert repr(EVEN) == (
        "<StructuredTensor(\n"
        "    fields={\n"
        '        "a": tf.Tensor(\n'
        "            [[1 2]\n"
        "             [3 4]], shape=(2, 2), dtype=int32)},\n"
        "    shape=(2, 2))>"
    )
    assert repr(BARE) == "<StructuredTensor(\n    fields={\n        },\n    shape=(2,))>"


def test_specs() -> None:
    spec = VECTOR._type_spec
    assert repr(spec) == (
        "StructuredTensor.Spec(_fields={'a': TensorSpec(shape=(2,), dtype=tf.int32, name=None), "
        "'b': RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)}, "
        "_ragged_shape=DynamicRaggedShape.Spec(row_partitions=(), "
        "static_inner_shape=TensorShape([2]), dtype=tf.int64))"
    )
    assert spec == S.Spec.from_value(VECTOR) == pickle.loads(pickle.dumps(spec))
    assert (spec.shape, spec.rank, spec.value_type) == ((2,), 1, S)
    assert spec.is_subtype_of(VECTOR_SPEC) and not spec.is_compatible_with(ROWS)
    longer = S.from_pyval([[{"a": 1, "b": [1]}], [{"a": 2, "b": []}] * 4])
    common = ROWS._type_spec.most_specific_common_supertype([longer._type_spec])
    assert common.shape.as_list() == [2, None] and common.is_subtype_of(ROWS_SPEC)
    with pytest.raises(TypeError, match="_fields"):
        S.Spec({"a": 1}, D.Spec((), [2], tf.int64))


def test_compared_and_copied() -> None:
    same = S.from_pyval(VECTOR.to_pyval())
    other = VECTOR.with_updates({"a": [1, 3]})
    assert bool(same == VECTOR) and not bool(same != VECTOR)
    assert not bool(same == other) and bool(same != other)
    assert (same == ROWS) is False and (same == 1) is False
    assert copy.deepcopy(VECTOR).to_pyval() == VECTOR.to_pyval()
    with pytest.raises(AttributeError, match="Cannot mutate"):
        VECTOR.other = 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(VECTOR)
    assert not tf.is_tensor(VECTOR) and not tf.is_tensor(D.from_lengths([2]))


def test_taken_apart() -> None:
    parts = tf.nest.flatten(ROWS, expand_composites=True)
    assert [part.numpy().tolist() for part in parts] == [
        *([1, 2, 5], [0, 1, 3], [1, 2, 3], [0, 1, 3], [0, 2, 3, 3]),
        *([3], [0, 1, 3]),
    ]
    again = tf.nest.pack_sequence_as(ROWS, parts, expand_composites=True)
    assert again.to_pyval() == ROWS.to_pyval()
    assert tf.nest.flatten([VECTOR]) == [VECTOR]
    with pytest.raises(ValueError, match="structures differ"):
        tf.nest.assert_same_structure(VECTOR, ROWS, expand_composites=True)
    assert plain(C([[1]])) == [[1]]
