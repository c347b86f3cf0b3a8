"""Datasets of `tf.train.Example` records: `parse_example_dataset` and files of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tapeflow._src.api.io.examples import parse_example
from tapeflow._src.core import dtypes
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data.arguments import AUTOTUNE
from tapeflow._src.data.dataset import Dataset
from tapeflow._src.data.file_datasets import TFRecordDataset


def parse_example_dataset(
    features: Mapping[str, Any], num_parallel_calls: Any = 1, deterministic: bool | None = None
) -> Callable[[Dataset], Dataset]:
    """Return a transformation from batches of serialized Examples to dicts of features.

    Args:
        features: The configuration of each feature, as `tf.io.parse_example` takes it.
        num_parallel_calls: How many batches are parsed at once.
        deterministic: Whether order matters; batches stay in order in any case.

    Returns:
        A function of a dataset, for `Dataset.apply`.

    Raises:
        ValueError: If `features` is empty.
    """
    if not features:
        raise ValueError("`features` is empty: name at least one feature to parse.")

    def parsed(dataset: Dataset) -> Dataset:
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec) or spec.dtype is not dtypes.string:
            raise TypeError(
                f"Expected a dataset of batches of strings. Received elements of {spec}"
            )
        if spec.shape.rank not in (None, 1):
            raise TypeError(f"Expected a dataset of batches, vectors of strings. Received: {spec}")
        return dataset.map(
            lambda batch: parse_example(batch, features), num_parallel_calls, deterministic
        )

    return parsed


def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: Any,
    features: Mapping[str, Any],
    reader: Any = None,
    label_key: str | None = None,
    reader_args: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    reader_num_threads: int | None = None,
    parser_num_threads: int | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """Read files of Examples as batches of dicts of features.

    Args:
        file_pattern: A glob pattern, or several.
        batch_size: How many Examples make a batch.
        features: The configuration of each feature, as `tf.io.parse_example` takes it.
        reader: Maps a file name to a dataset of records, or of pairs of a key and a record;
            `tf.data.TFRecordDataset` by default.
        label_key: The feature that is the label, apart from the dict of the others.
        reader_args: Further arguments of `reader`.
        num_epochs: How often all files are read; without end by default.
        shuffle: Whether to shuffle files and records.
        shuffle_buffer_size: From how many records each is drawn.
        shuffle_seed: The seed.
        prefetch_buffer_size: How many batches are made ahead.
        reader_num_threads: How many files are read in turn; one after the other by default.
        parser_num_threads: How many batches are parsed at once.
        sloppy_ordering: Whether order may vary; it does not.
        drop_final_batch: Whether to leave out a last batch that is smaller.

    Returns:
        A dataset of dicts, or of pairs of a dict and the label.
    """
    if label_key and label_key not in features:
        raise ValueError(f"`label_key` must be one of {list(features)}. Received: {label_key!r}")
    read, arguments = reader or TFRecordDataset, reader_args or ()
    files = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    records = files.interleave(
        lambda name: read(name, *arguments),
        cycle_length=reader_num_threads or 1,
        deterministic=not sloppy_ordering,
    )
    if isinstance(records.element_spec, tuple):
        records = records.map(lambda key, record: record)
    if shuffle:
        records = records.shuffle(shuffle_buffer_size, shuffle_seed)
    # An endless dataset has no last batch.
    batches = records.repeat(num_epochs).batch(batch_size, drop_final_batch or num_epochs is None)
    dataset = batches.apply(parse_example_dataset(features, parser_num_threads or 2))
    if label_key:
        dataset = dataset.map(lambda batch: (batch, batch.pop(label_key)))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
