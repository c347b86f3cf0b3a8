"""`random`: an infinite dataset of random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.api.elements import Layout
from tapeflow._src.api.random.stateful import op_seeds
from tapeflow._src.core import dtypes
from tapeflow._src.core.registry import Index, Resource
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data.arguments import INFINITE, int64
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.dummy_resources import dummy_seed_generator
from tapeflow._src.data.randomness import Seeds, Words
from tapeflow._src.data.recipe import Recipe, described
from tapeflow._src.data.stage import Cursor, Element, Stage


class RandomNumbers(Stage):
    """The words of a stream, as int64."""

    def __init__(self, seeds: Seeds) -> None:
        self._seeds = seeds

    def cursor(self) -> Cursor:
        return _RandomCursor(self._seeds.next())

    def cardinality(self) -> int:
        return INFINITE

    def get_shared(self) -> Any:
        return self._seeds.get_state()

    def set_shared(self, state: Any) -> None:
        self._seeds.set_state(state)


class _RandomCursor(Cursor):
    def __init__(self, seeds: tuple[int, int]) -> None:
        self._seeds = seeds
        self._words = Words(*seeds)

    def __next__(self) -> Element:
        return (np.array(self._words.next(), np.int64),)

    def rows(self, count: int) -> Element:
        words = self._words.peek(count)
        self._words.position += count
        return (np.array(words, np.int64),)

    def skip(self, count: int) -> None:
        self._words.position += count

    def get_state(self) -> Any:
        return self._seeds, self._words.position

    def set_state(self, state: Any) -> None:
        self._seeds, position = state
        self._words = Words(*self._seeds)
        self._words.position = position


@dataset_op("RandomDatasetV2", effect="io")
def random_dataset_v2(
    xp,
    seed: Index,
    seed2: Index,
    seed_generator: Resource,
    *,
    output_types,
    output_shapes,
    rerandomize_each_iteration=False,
    metadata="",
):
    """Return a dataset of random numbers."""
    return RandomNumbers(Seeds(int(seed), int(seed2), rerandomize_each_iteration))


def random(seed: Any, rerandomize_each_iteration: bool | None, name: str | None) -> Recipe:
    """Create an infinite dataset of 32-bit random numbers."""
    seeds = op_seeds(seed)
    layout = Layout(TensorSpec([], dtypes.int64))
    variant = random_dataset_v2(
        int64(int(seeds["seed"])),
        int64(int(seeds["seed2"])),
        dummy_seed_generator(),
        rerandomize_each_iteration=bool(rerandomize_each_iteration),
        **described(layout),
        name=name,
    )
    return Recipe("_RandomDataset", variant, layout.spec)
