"""Laws that hold of every structured tensor: what Python does with the lists, it does with rows."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

import tapeflow as tf
from tests.structured.values import P, S


def record(rng: random.Random, kind: dict[str, Any]) -> dict[str, Any]:
    """A dictionary of that kind: names with depths of lists, or with the kinds of records."""
    found: dict[str, Any] = {}
    for name, what in kind.items():
        if isinstance(what, int):
            found[name] = lists(rng, what, lambda: rng.randrange(100))
        else:
            depth, inner = what
            found[name] = lists(rng, depth, lambda inner=inner: record(rng, inner))
    return found


def lists(rng: random.Random, depth: int, make: Any) -> Any:
    if depth == 0:
        return make()
    # Without an element nobody could tell what is in the lists.
    return [lists(rng, depth - 1, make) for _ in range(rng.randrange(1, 4))]


KINDS: list[dict[str, Any]] = [
    {"a": 0},
    {"a": 0, "b": 1},
    {"b": 2, "s": (0, {"x": 0, "y": 1})},
    {"s": (1, {"x": 0, "t": (1, {"z": 1})}), "a": 0},
]


@pytest.fixture(params=range(16))
def rng(request: Any) -> random.Random:
    return random.Random(request.param)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_rows_are_items_of_lists(rng: random.Random, depth: int) -> None:
    kind = rng.choice(KINDS)
    items = lists(rng, depth, lambda: record(rng, kind))
    value = S.from_pyval(items)
    assert value.to_pyval() == items and value.rank == depth
    at = rng.randrange(len(items))
    assert value[at].to_pyval() == items[at]
    start, stop = sorted(rng.randrange(-4, 4) for _ in range(2))
    assert value[start:stop].to_pyval() == items[start:stop]
    chosen = [rng.randrange(len(items)) for _ in range(3)]
    assert tf.gather(value, chosen).to_pyval() == [items[i] for i in chosen]
    again = S.from_pyval(items, value._type_spec)
    assert bool(again == value)


@pytest.mark.parametrize("depth", [1, 2])
def test_joined_parted_and_batched(rng: random.Random, depth: int) -> None:
    kind = rng.choice(KINDS)
    items, others = (lists(rng, depth, lambda: record(rng, kind)) for _ in range(2))
    value, other = S.from_pyval(items), S.from_pyval(others)
    joined = tf.concat([value, other], 0)
    assert joined.to_pyval() == items + others
    assert tf.function(lambda a, b: tf.concat([a, b], 0))(value, other).to_pyval() == items + others

    cuts = sorted(rng.randrange(len(items) + 1) for _ in range(2))
    splits = [0, *cuts, len(items)]
    parted = value.partition_outer_dimension(P.from_row_splits(splits))
    assert parted.to_pyval() == [items[a:b] for a, b in pairwise(splits)]
    assert parted.merge_dims(0, 1).to_pyval() == items
    assert tf.expand_dims(value, 0).to_pyval() == [items]

    rows = tf.data.Dataset.from_tensor_slices(value)
    assert [row.to_pyval() for row in rows] == items
    batches = [batch.to_pyval() for batch in rows.batch(2)]
    assert batches == [items[i : i + 2] for i in range(0, len(items), 2)]


def test_fields_of_a_path_are_promoted(rng: random.Random) -> None:
    items = lists(rng, 1, lambda: record(rng, KINDS[3]))
    promoted = S.from_pyval(items).promote(("s", "x"), "n")
    assert promoted.field_value("n").to_list() == [[s["x"] for s in item["s"]] for item in items]
    below = S.from_pyval(items).promote(("s", "t", "z"), "n")
    wanted = [[[z for t in s["t"] for z in t["z"]] for s in item["s"]] for item in items]
    assert below.field_value(("s", "n")).to_list() == wanted
