"""Trace types: which values share a trace, which type serves which, and the way to tensors."""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import gc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tapeflow as tf
from tapeflow._src.core.trace_type import CastContext, PlaceholderContext, TracingContext
from tapeflow._src.function.keys import gather
from tapeflow._src.function.trace_types import Dict, List, Literal, Record, Tuple, Weakref
from tapeflow._src.function.value_types import from_value
from tapeflow._src.function.variable_type import VariableSpec

Point = collections.namedtuple("Point", "x y")


class Thing:
    def method(self):
        return 1


class Color(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    LOW = 1


class Unhashable:
    __hash__ = None


class Equal:
    def __eq__(self, other):
        return isinstance(other, Equal)

    def __hash__(self):
        return 1


class Slotted:
    __slots__ = ()


@dataclasses.dataclass
class Pair:
    a: int = 1


@dataclasses.dataclass(frozen=True)
class FrozenPair:
    a: int = 1


class Field:
    def __init__(self, name):
        self.name = name


class AttrsLike:
    __attrs_attrs__ = (Field("x"), Field("y"))

    def __init__(self, x, y):
        self.x, self.y = x, y


class Masked:
    def __init__(self, mask, values):
        self.mask, self.values = mask, values

    def __tf_flatten__(self):
        return (self.mask,), (self.values,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(*metadata, *components)


THING = Thing()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (tf.constant([1.0, 2.0]), "TensorSpec(shape=(2,), dtype=tf.float32, name=None)"),
        (1, "Literal[1]"),
        (True, "Literal[True]"),
        (1.5, "Literal[1.5]"),
        (1j, "Literal[1j]"),
        (None, "Literal[None]"),
        (..., "Literal[Ellipsis]"),
        ("a", "Literal['a']"),
        (b"a", "Literal[b'a']"),
        (range(3), "Literal[range(0, 3)]"),
        (np.dtype("float32"), "Literal[dtype('float32')]"),
        (np.zeros((2, 3), np.float32), "TensorSpec(shape=(2, 3), dtype=tf.float32, name=None)"),
        (np.float64(3), "TensorSpec(shape=(), dtype=tf.float64, name=None)"),
        (np.bool_(True), "TensorSpec(shape=(), dtype=tf.bool, name=None)"),
        (np.array(["a"]), "TensorSpec(shape=(1,), dtype=tf.string, name=None)"),
        ([1, "a"], "List[Literal[1], Literal['a']]"),
        ((1, 2), "Tuple[Literal[1], Literal[2]]"),
        (Point(1, 2), "Point[['x', Literal[1]], ['y', Literal[2]]]"),
        ({"b": 1, "a": 2}, "Dict[['b', Literal[1]], ['a', Literal[2]]]"),
        (collections.OrderedDict(b=1), "Dict[['b', Literal[1]]]"),
        (AttrsLike(1, 2), "AttrsLike[['x', Literal[1]], ['y', Literal[2]]]"),
        (
            tf.ragged.constant([[1], [2, 3]]),
            "RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)",
        ),
        (
            tf.SparseTensor([[0, 1]], [1], [1, 2]),
            "SparseTensorSpec(TensorShape([1, 2]), tf.int32)",
        ),
        (
            tf.Variable(1.0),
            "VariableSpec(shape=(), dtype=tf.float32, trainable=True, alias_id=0)",
        ),
        (tf.TensorSpec([2]), "TensorSpec(shape=(2,), dtype=tf.float32, name=None)"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_text(value, text):
    assert repr(from_value(value)) == text


@pytest.mark.parametrize(
    "value",
    [
        Color.RED,
        THING,
        Thing,
        len,
        functools.partial(len),
        frozenset([1]),
        tf.float32,
        THING.method,
    ],
    ids=lambda value: type(value).__name__,
)
def test_objects_are_known_by_reference(value):
    type_ = from_value(value)
    assert isinstance(type_, Weakref)
    assert type_ == from_value(value)
    assert hash(type_) == hash(from_value(value))
    assert type_.placeholder_value(PlaceholderContext()) == value


@pytest.mark.parametrize("value", [Level.LOW, Slotted()], ids=["IntEnum", "slots"])
def test_objects_without_weak_references_are_literals(value):
    assert isinstance(from_value(value), Literal)


@pytest.mark.parametrize(
    "value",
    [{1}, Pair(), Unhashable(), bytearray(b"x"), {"a": 1}.keys(), [{1}]],
    ids=["set", "dataclass", "unhashable", "bytearray", "keys", "nested"],
)
def test_what_cannot_be_hashed_is_refused(value):
    with pytest.raises(TypeError, match=r"cannot be an argument of tf\.function"):
        from_value(value)


VALUES = [
    1,
    True,
    1.0,
    "1",
    b"1",
    None,
    (1,),
    [1],
    {"a": 1},
    {"a": 2},
    Point(1, 2),
    tf.constant(1),
    tf.constant(1.0),
    tf.constant([1.0]),
    tf.Variable(1.0),
    tf.Variable(1.0, trainable=False),
    THING,
    Thing,
    tf.float32,
    np.float32,
    FrozenPair(1),
]


def test_different_values_have_different_types():
    types = [from_value(value) for value in VALUES]
    assert len(set(types)) == len(types)
    for i, a in enumerate(types):
        for j, b in enumerate(types):
            assert (a == b) == a.is_subtype_of(b) == (i == j)
            assert (a.most_specific_common_supertype([b]) is not None) >= (i == j)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (float("nan"), float("nan")),
        (0.0, -0.0),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": 1}, collections.OrderedDict(a=1)),
        ({"a": 1}, collections.defaultdict(int, a=1)),
        (Equal(), Equal()),
        (FrozenPair(2), FrozenPair(2)),
        (THING.method, THING.method),
        (np.float32(1), np.float32(2)),
        (np.float32(1), tf.constant(2.0)),
        (tf.Variable(1.0), tf.Variable(2.0)),
        (Masked(True, 1), Masked(True, 1)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_equal_types(a, b):
    one, other = from_value(a), from_value(b)
    assert one == other
    assert hash(one) == hash(other)
    assert one.is_subtype_of(other)


def test_the_same_variable_twice_is_not_two_variables():
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    twice, two = from_value([v, v]), from_value([v, w])
    assert twice != two
    assert twice == from_value([w, w])
    assert two == from_value([w, v])


def test_an_object_that_died_equals_nothing_but_itself():
    types = []
    for _ in range(20):  # addresses are used again
        types.append(from_value(Thing()))
        gc.collect()
    assert all(t.dead for t in types)
    assert all((a == b) == (a is b) for a in types for b in types)
    assert len(set(types)) == 20
    with pytest.raises(TypeError, match="no longer alive"):
        types[0].placeholder_value(PlaceholderContext())


def test_the_death_of_an_object_is_told():
    told = []
    thing = Thing()
    type_ = from_value(thing, TracingContext(told.append))
    assert not told
    del thing
    gc.collect()
    assert len(told) == 1
    assert type_.dead


def test_supertypes():
    a, b = from_value({"x": tf.zeros([1]), "n": 1}), from_value({"x": tf.zeros([2]), "n": 1})
    common = a.most_specific_common_supertype([b])
    assert repr(common) == (
        "Dict[['x', TensorSpec(shape=(None,), dtype=tf.float32, name=None)], ['n', Literal[1]]]"
    )
    assert a.is_subtype_of(common)
    assert b.is_subtype_of(common)
    assert not common.is_subtype_of(a)
    assert a.most_specific_common_supertype([from_value({"x": tf.zeros([2]), "n": 2})]) is None
    assert a.most_specific_common_supertype([from_value([1])]) is None


def test_a_type_of_ones_own():
    class Fruit(tf.types.experimental.TraceType):
        def __init__(self, name):
            self.name = name

        def is_subtype_of(self, other):
            return self == other

        def most_specific_common_supertype(self, others):
            return self if all(self == other for other in others) else None

        def placeholder_value(self, placeholder_context=None):
            return Basket(self.name)

        def __eq__(self, other):
            return isinstance(other, Fruit) and self.name == other.name

        def __hash__(self):
            return hash(self.name)

    class Basket:
        def __init__(self, name):
            self.name = name

        def __tf_tracing_type__(self, context):
            return Fruit(self.name)

    apple = from_value(Basket("apple"))
    assert apple == Fruit("apple") != from_value(Basket("pear"))
    assert isinstance(Basket("a"), tf.types.experimental.SupportsTracingProtocol)
    assert apple.flatten() == apple.to_tensors(Basket("apple")) == []
    assert apple.from_tensors(iter(())).name == "apple"
    basket = Basket("apple")
    assert apple.cast(basket, None) is basket
    with pytest.raises(TypeError, match="Cannot convert"):
        apple.cast(Basket("pear"), None)
    with pytest.raises(TypeError, match="Cannot convert 3"):
        apple.cast(3, None)


def test_a_type_of_ones_own_must_be_one():
    class Wrong:
        def __tf_tracing_type__(self, context):
            return 3

    with pytest.raises(TypeError, match="must return a TraceType, received"):
        from_value(Wrong())


leaves = st.one_of(
    st.integers(-2, 2),
    st.booleans(),
    st.sampled_from(["a", "b", None]),
    st.builds(lambda n: tf.zeros([n]), st.integers(0, 3)),
    st.builds(lambda n: np.ones(n, np.int32), st.integers(0, 3)),
)
structures = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.sampled_from("cab"), inner, max_size=3),
        st.builds(Point, inner, inner),
        st.builds(AttrsLike, inner, inner),
        st.builds(Masked, st.booleans(), inner),
    ),
    max_leaves=6,
)


@given(structures)
def test_a_value_goes_to_tensors_and_back(value):
    type_ = from_value(value)
    tensors = type_.to_tensors(value)
    assert [from_value(t) for t in tensors] == type_.flatten()
    back = type_.from_tensors(iter(tensors))
    assert from_value(back) == type_
    assert all(a is b for a, b in zip(type_.to_tensors(back), tensors, strict=True))
    assert from_value(type_.cast(value, CastContext())) == type_


@given(structures, structures)
def test_keys_agree_with_types(a, b):
    """Equal keys have equal types, and the tensors come in the order of the type."""

    def key_and_tensors(value):
        key, flat = [], []
        gather([value], key, flat)
        return tuple(key), flat

    (key_a, flat_a), (key_b, _) = key_and_tensors(a), key_and_tensors(b)
    if key_a == key_b:
        assert from_value(a) == from_value(b)
    assert [from_value(t) for t in flat_a] == from_value(a).flatten()
    again, _ = key_and_tensors(a)
    assert again == key_a


@given(structures, structures)
def test_the_order_of_types(a, b):
    one, other = from_value(a), from_value(b)
    if one == other:
        assert one.is_subtype_of(other)
        assert hash(one) == hash(other)
    common = one.most_specific_common_supertype([other])
    if common is not None:
        assert one.is_subtype_of(common)
        assert other.is_subtype_of(common)


def test_placeholders_are_made_in_the_order_of_the_tensors():
    made = []

    def make(dtype, dims, name):
        made.append((dtype, dims, name))
        return tf.zeros([n or 1 for n in dims], dtype)

    context = PlaceholderContext(make, "d")
    value = {"b": tf.zeros([2]), "a": [tf.zeros([3]), 7]}
    stand_in = from_value(value).placeholder_value(context)
    assert made == [(tf.float32, (3,), "d"), (tf.float32, (2,), "d")]
    assert list(stand_in) == ["b", "a"]
    assert stand_in["a"][1] == 7


def test_a_placeholder_needs_a_trace():
    with pytest.raises(ValueError, match="while a function is traced"):
        tf.TensorSpec([2]).placeholder_value(PlaceholderContext())


@pytest.mark.parametrize(
    ("like", "made"),
    [
        (collections.OrderedDict(b=1, a=2), collections.OrderedDict(b=1, a=2)),
        (collections.defaultdict(int, b=1), {"b": 1}),
        (type("L", (list,), {})([1]), [1]),
        (type("T", (tuple,), {})([1]), (1,)),
    ],
    ids=["OrderedDict", "defaultdict", "list subclass", "tuple subclass"],
)
def test_the_class_of_the_stand_in(like, made):
    value = from_value(like).placeholder_value(PlaceholderContext())
    assert value == made
    assert type(value) is type(made)


class TestCast:
    def test_tensors_are_converted_as_the_spec_says(self):
        spec = tf.TensorSpec([None], tf.float32)
        assert spec.cast([1, 2], None).dtype is tf.float32
        assert spec.cast(np.ones(3), None).dtype is tf.float32
        assert spec.cast(tf.Variable([1.0]), None).numpy() == [1.0]
        assert tf.TensorSpec([], tf.int32).cast(np.float32(1.5), None).numpy() == 1

    @pytest.mark.parametrize("value", [tf.constant([[1.0]]), tf.constant([1])])
    def test_tensors_that_do_not_fit(self, value):
        with pytest.raises(TypeError, match=r"Cannot convert TensorSpec\(shape="):
            tf.TensorSpec([None], tf.float32).cast(value, None)

    def test_specs_stand_for_values_where_they_may(self):
        spec = tf.TensorSpec([None])
        given = tf.TensorSpec([3])
        assert spec.cast(given, CastContext(allow_specs=True)) is given
        with pytest.raises(TypeError, match="Cannot convert"):
            spec.cast(tf.TensorSpec(None), CastContext(allow_specs=True))

    @pytest.mark.parametrize(
        ("type_", "value", "message"),
        [
            (Literal(3), 4, r"Cannot convert 4 to Literal\[3\]"),
            (Literal(1), True, r"Cannot convert True to Literal\[1\]"),
            (List([Literal(1)]), (1,), r"Cannot convert \(1,\) to list type."),
            (List([Literal(1)]), [1, 1], "Expected 1 values"),
            (Tuple([Literal(1)]), [1], r"Cannot convert \[1\] to tuple type."),
            (Dict({"a": Literal(1)}), {"b": 1}, "has different keys with the TraceType"),
            (Dict({"a": Literal(1)}), [1], "Expected a dict, received"),
            (Record(Point, "xy", [Literal(1), Literal(2)]), (1, 2), "to type Point"),
            (from_value(len), print, "Cannot convert"),
            (VariableSpec([]), 1.0, "Cannot convert 1.0 to VariableSpec"),
            (tf.RaggedTensorSpec([None, None]), tf.zeros([1, 1]), "Cannot convert"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_what_does_not_fit(self, type_, value, message):
        with pytest.raises(TypeError, match=message):
            type_.cast(value, CastContext())
