"""Nested structures: the walks agree with each other, and with TensorFlow on each container."""

from __future__ import annotations

import collections
import dataclasses
import types
from collections import OrderedDict, UserDict, defaultdict, deque, namedtuple
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeflow._src.core import containers, nest

Point = namedtuple("Point", "x y")
Pair = namedtuple("Pair", "x y")
SamePoint = namedtuple("Point", "x y")


class SubPoint(Point):
    """A named tuple by inheritance."""


class MyList(list):  # type: ignore[type-arg]
    """A list by inheritance."""


class MyTuple(tuple):  # type: ignore[type-arg]
    """A tuple by inheritance."""


class Frozen(collections.abc.Mapping):  # type: ignore[type-arg]
    """A mapping that cannot be assigned to."""

    def __init__(self, items: Any) -> None:
        self._items = dict(items)

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __iter__(self) -> Any:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"Frozen({self._items})"


class Attrs:
    """What the attrs library makes of a class with the fields `b` and `a`."""

    __attrs_attrs__ = (types.SimpleNamespace(name="b"), types.SimpleNamespace(name="a"))

    def __init__(self, b: Any, a: Any) -> None:
        self.b, self.a = b, a

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Attrs) and (self.b, self.a) == (other.b, other.a)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Attrs({self.b!r}, {self.a!r})"


@dataclasses.dataclass
class Plain:
    a: Any


@dataclasses.dataclass
class Masked:
    mask: bool
    value: Any

    def __tf_flatten__(self) -> tuple[Any, Any]:
        return (self.mask,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata: Any, components: Any) -> Masked:
        return cls(metadata[0], components[0])


@dataclasses.dataclass
class Ragged:
    """Stands for a composite tensor."""

    values: Any
    splits: Any
    rank: int = 2


class SubRagged(Ragged):
    """A composite by inheritance."""


nest.register_composite(
    Ragged,
    lambda ragged: [ragged.values, ragged.splits],
    lambda like, components: type(like)(*components, like.rank),
    lambda first, second: type(first) is type(second) and first.rank == second.rank,
)


# -- which types are containers, in which order, and what they become


CONTAINERS = [
    ([1, [2]], [1, 2], [10, [20]]),
    ((1, (2,)), [1, 2], (10, (20,))),
    (Point(1, [2]), [1, 2], Point(10, [20])),
    (SubPoint(1, 2), [1, 2], SubPoint(10, 20)),
    (MyList([1, 2]), [1, 2], MyList([10, 20])),
    (MyTuple([1, 2]), [1, 2], MyTuple([10, 20])),
    ({"b": 1, "a": 2}, [2, 1], {"b": 10, "a": 20}),
    ({10: 1, 2: 2}, [2, 1], {10: 10, 2: 20}),
    (OrderedDict(b=1, a=2), [2, 1], OrderedDict(b=10, a=20)),
    (defaultdict(list, b=1, a=2), [2, 1], defaultdict(list, b=10, a=20)),
    (UserDict(b=1, a=2), [2, 1], UserDict(b=10, a=20)),
    (Frozen({"b": 1, "a": 2}), [2, 1], Frozen({"b": 10, "a": 20})),
    ({"b": 1, "a": 2}.values(), [1, 2], [10, 20]),
    ({1: 0, 2: 0}.keys(), [1, 2], [10, 20]),
    ({1: 2}.items(), [1, 2], [(10, 20)]),
    (range(1, 3), [1, 2], [10, 20]),
    (deque([1, 2]), [1, 2], deque([10, 20])),
    (Attrs(1, 2), [1, 2], Attrs(10, 20)),
    (Masked(True, [1, 2]), [1, 2], Masked(True, [10, 20])),
    ([], [], []),
    ((), [], ()),
    ({}, [], {}),
    ([[], (), {}], [], [[], (), {}]),
]


