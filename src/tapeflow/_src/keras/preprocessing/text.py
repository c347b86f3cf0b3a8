"""`tf.keras.preprocessing.text`: Keras 2's words and numbers of words.

New programs use `tf.keras.layers.TextVectorization`.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tapeflow._src.internal.user_warnings import warn_user

FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'
_TABLES = ("word_counts", "word_docs", "index_docs", "index_word", "word_index")


def text_to_word_sequence(
    input_text: str, filters: str = FILTERS, lower: bool = True, split: str = " "
) -> list[str]:
    """Return the words of a text.

    Args:
        input_text: The text.
        filters: Characters that count as separators.
        lower: Whether words are in lower case.
        split: The separator.

    Returns:
        A list of words.

    Example:
        >>> tf.keras.preprocessing.text.text_to_word_sequence("A rose, a ROSE.")
        ['a', 'rose', 'a', 'rose']
    """
    text = input_text.lower() if lower else input_text
    separators: dict[int, str | int | None] = {ord(character): split for character in filters}
    text = text.translate(separators)
    return [word for word in text.split(split) if word]


def hashing_trick(
    text: str,
    n: int,
    hash_function: Any = None,
    filters: str = FILTERS,
    lower: bool = True,
    split: str = " ",
    analyzer: Callable[[str], list[str]] | None = None,
) -> list[int]:
    """Return a number from 1 to `n - 1` for each word: its hash, which other words may share.

    Args:
        text: The text.
        n: Size of the range.
        hash_function: Function of a word; None for Python's `hash`, which differs from run to run;
            `"md5"` does not.
        filters: Characters that count as separators.
        lower: Whether words are in lower case.
        split: The separator.
        analyzer: A function that returns the words of a text, instead of the last three.

    Returns:
        A list of integers.

    Example:
        >>> numbers = tf.keras.preprocessing.text.hashing_trick("a rose", 10, hash_function="md5")
        >>> len(numbers)
        2
    """
    hashed: Callable[[str], int] = hash if hash_function is None else hash_function
    if hash_function == "md5":
        hashed = _md5
    words = text_to_word_sequence(text, filters, lower, split)
    if analyzer is not None:
        words = analyzer(text)
    return [hashed(word) % (n - 1) + 1 for word in words]


def _md5(word: str) -> int:
    return int(hashlib.md5(word.encode(), usedforsecurity=False).hexdigest(), 16)


def one_hot(
    input_text: str,
    n: int,
    filters: str = FILTERS,
    lower: bool = True,
    split: str = " ",
    analyzer: Callable[[str], list[str]] | None = None,
) -> list[int]:
    """Return `hashing_trick` with Python's hash; no one-hot vectors, despite the name.

    Args:
        input_text: The text.
        n: Size of the range.
        filters: Characters that count as separators.
        lower: Whether words are in lower case.
        split: The separator.
        analyzer: A function that returns the words of a text, instead of the last three.

    Returns:
        A list of integers.

    Example:
        >>> len(tf.keras.preprocessing.text.one_hot("a red rose", 10))
        3
    """
    return hashing_trick(input_text, n, hash, filters, lower, split, analyzer)


class Tokenizer:
    """Numbers the words of texts, the most frequent first, and turns texts into numbers (Keras 2).

    Args:
        num_words: Only words with lower numbers are used in sequences and matrices; None for all.
        filters: Characters that count as separators.
        lower: Whether words are in lower case.
        split: The separator.
        char_level: Whether characters are numbered instead of words.
        oov_token: Word that stands for those without a number; None to leave them out.
        analyzer: A function that returns the words of a text.
        **kwargs: `nb_words`, an earlier name of `num_words`, and `document_count`.

    Raises:
        TypeError: An argument is unknown.

    Example:
        >>> tokenizer = tf.keras.preprocessing.text.Tokenizer(oov_token="?")
        >>> tokenizer.fit_on_texts(["the rose", "the song"])
        >>> tokenizer.texts_to_sequences(["the red rose"])
        [[2, 1, 3]]
    """

    def __init__(
        self,
        num_words: int | None = None,
        filters: str = FILTERS,
        lower: bool = True,
        split: str = " ",
        char_level: bool = False,
        oov_token: str | None = None,
        analyzer: Callable[[str], list[str]] | None = None,
        **kwargs: Any,
    ) -> None:
        if "nb_words" in kwargs:
            warn_user("Tokenizer: `nb_words` is called `num_words` now.")
            num_words = kwargs.pop("nb_words")
        self.document_count = kwargs.pop("document_count", 0)
        if kwargs:
            raise TypeError(f"Tokenizer received unknown arguments: {sorted(kwargs)}")
        self.num_words = num_words
        self.filters = filters
        self.lower = lower
        self.split = split
        self.char_level = char_level
        self.oov_token = oov_token
        self.analyzer = analyzer
        self.word_counts: Any = OrderedDict()
        self.word_docs: Any = defaultdict(int)
        self.index_docs: Any = defaultdict(int)
        self.word_index: dict[str, int] = {}
        self.index_word: dict[int, str] = {}

    def _words(self, text: Any) -> Any:
        """The words of a text, or of a list that has them already; characters with `char_level`."""
        if isinstance(text, list):
            return [word.lower() for word in text] if self.lower else text
        if self.char_level:
            return text.lower() if self.lower else text
        if self.analyzer is not None:
            return self.analyzer(text)
        return text_to_word_sequence(text, self.filters, self.lower, self.split)

    def fit_on_texts(self, texts: Iterable[Any]) -> None:
        """Count the words of texts, and number all words that were counted so far.

        Args:
            texts: Texts, or lists of words.

        Example:
            >>> tokenizer = tf.keras.preprocessing.text.Tokenizer()
            >>> tokenizer.fit_on_texts(["a b", "a c"])
            >>> tokenizer.word_index
            {'a': 1, 'b': 2, 'c': 3}
        """
        for text in texts:
            self.document_count += 1
            words = self._words(text)
            for word in words:
                self.word_counts[word] = self.word_counts.get(word, 0) + 1
            for word in set(words):
                self.word_docs[word] += 1
        ranked = sorted(self.word_counts, key=lambda word: -self.word_counts[word])
        special = [] if self.oov_token is None else [self.oov_token]
        self.word_index = {word: i for i, word in enumerate([*special, *ranked], 1)}
        self.index_word = {i: word for word, i in self.word_index.items()}
        for word, count in self.word_docs.items():
            self.index_docs[self.word_index[word]] = count

    def fit_on_sequences(self, sequences: Any) -> None:
        """Count the documents that numbers occur in.

        Args:
            sequences: Lists of numbers.
        """
        self.document_count += len(sequences)
        for sequence in sequences:
            for number in set(sequence):
                self.index_docs[number] += 1

    def texts_to_sequences(self, texts: Iterable[Any]) -> list[list[int]]:
        """Return the numbers of the words of each text.

        Args:
            texts: Texts, or lists of words.

        Returns:
            A list of lists of integers.

        Example:
            >>> tokenizer = tf.keras.preprocessing.text.Tokenizer()
            >>> tokenizer.fit_on_texts(["a b", "a c"])
            >>> tokenizer.texts_to_sequences(["c a"])
            [[3, 1]]
        """
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts: Iterable[Any]) -> Iterator[list[int]]:
        """Yield the numbers of the words of each text.

        Args:
            texts: Texts, or lists of words.

        Yields:
            Lists of integers.
        """
        unknown = None if self.oov_token is None else self.word_index.get(self.oov_token)
        for text in texts:
            numbers = (self._used(self.word_index.get(word), unknown) for word in self._words(text))
            yield [number for number in numbers if number is not None]

    def _used(self, number: int | None, unknown: int | None) -> int | None:
        """A number, or that of unknown words if it is beyond the limit."""
        if number is None or (self.num_words and number >= self.num_words):
            return unknown
        return number

    def sequences_to_texts(self, sequences: Iterable[Any]) -> list[str]:
        """Return the words of each sequence of numbers, joined.

        Args:
            sequences: Lists of numbers.

        Returns:
            A list of texts.

        Example:
            >>> tokenizer = tf.keras.preprocessing.text.Tokenizer()
            >>> tokenizer.fit_on_texts(["a b", "a c"])
            >>> tokenizer.sequences_to_texts([[3, 1]])
            ['c a']
        """
        return list(self.sequences_to_texts_generator(sequences))

    def sequences_to_texts_generator(self, sequences: Iterable[Any]) -> Iterator[str]:
        """Yield the words of each sequence of numbers, joined.

        Args:
            sequences: Lists of numbers.

        Yields:
            Texts.
        """
        unknown = None if self.oov_token is None else self.word_index.get(self.oov_token)
        for sequence in sequences:
            known = (number if number in self.index_word else None for number in sequence)
            numbers = (self._used(number, unknown) for number in known)
            yield " ".join(self.index_word[number] for number in numbers if number is not None)

    def texts_to_matrix(self, texts: Iterable[Any], mode: str = "binary") -> np.ndarray:
        """Return a row of numbers for each text; see `sequences_to_matrix`.

        Args:
            texts: Texts, or lists of words.
            mode: `"binary"`, `"count"`, `"freq"` or `"tfidf"`.

        Returns:
            An array of shape (texts, words).

        Example:
            >>> tokenizer = tf.keras.preprocessing.text.Tokenizer()
            >>> tokenizer.fit_on_texts(["the rose", "the song"])
            >>> tokenizer.texts_to_matrix(["the the song"], mode="count")
            array([[0., 2., 0., 1.]])
        """
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode)

    def sequences_to_matrix(self, sequences: Any, mode: str = "binary") -> np.ndarray:
        """Return a row for each sequence, with a column for each word.

        Args:
            sequences: Lists of numbers.
            mode: `"binary"`, `"count"`, `"freq"` or `"tfidf"`.

        Returns:
            An array of shape (sequences, words).

        Raises:
            ValueError: The mode is unknown, or nothing was counted.

        Example:
            >>> tokenizer = tf.keras.preprocessing.text.Tokenizer(num_words=3)
            >>> tokenizer.fit_on_texts(["a b", "a c"])
            >>> tokenizer.sequences_to_matrix([[1, 2]])
            array([[0., 1., 1.]])
        """
        width = self.num_words or (len(self.word_index) + 1 if self.word_index else 0)
        if not width:
            raise ValueError(
                "The number of columns is not known: pass `num_words`, or call `fit_on_texts`."
            )
        if mode not in ("binary", "count", "freq", "tfidf"):
            raise ValueError(
                f"`mode` must be 'binary', 'count', 'freq' or 'tfidf'. Received: mode={mode!r}"
            )
        if mode == "tfidf" and not self.document_count:
            raise ValueError("mode='tfidf' needs counts of documents: call `fit_on_texts` first.")
        matrix = np.zeros((len(sequences), width))
        for row, sequence in zip(matrix, sequences):
            for number, count in Counter(sequence).items():
                if number < width:
                    row[number] = self._cell(number, count, len(sequence), mode)
        return matrix

    def _cell(self, number: int, count: int, length: int, mode: str) -> float:
        if mode == "tfidf":
            documents = self.index_docs.get(number, 0)
            return (1 + np.log(count)) * np.log(1 + self.document_count / (1 + documents))
        return {"binary": 1, "count": count, "freq": count / length}[mode]

    def get_config(self) -> dict[str, Any]:
        """Return the arguments, and what was counted as JSON."""
        names = ("num_words", "filters", "lower", "split", "char_level", "oov_token")
        config = {name: getattr(self, name) for name in (*names, "document_count")}
        return config | {name: json.dumps(getattr(self, name)) for name in _TABLES}

    def to_json(self, **kwargs: Any) -> str:
        """Return the config as JSON.

        Args:
            **kwargs: Arguments of `json.dumps`.
        """
        return json.dumps(
            {"class_name": type(self).__name__, "config": self.get_config()}, **kwargs
        )


def tokenizer_from_json(json_string: str) -> Tokenizer:
    """Return the Tokenizer that `to_json` has written.

    Args:
        json_string: The text.

    Returns:
        A `Tokenizer`.

    Example:
        >>> tokenizer = tf.keras.preprocessing.text.Tokenizer()
        >>> tokenizer.fit_on_texts(["the rose"])
        >>> copy = tf.keras.preprocessing.text.tokenizer_from_json(tokenizer.to_json())
        >>> copy.word_index
        {'the': 1, 'rose': 2}
    """
    config = json.loads(json_string)["config"]
    tables = {name: json.loads(config.pop(name)) for name in _TABLES}
    for name in ("index_docs", "index_word"):
        tables[name] = {int(number): value for number, value in tables[name].items()}
    tokenizer = Tokenizer(**config)
    for name, table in tables.items():
        setattr(tokenizer, name, table)
    return tokenizer
