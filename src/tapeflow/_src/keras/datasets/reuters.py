"""News as sequences of word numbers: 11,228 in 46 topics."""

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

__all__ = ["get_label_names", "get_word_index", "load_data"]

_SOURCE = Source(
    f"{STORAGE}reuters.npz", "d6586e694ee56d7a4e65172e12b3e987c03096cb01eab99753921ef915959916"
)
_WORDS = Source(f"{STORAGE}reuters_word_index.json", "4d44cc38712099c9e383dc6e5f11a921")
_TOPICS = (
    "cocoa grain veg-oil earn acq wheat copper housing money-supply coffee sugar trade reserves "
    "ship cotton carcass crude nat-gas cpi money-fx interest gnp meal-feed alum oilseed gold tin "
    "strategic-metal livestock retail ipi iron-steel rubber heat jobs lei bop zinc orange pet-chem "
    "dlr gas silver wpi hog lead"
)


def load_data(
    path: str = "reuters.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    test_split: float = 0.2,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    cache_dir: Any = None,
) -> Any:
    """Return `(x_train, y_train), (x_test, y_test)`; `x` are arrays of lists of word numbers.

    Args:
        path: the name in the cache folder.
        num_words: words with this number or a larger one are out of the vocabulary.
        skip_top: words with smaller numbers, the most frequent ones, are so too.
        maxlen: longer news are left out.
        test_split: the fraction of the news for testing.
        seed: of the order of the news.
        start_char: the first number of each text.
        oov_char: stands for words out of the vocabulary; None leaves them out.
        index_from: is added to the number of each word.
        cache_dir: the cache folder, instead of `~/.keras` (Keras 2).

    Returns:
        Two pairs: news, and topics from 0 to 45.
    """
    arrays = load_npz(_SOURCE.path(path, cache_dir=cache_dir))
    order = np.arange(len(arrays["x"]))
    np.random.RandomState(seed).shuffle(order)
    # Without a start symbol and an offset the words keep their numbers.
    x: Any = shifted(arrays["x"][order], start_char, index_from)
    y: Any = arrays["y"][order]
    if maxlen:
        x, y = shorter_than(maxlen, x, y)
    x, y = with_vocabulary(x, num_words, skip_top, oov_char), np.asarray(y)
    border = int(len(x) * (1 - test_split))
    return (as_objects(x[:border]), y[:border]), (as_objects(x[border:]), y[border:])


def get_word_index(path: str = "reuters_word_index.json") -> dict[str, int]:
    """Return the number of each word, before `index_from` is added.

    Args:
        path: Name in the cache folder.

    Returns:
        A dict from words to numbers; 1 is the most frequent word.
    """
    return load_json(_WORDS.path(path))


def get_label_names() -> tuple[str, ...]:
    """Return the names of the topics, in the order of their numbers.

    Returns:
        A tuple of 46 strings.

    Example:
        >>> tf.keras.datasets.reuters.get_label_names()[:3]
        ('cocoa', 'grain', 'veg-oil')
    """
    return tuple(_TOPICS.split())
