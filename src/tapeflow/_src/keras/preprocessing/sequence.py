"""`tf.keras.preprocessing.sequence`: windows over series, and pairs of words in a window."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np

from tapeflow._src.keras.utils.sequences import pad_sequences as pad_sequences
from tapeflow.keras.utils import PyDataset

__all__ = ["TimeseriesGenerator", "make_sampling_table", "pad_sequences", "skipgrams"]
# Euler's constant, to the digits that Keras uses.
_GAMMA = 0.577


class TimeseriesGenerator(PyDataset):
    """Batches of windows over a series, each with the target of the step after it (Keras 2).

    New programs use `tf.keras.utils.timeseries_dataset_from_array`.

    Args:
        data: Array or list whose first axis is time.
        targets: One for each step of `data`.
        length: Number of steps that a window spans.
        sampling_rate: Distance between two steps of a window.
        stride: Distance between two windows.
        start_index: First step that is used.
        end_index: Last step that is used; None for the last one.
        shuffle: Whether windows are drawn at random.
        reverse: Whether the steps of a window are in reverse order.
        batch_size: Number of windows per batch.
        **kwargs: Arguments of `PyDataset`.

    Raises:
        ValueError: Data and targets differ in length, or no window has a target.

    Example:
        >>> series = np.arange(6.0)
        >>> windows = tf.keras.preprocessing.sequence.TimeseriesGenerator(series, series, length=4)
        >>> samples, targets = windows[0]
        >>> samples.shape, targets
        ((2, 4), array([4., 5.]))
    """

    def __init__(
        self,
        data: Any,
        targets: Any,
        length: int,
        sampling_rate: int = 1,
        stride: int = 1,
        start_index: int = 0,
        end_index: int | None = None,
        shuffle: bool = False,
        reverse: bool = False,
        batch_size: int = 128,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if len(data) != len(targets):
            raise ValueError(
                f"`data` and `targets` must be of one length. Received: {len(data)} and "
                f"{len(targets)}"
            )
        self.data, self.targets = data, targets
        self.length, self.sampling_rate, self.stride = length, sampling_rate, stride
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle, self.reverse, self.batch_size = shuffle, reverse, batch_size
        if self.start_index > self.end_index:
            raise ValueError(
                f"There is no target after the first window: start_index + length = "
                f"{self.start_index} is above end_index = {self.end_index}."
            )

    def __len__(self) -> int:
        span = self.batch_size * self.stride
        return (self.end_index - self.start_index + span) // span

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        if self.shuffle:
            rows = np.random.randint(self.start_index, self.end_index + 1, size=self.batch_size)
        else:
            first = self.start_index + self.batch_size * self.stride * index
            last = min(first + self.batch_size * self.stride, self.end_index + 1)
            rows = np.arange(first, last, self.stride)
        windows = [self.data[row - self.length : row : self.sampling_rate] for row in rows]
        samples = np.array(windows)
        targets = np.array([self.targets[row] for row in rows])
        return (samples[:, ::-1] if self.reverse else samples), targets

    def get_config(self) -> dict[str, Any]:
        """Return the arguments, with the data as JSON."""
        names = ("length", "sampling_rate", "stride", "start_index", "end_index", "shuffle")
        config = {name: getattr(self, name) for name in (*names, "reverse", "batch_size")}
        return {"data": _as_json(self.data), "targets": _as_json(self.targets), **config}

    def to_json(self, **kwargs: Any) -> str:
        """Return the config as JSON.

        Args:
            **kwargs: Arguments of `json.dumps`.
        """
        return json.dumps(
            {"class_name": type(self).__name__, "config": self.get_config()}, **kwargs
        )


def _as_json(data: Any) -> str:
    return json.dumps(data.tolist() if isinstance(data, (np.ndarray, np.generic)) else data)


def make_sampling_table(size: int, sampling_factor: float = 1e-05) -> np.ndarray:
    """Return the probabilities to keep words by rank, for words as frequent as Zipf's law says.

    Args:
        size: Number of words.
        sampling_factor: Factor of word2vec: a smaller one drops more of the frequent words.

    Returns:
        An array of `size` probabilities.

    Example:
        >>> tf.keras.preprocessing.sequence.make_sampling_table(3).shape
        (3,)
    """
    rank = np.arange(size)
    rank[0] = 1
    inverse_frequency = rank * (np.log(rank) + _GAMMA) + 0.5 - 1.0 / (12.0 * rank)
    scaled = sampling_factor * inverse_frequency
    return np.minimum(1.0, scaled / np.sqrt(scaled))


def skipgrams(
    sequence: Any,
    vocabulary_size: int,
    window_size: int = 4,
    negative_samples: float = 1.0,
    shuffle: bool = True,
    categorical: bool = False,
    sampling_table: Any = None,
    seed: int | None = None,
) -> tuple[list[list[int]], list[Any]]:
    """Return pairs of words and whether the second stands near the first.

    Args:
        sequence: Numbers of words; 0 is no word.
        vocabulary_size: All numbers are below it.
        window_size: How far neighbours reach on each side.
        negative_samples: Number of pairs with a random word for each with a neighbour.
        shuffle: Whether the pairs come in random order.
        categorical: Whether labels are `[0, 1]` and `[1, 0]` instead of 1 and 0.
        sampling_table: Probability to keep a word, by its number; None to keep all.
        seed: Seed of the order.

    Returns:
        A list of pairs, and a list of labels.

    Example:
        >>> pairs, labels = tf.keras.preprocessing.sequence.skipgrams(
        ...     [1, 2, 3], vocabulary_size=4, window_size=1, negative_samples=0, shuffle=False
        ... )
        >>> pairs
        [[1, 2], [2, 1], [2, 3], [3, 2]]
    """
    pairs: list[list[int]] = []
    for place, word in enumerate(sequence):
        if not word or (sampling_table is not None and sampling_table[word] < random.random()):
            continue
        start, end = max(0, place - window_size), min(len(sequence), place + window_size + 1)
        others = (sequence[at] for at in range(start, end) if at != place)
        pairs += [[word, other] for other in others if other]
    labels: list[Any] = [[0, 1] if categorical else 1] * len(pairs)
    count = int(len(pairs) * negative_samples)
    if count > 0:
        words = [pair[0] for pair in pairs]
        random.shuffle(words)
        draws = range(count)
        pairs += [[words[i % len(words)], random.randint(1, vocabulary_size - 1)] for i in draws]
        labels += [[1, 0] if categorical else 0] * count
    if shuffle:
        seed = random.randint(0, 10**7) if seed is None else seed
        for each in (pairs, labels):
            # The same order for both.
            random.seed(seed)
            random.shuffle(each)
    return pairs, labels