@pytest.mark.parametrize(("structure", "leaves", "tenfold"), CONTAINERS, ids=repr)
def test_containers(structure: Any, leaves: list[Any], tenfold: Any) -> None:
    assert nest.is_nested(structure)
    assert nest.flatten(structure) == leaves
    mapped = nest.map_structure(lambda leaf: leaf * 10, structure)
    assert mapped == tenfold
    assert type(mapped) is type(tenfold)
    packed = nest.pack_sequence_as(structure, [leaf * 10 for leaf in leaves])
    assert packed == tenfold
    assert type(packed) is type(tenfold)


def test_the_original_order_of_keys_is_preserved() -> None:
    for make in (dict, OrderedDict, UserDict, Frozen):
        structure = make([("b", 1), ("c", 2), ("a", 3)])
        assert list(nest.map_structure(str, structure)) == ["b", "c", "a"]


def test_a_default_factory_is_preserved() -> None:
    packed = nest.pack_sequence_as(defaultdict(list, {"a": 0}), [7])
    assert packed["missing"] == []


LEAVES = [
    3,
    None,
    "ab",
    b"ab",
    {1, 2},
    frozenset([1]),
    Plain([1]),
    int,
    Point,
    Masked,
    types.SimpleNamespace(a=1),
    (i for i in range(3)),
    Ragged([1], [0, 1]),
]


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: type(leaf).__name__)
def test_leaves(leaf: Any) -> None:
    assert not nest.is_nested(leaf)
    (same,) = nest.flatten(leaf)
    assert same is leaf
    assert nest.map_structure(lambda x: (x,), leaf) == (leaf,)
    assert nest.pack_sequence_as(leaf, [5]) == 5
    assert nest.flatten_with_tuple_paths(leaf) == [((), leaf)]


# -- laws


structures = st.recursive(
    st.integers() | st.none() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=2), inner, max_size=4)
        | st.builds(Point, inner, inner)
        | st.builds(Masked, st.booleans(), inner)
    ),
    max_leaves=20,
)


@given(structures)
def test_pack_is_the_inverse_of_flatten(structure: Any) -> None:
    leaves = nest.flatten(structure)
    assert nest.pack_sequence_as(structure, leaves) == structure
    assert nest.pack_sequence_as(structure, tuple(leaves)) == structure
    numbered = nest.pack_sequence_as(structure, list(range(len(leaves))))
    assert nest.flatten(numbered) == list(range(len(leaves)))
    nest.assert_same_structure(structure, numbered)


@given(structures)
def test_map_visits_leaves_in_the_order_of_flatten(structure: Any) -> None:
    seen: list[Any] = []
    nest.map_structure(seen.append, structure)
    assert seen == nest.flatten(structure)
    assert nest.map_structure(lambda leaf: leaf, structure) == structure
    pairs = nest.map_structure(lambda one, two: [one, two], structure, structure)
    assert nest.flatten_up_to(structure, pairs) == [[leaf, leaf] for leaf in seen]


@given(structures)
def test_paths_go_with_the_leaves(structure: Any) -> None:
    found = nest.flatten_with_tuple_paths(structure)
    assert [leaf for _, leaf in found] == nest.flatten(structure)
    assert len({path for path, _ in found}) == len(found)


@given(structures, structures)
def test_sameness_is_symmetric(first: Any, second: Any) -> None:
    def outcome(one: Any, two: Any) -> type[Exception] | None:
        try:
            nest.assert_same_structure(one, two)
        except (TypeError, ValueError) as error:
            return type(error)
        return None

    assert outcome(first, second) is outcome(second, first)


# -- mapping over several structures


def test_map_together() -> None:
    both = {"a": 1, "b": [2, 3]}, {"b": [20, 30], "a": 10}
    assert nest.map_structure(lambda x, y: x + y, *both) == {"a": 11, "b": [22, 33]}
    assert nest.map_structure(lambda *leaves: leaves, 1, 2, 3) == (1, 2, 3)
    ordered = nest.map_structure(max, OrderedDict(b=1, a=2), {"a": 0, "b": 5})
    assert ordered == OrderedDict(b=5, a=2)


