"""Texts as sequences of word numbers, prepared as `imdb` and `reuters` share it."""

from __future__ import annotations

from typing import Any

import numpy as np


def shifted(sequences: Any, start_char: int | None, index_from: int) -> list[list[int]]:
    """Make room for the reserved numbers, and put the start symbol in front."""
    start = [] if start_char is None else [start_char]
    return [start + [word + index_from for word in each] for each in sequences]


def shorter_than(maxlen: int, sequences: Any, labels: Any) -> tuple[list[Any], list[Any]]:
    """Keep the sequences of fewer than `maxlen` words."""
    pairs = [(each, label) for each, label in zip(sequences, labels) if len(each) < maxlen]
    return [each for each, _ in pairs], [label for _, label in pairs]


def with_vocabulary(
    sequences: list[Any], num_words: int | None, skip_top: int, oov_char: int | None
) -> list[list[int]]:
    """Replace words that are too frequent or too rare by `oov_char`, or leave them out."""
    limit = num_words or max(max(each) for each in sequences)
    if oov_char is None:
        return [[w for w in each if skip_top <= w < limit] for each in sequences]
    return [[w if skip_top <= w < limit else oov_char for w in each] for each in sequences]


def as_objects(sequences: list[Any]) -> np.ndarray:
    """Return an array of lists, which may have the same length."""
    rows = np.empty(len(sequences), dtype="object")
    rows[:] = sequences
    return rows
