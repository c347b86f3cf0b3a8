"""Slots: variables, attributes and items, with and without a value."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tapeflow._src.autograph.operators.variables import UNDEFINED, Attribute, Item, Slot, State


def slots() -> list[Slot]:
    x = 1
    cell = State(lambda: x, ["x"], None).live[0]
    return [cell, Attribute("o.a", SimpleNamespace(a=1), "a"), Item("d[k]", {"k": 1}, "k")]


@pytest.mark.parametrize("slot", slots(), ids=["cell", "attribute", "item"])
def test_reading_writing_and_taking_away(slot: Slot) -> None:
    assert slot.read() == 1
    slot.write(2)
    assert slot.read() == 2
    slot.write(UNDEFINED)
    assert slot.read() is UNDEFINED
    slot.write(UNDEFINED)
    slot.write(3)
    assert slot.read() == 3


def test_what_is_there_already_is_not_written_again() -> None:
    class Strict(dict[Any, Any]):
        def __setitem__(self, key: Any, value: Any) -> None:
            raise AssertionError("written")

    value = object()
    Item("d[k]", Strict(k=value), "k").write(value)


def test_an_item_of_a_list() -> None:
    items = [1, 2]
    assert Item("l[5]", items, 5).read() is UNDEFINED
    Item("l[1]", items, 1).write(3)
    assert items == [1, 3]


def test_a_state_tells_live_from_dead() -> None:
    x: Any = 1
    y: Any = 2
    z: Any
    state = State(lambda: (x, y, z), ["z", "x"], lambda: [Item("g", {"g": 5}, "g")])
    assert sorted(slot.name for slot in state.live) == ["g", "x", "z"]
    assert state.read() == [1, UNDEFINED, 5]
    before = state.save()
    x = y = z = 7
    state.restore(before)
    assert (x, y) == (1, 2)
    with pytest.raises(NameError):
        z  # noqa: B018
    state.settle([3, 4, 6])
    assert (x, z) == (3, 4)
    with pytest.raises(NameError):
        y  # noqa: B018