def test_map_together_ignoring_types() -> None:
    zipped = nest.map_structure(lambda x, y: (x, y), (1, 2), [3, 4], check_types=False)
    assert zipped == ((1, 3), (2, 4))
    by_sorted_key = nest.map_structure(
        lambda x, y: (x, y), {"b": 3, "a": 4}, Point(1, 2), check_types=False
    )
    assert by_sorted_key == {"b": (3, 2), "a": (4, 1)}


def test_map_checks_before_it_calls() -> None:
    called: list[Any] = []
    with pytest.raises(ValueError, match="different numbers of elements"):
        nest.map_structure(lambda *leaves: called.append(leaves), [1, 2], [1, 2, 3])
    assert not called


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nest.map_structure(3, [1]), TypeError, "func must be callable, got: 3"),
        (lambda: nest.map_structure(str), ValueError, "at least one structure"),
        (lambda: nest.map_structure(str, [1], deep=True), ValueError, "not: `deep`"),
        (lambda: nest.map_structure_up_to([0], str), ValueError, "at least one structure"),
        (lambda: nest.flatten({1: 0, "a": 0}), TypeError, r"sortable.*\[1, 'a'\]"),
        (
            lambda: nest.map_structure(str, types.MappingProxyType({"a": 1})),
            TypeError,
            "cannot create a mappingproxy.*key-value pairs",
        ),
    ],
)
def test_wrong_arguments(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


# -- packing


@pytest.mark.parametrize(
    ("structure", "flat", "error", "message"),
    [
        ([1, 2], [1], ValueError, "had 2 atoms, but flat_sequence had 1 items"),
        ([1, [2]], [1, 2, 3], ValueError, "had 2 atoms, but flat_sequence had 3 items"),
        ([], [1], ValueError, "had 0 atoms"),
        (1, [], ValueError, "must have one element, received"),
        (1, [1, 2], ValueError, "must have one element, received"),
        ([1, 2], 5, TypeError, "of type int"),
        ([1, 2], "ab", TypeError, "of type str"),
        ([1, 2], {0: 1, 1: 2}, TypeError, "of type dict"),
        ([1, 2], iter([1, 2]), TypeError, "expected a sequence of"),
        (1, None, TypeError, "of type NoneType"),
    ],
)
def test_pack_refuses(structure: Any, flat: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        nest.pack_sequence_as(structure, flat)


def test_an_error_of_a_constructor_is_not_taken_for_a_wrong_count() -> None:
    class Exhausted(MyTuple):
        def __new__(cls, children: Any = ()) -> Exhausted:
            if children:
                raise StopIteration("from the constructor")
            return super().__new__(cls, (1, 2))

    with pytest.raises(StopIteration, match="from the constructor"):
        nest.pack_sequence_as(Exhausted(), [1, 2])


# -- comparing


SAME = [
    (1, "abc"),
    ([None], [1]),
    ({"a": 1, "b": 2}, {"b": 3, "a": 4}),
    ({"a": 1}, OrderedDict(a=1)),
    (Frozen({"a": 1}), defaultdict(int, a=1)),
    (MyList([1]), [2]),
    (Point(1, 2), SamePoint(3, 4)),
    (Attrs(1, 2), Attrs(3, 4)),
    (Masked(True, 1), Masked(False, 2)),
    ({"a": 1}.values(), {"b": 2}.values()),
    (Ragged(1, 2, rank=2), Ragged(1, 2, rank=3)),
    (Ragged(1, 2), 1),
]


@pytest.mark.parametrize(("first", "second"), SAME, ids=repr)
def test_same_structures(first: Any, second: Any) -> None:
    nest.assert_same_structure(first, second)
    nest.assert_same_structure([0, first], [0, second])


DIFFERENT_TYPES = [
    ([1, 2], (1, 2)),
    ([], ()),
    (Point(1, 2), Pair(1, 2)),
    (Point(1, 2), SubPoint(1, 2)),
    (Point(1, 2), (1, 2)),
    (Point(1, 2), {"x": 1, "y": 2}),
    (MyTuple([1]), (1,)),
    (range(1), [0]),
    (deque([1]), [1]),
    ({"a": 1}.values(), [1]),
    (Attrs(1, 2), [1, 2]),
    (Masked(True, 1), (1,)),
]


@pytest.mark.parametrize(("first", "second"), DIFFERENT_TYPES, ids=repr)
def test_different_types(first: Any, second: Any) -> None:
    for one, two in ((first, second), (second, first)):
        with pytest.raises(TypeError, match="The structures differ"):
            nest.assert_same_structure(one, two)
        nest.assert_same_structure(one, two, check_types=False)


DIFFERENT_NESTING = [
    ([1, 2], [1]),
    ([1], [[1]]),
    (1, [1]),
    (None, []),
    ([], [[]]),
    ([[1], [2]], [[1], [2, 3]]),
    ({"a": 1}, {"a": 1, "b": 2}),
    (Masked(True, [2]), Masked(True, 2)),
]


@pytest.mark.parametrize(("first", "second"), DIFFERENT_NESTING, ids=repr)
def test_different_nesting(first: Any, second: Any) -> None:
    for one, two in ((first, second), (second, first)):
        for check_types in (True, False):
            with pytest.raises(ValueError, match="The structures differ"):
                nest.assert_same_structure(one, two, check_types)


def test_different_keys_are_a_matter_of_types() -> None:
    with pytest.raises(ValueError, match=r"same set of keys.*\['a'\].*\['b'\]"):
        nest.assert_same_structure({"a": 1}, {"b": 1})
    nest.assert_same_structure({"a": 1}, {"b": 1}, check_types=False)


def test_the_error_shows_both_structures_and_where_they_part() -> None:
    first = [1, {"k": (2, Point(3, 4))}]
    second = [1, {"k": (2, [3, 4])}]
    with pytest.raises(TypeError) as caught:
        nest.assert_same_structure(first, second)
    message = str(caught.value)
    assert f"First structure: type=list str={first}" in message
    assert f"Second structure: type=list str={second}" in message
    assert "differ at 1/k/1: " in message
    assert "a Point in the first and a list in the second" in message
    assert "\n[., {'k': (., Point(x=., y=.))}]" in message
    assert "\n[., {'k': (., [., .])}]" in message


@pytest.mark.parametrize(
    ("structure", "outline"),
    [
        (1, "."),
        ((1,), "(.,)"),
        (OrderedDict(b=1, a=[2]), "OrderedDict({'a': [.], 'b': .})"),
        (types.MappingProxyType({"a": 1}), "mappingproxy({'a': .})"),
        (Masked(True, [1]), "Masked([.])"),
        (deque([1, 2]), "deque(., .)"),
    ],
)
def test_outlines_never_fail(structure: Any, outline: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        nest.assert_same_structure(structure, [[[]]])
    assert f"\n{outline}\n" in str(caught.value)


def test_a_structure_that_holds_itself() -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    with pytest.raises(RecursionError):
        nest.flatten(loop)


# -- composites


def test_composites_are_expanded_on_request() -> None:
    structure = [Ragged([1, 2], 3), {"k": SubRagged(4, Ragged(5, 6))}]
    assert nest.flatten(structure) == [structure[0], structure[1]["k"]]  # type: ignore[index]
    leaves = nest.flatten(structure, expand_composites=True)
    assert leaves == [1, 2, 3, 4, 5, 6]
    doubled = nest.map_structure(lambda leaf: leaf * 2, structure, expand_composites=True)
    assert doubled == [Ragged([2, 4], 6), {"k": SubRagged(8, Ragged(10, 12))}]
    assert nest.pack_sequence_as(structure, leaves, expand_composites=True) == structure
    with pytest.raises(ValueError, match="had 6 atoms, but flat_sequence had 2"):
        nest.pack_sequence_as(structure, [1, 2], expand_composites=True)


def test_paths_name_the_composite() -> None:
    found = nest.flatten_with_joined_string_paths([Ragged(1, 2)], expand_composites=True)
    assert found == [("0/Ragged/0", 1), ("0/Ragged/1", 2)]


@pytest.mark.parametrize(
    ("first", "second", "check_types", "error"),
    [
        (Ragged(1, 2), Ragged(3, 4), True, None),
        (Ragged(1, 2), Ragged(3, 4, rank=3), True, ValueError),
        (Ragged(1, 2), Ragged(3, 4, rank=3), False, ValueError),
        (Ragged(1, 2), SubRagged(3, 4), True, ValueError),
        (Ragged(1, 2), [3, 4], True, TypeError),
        (Ragged(1, 2), [3, 4], False, ValueError),
        (Ragged(1, 2), 1, True, ValueError),
    ],
)
def test_comparing_composites(
    first: Any, second: Any, check_types: bool, error: type[Exception] | None
) -> None:
    if error is None:
        nest.assert_same_structure(first, second, check_types, expand_composites=True)
        return
    for one, two in ((first, second), (second, first)):
        with pytest.raises(error, match="The structures differ"):
            nest.assert_same_structure(one, two, check_types, expand_composites=True)


def test_a_class_met_before_its_registration_is_expanded_after_it() -> None:
    class Late(Plain):
        pass

    assert nest.flatten(Late([1, 2]), expand_composites=True) == [Late([1, 2])]
    nest.register_composite(Late, lambda late: late.a, lambda like, parts: Late(parts))
    assert nest.flatten(Late([1, 2]), expand_composites=True) == [1, 2]
    nest.assert_same_structure(Late([1, 2]), Late([3, 4]), expand_composites=True)
    with pytest.raises(TypeError, match="expected a class"):
        nest.register_composite(Late(1), list, list)  # type: ignore[arg-type]


def test_the_memory_of_types_is_bounded() -> None:
    table = containers.ContainerTable(lambda cls: None)
    for _ in range(table.CAPACITY + 10):
        assert table[type("Leaf", (), {})] is None
    assert len(table) <= table.CAPACITY


# -- paths and shallow structures


def test_paths() -> None:
    structure = [1, (Point(2, 3), {"b": 4, "a": [5]}), Attrs(6, 7), Masked(True, 8)]
    assert nest.flatten_with_joined_string_paths(structure) == [
        ("0", 1),
        ("1/0/x", 2),
        ("1/0/y", 3),
        ("1/1/a/0", 5),
        ("1/1/b", 4),
        ("2/b", 6),
        ("2/a", 7),
        ("3/0", 8),
    ]
    assert nest.flatten_with_tuple_paths({1: [2]}) == [((1, 0), 2)]
    assert nest.flatten_with_joined_string_paths({"a": [2]}, separator=".") == [("a.0", 2)]


@pytest.mark.parametrize(
    ("shallow", "tree", "parts"),
    [
        (0, [1, 2], [[1, 2]]),
        (None, [1], [[1]]),
        ([0, 0], [[1, 2], (3,)], [[1, 2], (3,)]),
        ([0, [0]], [[1], [2]], [[1], 2]),
        ({"a": 0, "b": [0]}, OrderedDict(b=[(2,)], a=[1]), [[1], (2,)]),
        (Masked(True, 0), Masked(False, [1]), [[1]]),
        ((), (), []),
    ],
)
def test_flatten_up_to(shallow: Any, tree: Any, parts: list[Any]) -> None:
    assert nest.flatten_up_to(shallow, tree) == parts


@pytest.mark.parametrize(
    ("shallow", "tree", "error", "message"),
    [
        ([0, [0]], ([1], [2]), TypeError, "The shallow structure has"),
        ([0], [1, 2], ValueError, "1 elements where the input has 2"),
        ([[0]], [5], TypeError, "where the input has a leaf"),
        ({"a": 0}, {"b": 0}, ValueError, r"keys that the input lacks: \['a'\]"),
    ],
)
def test_flatten_up_to_refuses(
    shallow: Any, tree: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        nest.flatten_up_to(shallow, tree)


def test_map_up_to() -> None:
    combined = nest.map_structure_up_to(
        {"a": 0, "b": 0}, lambda x, y: (x, y), {"b": [1], "a": 2}, {"a": 5, "b": 6}
    )
    assert combined == {"a": (2, 5), "b": ([1], 6)}
    assert nest.map_structure_up_to([0], len, ([1, 2],), check_types=False) == [2]
