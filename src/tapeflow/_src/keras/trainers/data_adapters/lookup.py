"""Which adapter takes which data."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.distribute import dataset_of_worker
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.replicas import spans_workers
from tapeflow._src.keras.trainers.data_adapters.arrays import (
    ArrayAdapter,
    are_arrays,
    scalars_as_array,
    series_as_column,
)
from tapeflow._src.keras.trainers.data_adapters.dataset_creator import DatasetCreator
from tapeflow._src.keras.trainers.data_adapters.iterables import (
    DatasetAdapter,
    GeneratorAdapter,
    GrainAdapter,
    is_generator,
    refuse_targets,
)
from tapeflow._src.keras.trainers.data_adapters.py_dataset import PyDataset, PyDatasetAdapter
from tapeflow._src.keras.trainers.data_adapters.worker_share import WorkerAdapter
from tapeflow._src.keras.utils.grain_datasets import is_grain

_DISTRIBUTED = tf.distribute.DistributedDataset


def adapter_for(
    x: Any,
    y: Any = None,
    sample_weight: Any = None,
    batch_size: int | None = None,
    shuffle: Any = False,
    class_weight: Any = None,
    strategy: Any = None,
) -> Any:
    """The adapter that returns batches of these data; with several workers, of this worker."""
    if strategy is not None and spans_workers(strategy):
        if isinstance(x, DatasetCreator):
            x, shuffle = strategy.distribute_datasets_from_function(x), False
        elif isinstance(x, tf.data.Dataset) and not isinstance(x, _DISTRIBUTED):
            x = dataset_of_worker(x, strategy)
        adapter = _adapter(x, y, sample_weight, batch_size, shuffle, class_weight)
        if isinstance(adapter, DatasetAdapter):
            return adapter
        return WorkerAdapter(adapter, strategy)
    if isinstance(x, DatasetCreator):
        x, shuffle = x(tf.distribute.InputContext()), False
    return _adapter(x, y, sample_weight, batch_size, shuffle, class_weight)


def _adapter(
    x: Any, y: Any, sample_weight: Any, batch_size: int | None, shuffle: Any, class_weight: Any
) -> Any:
    if isinstance(x, tf.data.Dataset):
        refuse_targets("tf.data.Dataset", y, sample_weight)
        _warn_of_shuffle(shuffle, "a tf.data.Dataset", "shuffle it with `.shuffle(buffer_size)`")
        return DatasetAdapter(x, class_weight)
    if isinstance(x, PyDataset):
        refuse_targets("PyDataset", y, sample_weight)
        if x.num_batches is None:
            _warn_of_shuffle(shuffle, "a PyDataset without an end", "have it shuffle its batches")
        return PyDatasetAdapter(x, class_weight, shuffle)
    if is_grain(x):
        refuse_targets("grain.Dataset or grain.DataLoader", y, sample_weight)
        _warn_of_shuffle(shuffle, "a dataset of Grain", "shuffle it with `.shuffle(seed)`")
        return GrainAdapter(x, class_weight)
    x, y, sample_weight = map(scalars_as_array, (x, y, sample_weight))
    if are_arrays(x):
        x, y, sample_weight = tf.nest.map_structure(series_as_column, (x, y, sample_weight))
        for name, value in (("y", y), ("sample_weight", sample_weight)):
            if value is not None and not are_arrays(value):
                raise ValueError(_unrecognized(name, value))
        if is_keras_2():
            y = tf.nest.map_structure(_as_column, y)
        return ArrayAdapter(x, y, sample_weight, batch_size, shuffle, class_weight)
    if is_generator(x):
        refuse_targets("generator", y, sample_weight)
        _warn_of_shuffle(shuffle, "a generator", "have it yield shuffled data")
        return GeneratorAdapter(x, class_weight)
    raise ValueError(_unrecognized("x", x))


def _warn_of_shuffle(shuffle: Any, kind: str, repair: str) -> None:
    # Keras 2 says nothing.
    if shuffle and not is_keras_2():
        warn_user(
            f"`shuffle=True` (the default) has no effect, as `x` is {kind}: {repair}, and pass "
            f"`shuffle=False`."
        )


def _as_column(array: Any) -> Any:
    """Expand labels of shape (batch,) to (batch, 1), as Keras 2 does."""
    return array if len(getattr(array, "shape", ())) != 1 else np.asarray(array)[:, np.newaxis]


def _unrecognized(name: str, value: Any) -> str:
    shown = repr(value)
    shown = shown if len(shown) < 200 else f"{shown[:200]}…"
    return (
        f"Unrecognized data type: {name}={shown} of type {type(value).__name__}. Pass NumPy arrays "
        f"or tensors (also in lists and dicts), a tf.data.Dataset, a dataset of Grain, "
        f"or a generator or keras.utils.PyDataset of batches."
    )
