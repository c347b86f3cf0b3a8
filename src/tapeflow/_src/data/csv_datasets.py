"""Datasets of files with comma-separated values: `CsvDataset` and `make_csv_dataset`."""

from __future__ import annotations

import csv
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow._src.api.io.gfile.folders import glob
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.paths import as_text
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data.arguments import int64
from tapeflow._src.data.csv_records import csv_dataset
from tapeflow._src.data.dataset import Dataset
from tapeflow._src.data.file_datasets import TextLineDataset, names_of, names_tensor
from tapeflow._src.data.recipe import Recipe

_INTEGERS = (dtypes.int32, dtypes.int64)
_FLOATS = (dtypes.float32, dtypes.float64)
_BUFFER = 4 << 20


class CsvDataset(Dataset):
    r"""The rows of CSV files, as tuples of one scalar a column.

    Quoted fields may hold line breaks.

    Args:
        filenames: The names, as a string, a list, a tensor or a dataset.
        record_defaults: For each column that is read its default value, or its dtype if a
            missing value is an error.
        compression_type: `"ZLIB"`, `"GZIP"` or None.
        buffer_size: How many bytes are read at once.
        header: Whether the first line of each file is left out.
        field_delim: What separates fields.
        use_quote_delim: Whether double quotes can surround fields.
        na_value: The text that stands for a missing value, besides the empty one.
        select_cols: The sorted indices of the columns to read; all by default.
        exclude_cols: The indices of the columns to leave out.

    Example:
        >>> tf.io.write_file("table.csv", "name,count\na,1\nb,\n")
        >>> dataset = tf.data.experimental.CsvDataset("table.csv", ["", 0], header=True)
        >>> [(name.numpy(), int(count)) for name, count in dataset]
        [(b'a', 1), (b'b', 0)]
    """

    def __init__(
        self,
        filenames: Any,
        record_defaults: Sequence[Any],
        compression_type: Any = None,
        buffer_size: Any = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Sequence[int] | None = None,
        exclude_cols: Sequence[int] | None = None,
    ) -> None:
        defaults = [_default(each) for each in record_defaults]
        spec = tuple(TensorSpec([], default.dtype) for default in defaults)
        shapes = tuple(each.shape for each in spec)
        options = (
            dispatch.convert(header),
            dispatch.convert(field_delim, dtypes.string),
            dispatch.convert(use_quote_delim),
            dispatch.convert(na_value, dtypes.string),
            int64([] if select_cols is None else select_cols),
            defaults,
            int64([] if exclude_cols is None else exclude_cols),
        )
        compression = dispatch.convert(compression_type or "", dtypes.string)
        size = int64(_BUFFER if buffer_size is None else buffer_size)

        def rows(files: Any) -> Dataset:
            variant = csv_dataset(files, compression, size, *options, output_shapes=shapes)
            return Dataset._made(Recipe("CsvDataset", variant, spec))

        if isinstance(filenames, Dataset):
            dataset = names_of(filenames).flat_map(rows)
        else:
            dataset = rows(names_tensor(filenames))
        super().__init__(dataset._variant_tensor)
        self._kind = "CsvDataset"
        self._layout = dataset._layout


def _default(value: Any) -> Any:
    """Convert a default to a vector; an empty one of a dtype means that a value is required."""
    if isinstance(value, dtypes.DType):
        return dispatch.convert(np.zeros([0], value.as_numpy_dtype), value)
    tensor = dispatch.convert(value)
    return dispatch.convert([value]) if tensor.static_shape == () else tensor


