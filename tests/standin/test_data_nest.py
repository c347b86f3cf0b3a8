"""`tensorflow.python.data.util.nest`: a list is one leaf, as it is one tensor of an element."""

from __future__ import annotations

import pytest

from tapeflow._src.standin.modules import data_nest as nest


def test_lists_are_leaves() -> None:
    structure = ([1, 2], {"b": 3, "a": (4, [5])})
    assert nest.flatten(structure) == [[1, 2], 4, [5], 3]
    assert nest.pack_sequence_as(structure, "wxyz") == ("w", {"b": "z", "a": ("x", "y")})
    assert nest.map_structure(str, structure) == ("[1, 2]", {"b": "3", "a": ("4", "[5]")})
    assert not nest.is_nested([1])


def test_structures_are_compared() -> None:
    nest.assert_same_structure((1, [2, 3]), ("a", 4))
    with pytest.raises(ValueError, match="differ"):
        nest.assert_same_structure((1, (2,)), (1, 2))
    with pytest.raises(ValueError, match="keys"):
        nest.assert_same_structure({"a": 1}, {"b": 1})
    with pytest.raises(ValueError, match="leaves"):
        nest.pack_sequence_as((1, 2), [3])


def test_parts_up_to_a_shallow_structure() -> None:
    assert nest.flatten_up_to((0, 0), ((1, 2), [3])) == [(1, 2), [3]]
    assert nest.map_structure_up_to((0, 0), len, ((1, 2), [3])) == (2, 1)
    with pytest.raises(TypeError, match="Expected a structure"):
        nest.flatten_up_to((0, 0), [1, 2])
