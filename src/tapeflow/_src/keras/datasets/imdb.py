"""Film reviews as sequences of word numbers: 50,000, half of them positive."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.keras.datasets.sequences import (
    as_objects,
    shifted,
    shorter_than,
    with_vocabulary,
)
from tapeflow._src.keras.datasets.sources import STORAGE, Source, load_json, load_npz

__all__ = ["get_word_index", "load_data"]

_SOURCE = Source(
    f"{STORAGE}imdb.npz", "69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f"
)
_WORDS = Source(f"{STORAGE}imdb_word_index.json", "bfafd718b763782e994055a2d397834f")


def load_data(
    path: str = "imdb.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    cache_dir: Any = None,
    **kwargs: Any,
) -> Any:
    """Return `(x_train, y_train), (x_test, y_test)`; `x` are arrays of lists of word numbers.

    Args:
        path: the name in the cache folder.
        num_words: words with this number or a larger one are out of the vocabulary.
        skip_top: words with smaller numbers, the most frequent ones, are so too.
        maxlen: longer reviews are left out.
        seed: of the order of the reviews.
        start_char: the first number of each review.
        oov_char: stands for words out of the vocabulary; None leaves them out.
        index_from: is added to the number of each word.
        cache_dir: the cache folder, instead of `~/.keras` (Keras 2).

    Returns:
        Two pairs: reviews, and labels 0 (negative) or 1 (positive).
    """
    if "nb_words" in kwargs:
        num_words = kwargs.pop("nb_words")
    if kwargs:
        raise TypeError(f"Unexpected arguments of `imdb.load_data`: {sorted(kwargs)}")
    arrays = load_npz(_SOURCE.path(path, cache_dir=cache_dir))
    rng = np.random.RandomState(seed)
    parts = []
    for part in ("train", "test"):
        order = np.arange(len(arrays[f"x_{part}"]))
        rng.shuffle(order)
        x: Any = shifted(arrays[f"x_{part}"][order], start_char, index_from)
        y: Any = arrays[f"y_{part}"][order]
        if maxlen:
            x, y = shorter_than(maxlen, x, y)
            if not x:
                raise ValueError(f"No review is shorter than maxlen={maxlen}: pass a larger one.")
        parts.append((x, np.asarray(y)))
    (x_train, y_train), (x_test, y_test) = parts
    x = with_vocabulary(x_train + x_test, num_words, skip_top, oov_char)
    border = len(x_train)
    return (as_objects(x[:border]), y_train), (as_objects(x[border:]), y_test)


def get_word_index(path: str = "imdb_word_index.json") -> dict[str, int]:
    """Return the number of each word, before `index_from` is added.

    Args:
        path: Name in the cache folder.

    Returns:
        A dict from words to numbers; 1 is the most frequent word.
    """
    return load_json(_WORDS.path(path))