def make_csv_dataset(
    file_pattern: Any,
    batch_size: int,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[Any] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: Any = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Dataset:
    """Read batches of CSV files as dicts of columns; the label is beside them.

    Args:
        file_pattern: A glob pattern, or several; at least one file must match.
        batch_size: How many rows make a batch.
        column_names: Names of the columns; those of the headers by default.
        column_defaults: Per column a default, or a dtype that requires a value; else inferred.
        label_name: The column that is the label, apart from the dict.
        select_columns: Names or indices of the columns to read; all by default.
        field_delim: What separates fields.
        use_quote_delim: Whether double quotes can surround fields.
        na_value: A text that stands for a missing value, besides the empty one.
        header: Whether the first line of each file is a header.
        num_epochs: How often all rows are read; without end by default.
        shuffle: Whether to shuffle files and rows.
        shuffle_buffer_size: From how many rows each is drawn.
        shuffle_seed: Seed of the order.
        prefetch_buffer_size: How many batches are made ahead; 1 by default.
        num_parallel_reads: How many files are read in turn; 1 by default.
        sloppy: Whether rows may arrive in another order.
        num_rows_for_inference: From how many rows dtypes are inferred; None for all.
        compression_type: `"ZLIB"`, `"GZIP"` or None.
        ignore_errors: Whether rows that raise errors are skipped.
        encoding: The encoding of the header and of the rows for inference.

    Returns:
        A dataset of dicts, or of pairs of a dict and the label.

    Example:
        >>> with open("table.csv", "w") as file:
        ...     n = file.write("a,b" + chr(10) + "1,x" + chr(10) + "2,y")
        >>> ds = tf.data.experimental.make_csv_dataset("table.csv", 2, shuffle=False, num_epochs=1)
        >>> next(iter(ds))["a"].numpy()
        array([1, 2], dtype=int32)
    """
    quoting = {"field_delim": field_delim, "use_quote_delim": use_quote_delim}
    head = _Head(_matching(file_pattern), header, compression_type, encoding, quoting)
    names, columns = head.selected(column_names, select_columns)
    rows = head.reader(columns, column_defaults, num_rows_for_inference, na_value)
    order = (shuffle_buffer_size, shuffle_seed) if shuffle else None
    dataset = _interleaved(head.files, rows, order, num_parallel_reads, sloppy, ignore_errors)
    dataset = dataset.repeat(num_epochs).batch(batch_size, drop_remainder=num_epochs is None)
    dataset = dataset.map(_packer(names, label_name))
    return dataset.prefetch(1 if prefetch_buffer_size is None else prefetch_buffer_size)


def _interleaved(
    files: list[str],
    rows: Callable[[Any], Dataset],
    order: tuple[int, int | None] | None,
    num_parallel_reads: int | None,
    sloppy: bool,
    ignore_errors: bool,
) -> Dataset:
    """Return the rows of files; `order` is the size of a buffer to shuffle with, and a seed."""
    dataset = Dataset.from_tensor_slices(files)
    if order is not None:
        dataset = dataset.shuffle(len(files), order[1])
    cycle = num_parallel_reads or 1
    dataset = dataset.interleave(rows, cycle_length=cycle, deterministic=not sloppy)
    dataset = dataset.ignore_errors() if ignore_errors else dataset
    return dataset if order is None else dataset.shuffle(*order)


def _packer(names: list[str], label_name: str | None) -> Callable[..., Any]:
    """Return the function of fields that names them, with the label apart."""
    if label_name is not None and label_name not in names:
        raise ValueError(f"`label_name` must be one of {names}. Received: {label_name!r}")

    def features(*fields: Any) -> Any:
        values = OrderedDict(zip(names, fields))
        return values if label_name is None else (values, values.pop(label_name))

    return features


class _Head:
    """The first lines of CSV files, from which names and dtypes of columns are inferred."""

    def __init__(
        self, files: list[str], header: bool, compression: Any, encoding: str, quoting: Any
    ) -> None:
        self.files = files
        self._header = header
        self._compression = compression
        self._encoding = encoding
        self._quoting = quoting
        level = csv.QUOTE_MINIMAL if quoting["use_quote_delim"] else csv.QUOTE_NONE
        self._options = {"delimiter": quoting["field_delim"], "quoting": level}

    def _rows(self, file: str, count: int | None) -> list[list[str]]:
        # Names and dtypes are needed now, also while a graph is built.
        with dispatch.use_mode(dispatch.base_mode()):
            every = TextLineDataset(file, self._compression)
            lines = list((every if count is None else every.take(count)).as_numpy_iterator())
        try:
            texts = [line.decode(self._encoding) for line in lines]
            return list(csv.reader(texts, **self._options))
        except (UnicodeDecodeError, csv.Error) as error:
            raise ValueError(f"The first rows of {file} are no CSV: {error}") from error

    def names(self, column_names: Sequence[str] | None) -> list[str]:
        """Return the names of the columns: the argument, or those in the headers."""
        if column_names is None:
            if not self._header:
                raise ValueError("`column_names` are required for files without a header.")
            headers = [self._header_of(file) for file in self.files]
            for file, other in zip(self.files, headers):
                if other != headers[0]:
                    raise ValueError(
                        f"All files must have the same header. Received {headers[0]} in "
                        f"{self.files[0]} and {other} in {file}"
                    )
            column_names = headers[0]
        if len(set(column_names)) != len(column_names):
            raise ValueError(f"The names of columns must be unique. Received: {column_names}")
        return list(column_names)

    def selected(
        self, column_names: Sequence[str] | None, select_columns: Sequence[Any] | None
    ) -> tuple[list[str], list[int]]:
        """Return the names and the indices of the columns to read."""
        names = self.names(column_names)
        columns = _selected(names, select_columns)
        return [names[column] for column in columns], columns

    def reader(
        self, columns: list[int], defaults: Sequence[Any] | None, count: int | None, na_value: str
    ) -> Callable[[Any], Dataset]:
        """Return a function that reads a file; `count` rows are for defaults that are missing."""
        values = self.defaults(columns, count, na_value) if defaults is None else defaults
        options = {"na_value": na_value, "select_cols": columns, **self._quoting}
        return lambda file: CsvDataset(
            file, values, self._compression, header=self._header, **options
        )

    def _header_of(self, file: str) -> list[str]:
        rows = self._rows(file, 1)
        if not rows:
            raise ValueError(f"Expected a header in the first line of {file}, which is empty.")
        return rows[0]

    def defaults(self, columns: list[int], count: int | None, na_value: str) -> list[Any]:
        """Infer the defaults of columns from the first `count` rows."""
        rows = self._rows(self.files[0], None if count is None else count + self._header)
        rows = rows[int(self._header) :]
        for number, row in enumerate(rows):
            if len(row) <= max(columns, default=-1):
                raise ValueError(
                    f"Expected {max(columns) + 1} fields or more in row {number} of "
                    f"{self.files[0]}, received {len(row)}: {row}"
                )
        return [_inferred([row[column] for row in rows], na_value) for column in columns]


def _matching(file_pattern: Any) -> list[str]:
    patterns = [file_pattern] if isinstance(file_pattern, (str, bytes)) else file_pattern
    patterns = patterns if isinstance(patterns, (list, tuple)) else [patterns]
    files = sorted({as_text(name) for pattern in patterns for name in glob(pattern)})
    if not files:
        raise ValueError(f"No file matches `file_pattern`. Received: {file_pattern!r}")
    return files


def _selected(names: list[str], select_columns: Any) -> list[int]:
    if select_columns is None:
        return list(range(len(names)))
    unknown: list[Any] = [c for c in select_columns if isinstance(c, str) and c not in names]
    unknown += [c for c in select_columns if isinstance(c, int) and not 0 <= c < len(names)]
    if unknown:
        raise ValueError(f"`select_columns` must be columns of {names}. Received: {unknown}")
    columns = [names.index(c) if isinstance(c, str) else int(c) for c in select_columns]
    if len(set(columns)) != len(columns):
        raise ValueError(f"`select_columns` must be unique. Received: {list(select_columns)}")
    return sorted(columns)


def _inferred(values: list[str], na_value: str) -> Any:
    """Infer the default of a column: zero of the first dtype that parses all its values."""
    present = [value for value in values if value not in ("", na_value)]
    for dtype in _INTEGERS:
        if all(_is_integer(value, dtype) for value in present):
            return dispatch.convert([0], dtype)
    for dtype in _FLOATS:
        if all(_is_number(value, dtype) for value in present):
            return dispatch.convert([0.0], dtype)
    return dispatch.convert([""], dtypes.string)


def _is_integer(value: str, dtype: Any) -> bool:
    try:
        return bool(dtype.min <= int(value) <= dtype.max)
    except ValueError:
        return False


def _is_number(value: str, dtype: Any) -> bool:
    try:
        number = float(value)
    except ValueError:
        return False
    return not np.isfinite(number) or abs(number) <= dtype.max
