"""Static shapes: construction, partial knowledge, and the laws of merging and broadcasting."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeflow._src.core.shape import (
    _SHAPES,
    Dimension,
    TensorShape,
    as_dims,
    as_shape,
    broadcast_shapes,
    unknown_shape,
)

UNKNOWN = TensorShape(None)

sizes = st.one_of(st.none(), st.integers(0, 3))
dims = st.one_of(st.none(), st.lists(sizes, max_size=3).map(tuple))
shapes = dims.map(TensorShape)


class Index:
    def __index__(self):
        return 4


@pytest.mark.parametrize(
    ("given_dims", "text"),
    [
        ([2, None], "TensorShape([2, None])"),
        (None, "TensorShape(None)"),
        ([], "TensorShape([])"),
        ((), "TensorShape([])"),
        (3, "TensorShape([3])"),
        ((i for i in (1, 2)), "TensorShape([1, 2])"),
        (range(3), "TensorShape([0, 1, 2])"),
        (TensorShape([1]), "TensorShape([1])"),
        (np.array([1, 2]), "TensorShape([1, 2])"),
        (np.array(3), "TensorShape([3])"),
        (np.int64(3), "TensorShape([3])"),
        ([np.int64(3)], "TensorShape([3])"),
        ([Index()], "TensorShape([4])"),
        (Index(), "TensorShape([4])"),
        (Dimension(3), "TensorShape([3])"),
        ([Dimension(3), Dimension(None)], "TensorShape([3, None])"),
        ([2**70], f"TensorShape([{2**70}])"),
    ],
)
def test_construction(given_dims, text):
    assert repr(TensorShape(given_dims)) == text


def test_sizes_become_plain_ints():
    for size in (np.int64(3), True, Index()):
        assert type(TensorShape([size])[0]) is int


def test_shapes_made_from_tuples_are_shared_and_checked():
    shape = TensorShape._from_tuple((np.int64(977), None))
    assert TensorShape._from_tuple((977, None)) is shape
    assert repr(shape) == "TensorShape([977, None])"
    assert TensorShape._from_tuple(None) == UNKNOWN
    with pytest.raises(ValueError, match="must be >= 0"):
        TensorShape._from_tuple((-1,))


def test_shared_shapes_do_not_pile_up():
    shapes = [TensorShape._from_tuple((i, 31)) for i in range(10_000)]
    assert [shape[0] for shape in shapes] == list(range(10_000))
    assert len(_SHAPES) <= 4096


@pytest.mark.parametrize("wrong", [[-1], -1, [2, -3]], ids=repr)
def test_negative_sizes(wrong):
    with pytest.raises(ValueError, match=r"Dimension -\d must be >= 0"):
        TensorShape(wrong)


@pytest.mark.parametrize(
    "wrong",
    ["abc", ["1"], [1.0], 1.5, [2.0, None], [[1]], object(), [np.float32(2)], [np.bool_(True)]],
)
def test_no_sizes(wrong):
    with pytest.raises(TypeError, match="must be an int"):
        TensorShape(wrong)


def test_text():
    assert str(TensorShape([2, None])) == "(2, None)"
    assert str(TensorShape([2])) == "(2,)"
    assert str(TensorShape([])) == "()"
    assert str(UNKNOWN) == "<unknown>"


def test_what_is_known():
    shape = TensorShape([2, 3])
    assert (shape.rank, shape.ndims, len(shape)) == (2, 2, 2)
    assert shape.as_list() == list(shape) == [2, 3]
    assert shape.num_elements() == 6 and TensorShape([]).num_elements() == 1
    assert shape.is_fully_defined() and not TensorShape([None]).is_fully_defined()
    assert TensorShape([0, None]).num_elements() is None
    assert [d.value for d in TensorShape([1, None]).dims] == [1, None]
    shape.assert_is_fully_defined()
    with pytest.raises(ValueError, match=r"Shape \(None,\) is not fully defined"):
        TensorShape([None]).assert_is_fully_defined()


def test_unknown_rank():
    assert UNKNOWN.rank is UNKNOWN.ndims is UNKNOWN.dims is UNKNOWN.num_elements() is None
    assert not UNKNOWN.is_fully_defined()
    for call in (len, iter, list, TensorShape.as_list, TensorShape.assert_is_fully_defined):
        with pytest.raises(ValueError):
            call(UNKNOWN)


def test_a_shape_is_true_if_its_rank_is_known():
    assert not UNKNOWN
    assert TensorShape([]) and TensorShape([0])


def test_indexing():
    shape = TensorShape([1, None, 3])
    assert (shape[0], shape[1], shape[-1], shape[np.int32(2)]) == (1, None, 3, 3)
    assert repr(shape[1:]) == "TensorShape([None, 3])"
    assert repr(shape[::-1]) == "TensorShape([3, None, 1])"
    assert list(reversed(shape)) == [3, None, 1]
    assert 3 in shape and 2 not in shape
    with pytest.raises(IndexError):
        shape[5]
    with pytest.raises(TypeError):
        shape["a"]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (slice(None, 2), [None, None]),
        (slice(1, 3), [None, None]),
        (slice(2, 1), []),
        (slice(0, 0), []),
        (slice(1, None), None),
        (slice(None), None),
        (slice(-2, None), None),
        (slice(None, -1), None),
        (slice(-1, 2), None),
    ],
    ids=repr,
)
def test_slices_of_unknown_rank(key, expected):
    assert UNKNOWN[key] == TensorShape(expected)
    assert UNKNOWN[0] is UNKNOWN[-1] is None


def test_steps_need_a_known_rank():
    with pytest.raises(ValueError, match="step"):
        UNKNOWN[::2]


def test_works_as_a_numpy_shape():
    assert np.zeros(TensorShape([1, 2])).shape == (1, 2)
    assert np.array(TensorShape([1, 2])).tolist() == [1, 2]


def test_concatenation():
    shape = TensorShape([1])
    for both in (
        shape + [2],
        shape + (2,),
        shape + 2,
        shape + np.array([2]),
        shape + shape[:0] + 2,
    ):
        assert both == [1, 2]
    assert [2] + shape == (2,) + shape == 2 + shape == [2, 1]
    assert (2, None) + shape == [2, None, 1]
    for unknown in (shape + None, None + shape, UNKNOWN + [1], [1] + UNKNOWN):
        assert unknown == UNKNOWN
    assert shape.concatenate(3) == [1, 3]
    with pytest.raises(TypeError):
        shape + "a"


def test_ranks():
    shape = TensorShape([1, 2])
    assert shape.with_rank(2) == shape.with_rank(None) == shape
    assert UNKNOWN.with_rank(2) == [None, None]
    assert shape.with_rank_at_least(2) is shape.with_rank_at_most(2) is shape
    assert UNKNOWN.with_rank_at_least(3) is UNKNOWN.with_rank_at_most(3) is UNKNOWN
    for call in (shape.assert_has_rank, shape.with_rank):
        call(2)
        with pytest.raises(ValueError, match=r"Shape \(1, 2\) must have rank 3"):
            call(3)
    with pytest.raises(ValueError, match=r"Shape \(1, 2\) must have rank at least 3"):
        shape.with_rank_at_least(3)
    with pytest.raises(ValueError, match=r"Shape \(1, 2\) must have rank at most 1"):
        shape.with_rank_at_most(1)
    UNKNOWN.assert_has_rank(7)
    shape.assert_same_rank([3, 4])
    shape.assert_same_rank(None)
    with pytest.raises(ValueError, match=r"Shapes \(1, 2\) and \(3,\) must have the same rank"):
        shape.assert_same_rank([3])


def test_merging():
    assert TensorShape([1, None]).merge_with([None, 2]) == [1, 2]
    assert UNKNOWN.merge_with([1]) == TensorShape([1]).merge_with(None) == [1]
    for other in ([2], [1, 2]):
        with pytest.raises(ValueError, match="are not compatible"):
            TensorShape([1]).merge_with(other)


def test_compatibility():
    shape = TensorShape([1])
    assert shape.is_compatible_with([None]) and shape.is_compatible_with(None)
    assert shape.is_compatible_with(1) and UNKNOWN.is_compatible_with([1, 2])
    assert not shape.is_compatible_with([1, 2])
    shape.assert_is_compatible_with([1])
    with pytest.raises(ValueError, match=r"Shapes \(1,\) and \[2\] are incompatible"):
        shape.assert_is_compatible_with([2])
    with pytest.raises(TypeError):
        shape.is_compatible_with("a")


def test_subtypes():
    known, partial = TensorShape([1]), TensorShape([None])
    assert known.is_subtype_of(partial) and partial.is_subtype_of(UNKNOWN)
    assert UNKNOWN.is_subtype_of(UNKNOWN)
    assert not partial.is_subtype_of(known) and not UNKNOWN.is_subtype_of(known)
    assert not known.is_subtype_of(TensorShape([1, 2])) and not known.is_subtype_of([1])


def test_common_supertypes():
    shape = TensorShape([1, 2])
    assert shape.most_specific_compatible_shape([1, 3]) == [1, None]
    assert shape.most_specific_compatible_shape([1]) == UNKNOWN
    assert shape.most_specific_common_supertype([TensorShape([1, 3]), TensorShape([2, 2])]) == [
        None,
        None,
    ]
    assert shape.most_specific_common_supertype([]) == shape
    assert shape.most_specific_common_supertype([UNKNOWN]) == UNKNOWN
    assert shape.most_specific_common_supertype([[1, 2]]) is None


def test_equality():
    shape = TensorShape([1, None])
    assert shape == [1, None] and shape == (1, None) and shape == TensorShape([1, None])
    assert shape != [1, 2] and shape != TensorShape([1])
    assert TensorShape(None) == UNKNOWN and UNKNOWN == None  # noqa: E711
    assert UNKNOWN != [1] and TensorShape([1]) != None  # noqa: E711
    assert TensorShape([1]) == 1 and TensorShape([1]) == np.array([1])
    for other in ("a", "1", 1.0, [1.0], [[1]], object()):
        assert TensorShape([1]) != other
    with pytest.raises(ValueError, match="must be >= 0"):
        _ = TensorShape([1]) == [-1]
    assert hash(TensorShape([1, 2])) == hash((1, 2)) == hash(TensorShape([1, 2]))


@given(shapes)
def test_copies_are_equal(shape):
    assert pickle.loads(pickle.dumps(shape)) == copy.deepcopy(shape) == shape == as_shape(shape)
    assert as_shape(shape) is shape
    assert TensorShape._from_tuple(as_dims(shape)) == shape


@given(shapes, shapes)
def test_laws_of_partial_shapes(a, b):
    assert a.is_compatible_with(b) == b.is_compatible_with(a)
    above = a.most_specific_common_supertype([b])
    assert a.is_subtype_of(above) and b.is_subtype_of(above)
    if a.is_compatible_with(b):
        both = a.merge_with(b)
        assert both == b.merge_with(a)
        assert both.is_subtype_of(a) and both.is_subtype_of(b)
    else:
        with pytest.raises(ValueError):
            a.merge_with(b)


def test_unknown_shape():
    assert unknown_shape() == UNKNOWN
    assert unknown_shape(2) == [None, None]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((2, None), (3,), (2, 3)),
        ((2, None), (1,), (2, None)),
        ((None,), (None,), (None,)),
        (None, (2,), None),
        (None, None, None),
        ((2, 1), (1, 3), (2, 3)),
        ((0,), (1,), (0,)),
        ((2, 3), (4, 1, 1), (4, 2, 3)),
        ((None,), (0,), (None,)),
        ((), (2,), (2,)),
        ((), (), ()),
    ],
)
def test_broadcasting(a, b, expected):
    assert broadcast_shapes(a, b) == broadcast_shapes(b, a) == expected


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ((2,), (3,), r"Incompatible shapes: \[2\] vs. \[3\]"),
        ((0,), (2,), r"Incompatible shapes: \[0\] vs. \[2\]"),
        ((2, None, 4), (5, 3), r"Incompatible shapes: \[2,\?,4\] vs. \[5,3\]"),
    ],
)
def test_not_broadcastable(a, b, message):
    with pytest.raises(ValueError, match=message):
        broadcast_shapes(a, b)


@given(dims, dims)
def test_broadcasting_agrees_with_numpy(a, b):
    known = a is not None and b is not None and None not in a + b
    try:
        result = broadcast_shapes(a, b)
    except ValueError:
        if known:
            with pytest.raises(ValueError):
                np.broadcast_shapes(a, b)
        return
    if known:
        assert result == np.broadcast_shapes(a, b)
