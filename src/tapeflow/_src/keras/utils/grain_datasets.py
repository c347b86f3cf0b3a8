"""Datasets of Grain, which Keras offers beside those of `tf.data`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.core.lazy import LazyModule

_grain = LazyModule("grain", needed_for="`format='grain'`")


def grain_dataset(
    source: Any, load: Callable[[Any], Any], batch_size: int | None, seed: int | None
) -> Any:
    """Return a `grain.IterDataset` of batches of what `load` returns for each element.

    Args:
        source: a list or array.
        batch_size: None for single elements.
        seed: for shuffling, in the same order each time; None keeps the order.
    """
    dataset = _grain.MapDataset.source(source)
    if seed is not None:
        dataset = dataset.shuffle(seed=seed)
    dataset = dataset.map(load).to_iter_dataset()
    return dataset if batch_size is None else dataset.batch(batch_size, batch_fn=_stacked)


def _stacked(elements: Any) -> Any:
    return tf.nest.map_structure(lambda *parts: tf.stack(parts), *elements)


def is_grain(value: Any) -> bool:
    """Whether a value is a dataset or a loader of Grain, which is not imported for that."""
    return any(each.__module__.partition(".")[0] == "grain" for each in type(value).__mro__)
