"""`DatasetCreator`: a dataset that `fit` creates, for the part of the input that it reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf


class DatasetCreator:
    """Wraps a function that creates a dataset (Keras 2).

    `fit` calls it with a `tf.distribute.InputContext` and trains on what it returns; as such
    datasets usually repeat for ever, `steps_per_epoch` says how many batches an epoch has.

    Args:
        dataset_fn: A function of one argument, the input context, that returns a `tf.data.Dataset`
            of batches.
        input_options: The `tf.distribute.InputOptions` of datasets on several devices.

    >>> def create(context):
    ...     rows = tf.data.Dataset.from_tensors(([1.0], [2.0])).repeat()
    ...     return rows.batch(context.get_per_replica_batch_size(4))
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> data = tf.keras.utils.experimental.DatasetCreator(create)
    >>> model.fit(data, steps_per_epoch=2, verbose=0).epoch
    [0]
    """

    def __init__(self, dataset_fn: Callable[[Any], Any], input_options: Any = None) -> None:
        if not callable(dataset_fn):
            raise TypeError(
                f"DatasetCreator: `dataset_fn` must be a function of an input context. Received: "
                f"{dataset_fn!r} of type {type(dataset_fn).__name__}"
            )
        self.dataset_fn = dataset_fn
        self.input_options = input_options

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Create the dataset."""
        dataset = self.dataset_fn(*args, **kwargs)
        if not isinstance(dataset, tf.data.Dataset):
            raise TypeError(
                f"DatasetCreator: `dataset_fn` must return a tf.data.Dataset. Received: "
                f"{dataset!r} of type {type(dataset).__name__}"
            )
        return dataset
