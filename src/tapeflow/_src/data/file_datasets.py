"""Datasets of files: `TextLineDataset`, `TFRecordDataset` and `FixedLengthRecordDataset`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from tapeflow._src.api.elements import Layout
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data import files
from tapeflow._src.data.arguments import AUTOTUNE, int64
from tapeflow._src.data.dataset import Dataset
from tapeflow._src.data.recipe import Recipe

_A_RECORD = TensorSpec([], dtypes.string)


class _FileDataset(Dataset):
    """The records of files, named by strings, tensors or a dataset."""

    def __init__(
        self,
        filenames: Any,
        read: Callable[[Any], Any],
        num_parallel_reads: Any,
        kind: str,
        name: str | None,
    ) -> None:
        def records(file: Any) -> Dataset:
            return Dataset._made(Recipe(kind, read(file), _A_RECORD))

        names = names_of(filenames)
        if num_parallel_reads is None:
            dataset = names.flat_map(records, name=name)
        else:
            cycle = None if num_parallel_reads == AUTOTUNE else num_parallel_reads
            dataset = names.interleave(records, cycle, 1, num_parallel_reads, name=name)
        super().__init__(dataset._variant_tensor)
        self._kind = kind
        self._layout = Layout(_A_RECORD)


def names_of(filenames: Any) -> Dataset:
    """Return file names as a dataset of strings."""
    if isinstance(filenames, Dataset):
        if filenames.element_spec.dtype is not dtypes.string:
            raise TypeError(
                f"`filenames` must be strings. Received a dataset of {filenames.element_spec}"
            )
        return filenames
    names = names_tensor(filenames)
    return (
        Dataset.from_tensors(names)
        if names.static_shape == ()
        else Dataset.from_tensor_slices(names)
    )


def names_tensor(filenames: Any) -> Any:
    """Convert a file name, or a list of them, to a tensor of strings; paths are names, too."""
    if isinstance(filenames, os.PathLike):
        filenames = os.fspath(filenames)
    elif isinstance(filenames, list | tuple):
        filenames = [os.fspath(n) if isinstance(n, os.PathLike) else n for n in filenames]
    return dispatch.convert(filenames, dtypes.string)


def _text(value: Any) -> Any:
    return dispatch.convert(value or "", dtypes.string)


class TextLineDataset(_FileDataset):
    r"""The lines of text files, without line breaks.

    Args:
        filenames: The names, as a string, a list, a tensor or a dataset.
        compression_type: "", "ZLIB", "GZIP" or None.
        buffer_size: How many bytes are read at once.
        num_parallel_reads: How many files are read in turn; one after the other by default.

    Example:
        >>> tf.io.write_file("poem.txt", "one\ntwo\n")
        >>> [line.numpy() for line in tf.data.TextLineDataset("poem.txt")]
        [b'one', b'two']
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        def read(file: Any) -> Any:
            return files.text_line_dataset(file, _text(compression_type), int64(buffer_size or 0))

        super().__init__(filenames, read, num_parallel_reads, "TextLineDatasetV2", name)


class TFRecordDataset(_FileDataset):
    """The records of TFRecord files, each a string scalar.

    Args:
        filenames: The names, as a string, a list, a tensor or a dataset.
        compression_type: "", "ZLIB", "GZIP" or None.
        buffer_size: How many bytes are read at once.
        num_parallel_reads: How many files are read in turn; one after the other by default.

    Example:
        >>> with tf.io.TFRecordWriter("data.tfrecord") as writer:
        ...     writer.write(b"first")
        ...     writer.write(b"second")
        >>> [record.numpy() for record in tf.data.TFRecordDataset("data.tfrecord")]
        [b'first', b'second']
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        def read(file: Any) -> Any:
            return files.tf_record_dataset(file, _text(compression_type), int64(buffer_size or 0))

        super().__init__(filenames, read, num_parallel_reads, "TFRecordDatasetV2", name)


class FixedLengthRecordDataset(_FileDataset):
    """The fixed-length records of files, which may have a header and a footer.

    Args:
        filenames: The names, as a string, a list, a tensor or a dataset.
        record_bytes: Length of a record.
        header_bytes: Size of the header of each file, which is skipped.
        footer_bytes: Size of the footer of each file, which is not read.
        buffer_size: How many bytes are read at once.
        compression_type: "", "ZLIB", "GZIP" or None.
        num_parallel_reads: How many files are read in turn; one after the other by default.

    Example:
        >>> tf.io.write_file("words.bin", "onetwo")
        >>> dataset = tf.data.FixedLengthRecordDataset("words.bin", record_bytes=3)
        >>> [record.numpy() for record in dataset]
        [b'one', b'two']
    """

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        def read(file: Any) -> Any:
            return files.fixed_length_record_dataset_v2(
                file,
                int64(header_bytes or 0),
                int64(record_bytes),
                int64(footer_bytes or 0),
                int64(buffer_size or 0),
                _text(compression_type),
            )

        super().__init__(filenames, read, num_parallel_reads, "FixedLengthRecordDatasetV2", name)
