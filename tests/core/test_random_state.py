"""Seeds of random ops, and where each op's stream stands."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tapeflow._src.core import random_state
from tapeflow._src.core.random_state import DrawnSeed, GraphSeeds, next_counter, seed_pair, stream

OP = SimpleNamespace(name="TestOp")
BLOCKS = 10
LARGEST = 2**31 - 1


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(random_state._reservations, "TestOp", lambda arrays, attrs: BLOCKS)
    random_state.set_seed(None)
    yield
    random_state.set_seed(None)


def draw(seed: int, seed2: int, array: Any = None, kernel: Any = None, **attrs: Any) -> list[int]:
    arrays = [np.zeros(2, np.int32) if array is None else array]
    return next_counter(OP, arrays, {"seed": seed, "seed2": seed2, **attrs}, kernel).tolist()


# -- seeds -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("global_seed", "op_seed", "expected"),
    [
        (None, None, (0, 0)),
        (None, 7, (87654321, 7)),
        (5, 7, (5, 7)),
        (0, 0, (0, LARGEST)),
        (-5, 2**40, (LARGEST - 5, 2**40 % LARGEST)),
        (1.5, 2.5, (1, 2)),
        (np.int64(5), np.array(7), (5, 7)),
    ],
)
def test_pairs(global_seed: Any, op_seed: Any, expected: tuple[int, int]) -> None:
    random_state.set_seed(global_seed)
    assert seed_pair(op_seed) == expected


def test_drawn_seeds_follow_from_the_global_seed() -> None:
    random_state.set_seed(3)
    first = [seed_pair(None) for _ in range(3)]
    random_state.set_seed(3)
    assert [seed_pair(None) for _ in range(3)] == first
    assert len(set(first)) == 3
    assert all(type(pair[1]) is DrawnSeed for pair in first)


def test_text_is_no_seed() -> None:
    random_state.set_seed("five")
    with pytest.raises(TypeError, match="A seed must be a number, got 'five'"):
        seed_pair(None)


def test_a_graph_counts_its_ops() -> None:
    seeds = GraphSeeds(5)
    assert [seed_pair(None, seeds) for _ in range(3)] == [(5, 0), (5, 1), (5, 2)]
    assert seed_pair(9, seeds) == (5, 9)
    unseeded = GraphSeeds(None)
    assert seed_pair(None, unseeded) == (0, 0)
    assert seed_pair(9, unseeded) == (random_state.DEFAULT_GRAPH_SEED, 9)


# -- streams ---------------------------------------------------------------------------------


def test_the_words_of_a_stream() -> None:
    words = stream(0x0123456789ABCDEF, 1 | 2 << 32 | 3 << 64 | 4 << 96)
    assert words.dtype == np.uint32
    assert words.tolist() == [0x89ABCDEF, 0x01234567, 1, 2, 3, 4]
    assert stream(-1, -1).tolist() == [2**32 - 1] * 6


def test_the_same_op_goes_on() -> None:
    assert draw(1, 2) == [1, 0, 0, 0, 2, 0]
    assert draw(1, 2) == [1, 0, BLOCKS, 0, 2, 0]
    assert draw(1, 3) == [1, 0, 0, 0, 3, 0]
    random_state.set_seed(None)
    assert draw(1, 2) == [1, 0, 0, 0, 2, 0]


@pytest.mark.parametrize(
    "difference",
    [{"dtype": "float64"}, {"kernel": "node"}, {"array": np.zeros(2)}, {"weights": [1.0]}],
)
def test_another_op_starts_anew(difference: dict[str, Any]) -> None:
    draw(1, 2)
    assert draw(1, 2, **difference) == [1, 0, 0, 0, 2, 0]
    assert draw(1, 2, **difference) == [1, 0, BLOCKS, 0, 2, 0]


def test_without_seeds_the_stream_is_random_but_goes_on() -> None:
    first, second = draw(0, 0), draw(0, 0)
    assert first[:2] == second[:2]
    assert second[2] == first[2] + BLOCKS
    random_state.set_seed(None)
    assert draw(0, 0)[:2] != first[:2]


def test_streams_of_drawn_seeds_are_not_kept() -> None:
    drawn = DrawnSeed(2)
    assert draw(1, drawn) == draw(1, drawn) == [1, 0, 0, 0, 2, 0]
    assert not random_state._streams


def test_what_ops_remember_is_forgotten_with_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    forgotten: list[int] = []
    monkeypatch.setattr(random_state, "_on_reset", [])
    random_state.on_reset(lambda: forgotten.append(1))
    random_state.set_seed(1)
    assert forgotten == [1]
