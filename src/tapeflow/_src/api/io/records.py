"""TFRecord files: a sequence of records, each with its length and checksums.

    length (8 bytes) | masked CRC-32C of the length | record | masked CRC-32C of the record

all little-endian; the whole file may be compressed.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

from tapeflow._src.api.io.streams import open_stream, read_up_to
from tapeflow._src.core.crc32c import masked_crc32c
from tapeflow._src.core.errors import DataLossError, FailedPreconditionError
from tapeflow._src.core.paths import local_path, open_local, translated
from tapeflow._src.ops.io.raw import WINDOW_BITS

_HEADER = struct.Struct("<QI")
_FOOTER = struct.Struct("<I")
_LENGTH = struct.Struct("<Q")
_BUFFER = 256 * 1024


class TFRecordOptions:
    """How a file of records is compressed.

    Args:
        compression_type: "GZIP", "ZLIB", or "" or None for none.
        flush_mode: Accepted for compatibility.
        input_buffer_size: Accepted: buffers are the operating system's.
        output_buffer_size: Accepted, likewise.
        window_bits: zlib's size of the window, as a power of two.
        compression_level: zlib's level from 0 to 9.
        compression_method: zlib's method.
        mem_level: zlib's memory level from 1 to 9.
        compression_strategy: zlib's strategy.

    Raises:
        ValueError: If the compression is unknown.

    Example:
        >>> tf.io.TFRecordOptions(compression_type="GZIP", compression_level=9).compression_type
        'GZIP'
    """

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """Return the compression name of options, or of a name.

        Args:
            options: `TFRecordOptions`, a name, or None.

        Raises:
            ValueError: If the compression is unknown.

        Example:
            >>> tf.io.TFRecordOptions.get_compression_type_string("ZLIB")
            'ZLIB'
        """
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if options not in WINDOW_BITS:
            expected = ", ".join(map(repr, ("", *WINDOW_BITS)))
            raise ValueError(f"compression_type: expected one of {expected}. Received: {options!r}")
        return str(options)


def _compressor(options: TFRecordOptions, kind: str) -> Any:
    bits = WINDOW_BITS[kind]
    if options.window_bits is not None:
        bits = options.window_bits | (bits & 16)
    return zlib.compressobj(
        level=_value_or(options.compression_level, zlib.Z_DEFAULT_COMPRESSION),
        method=_value_or(options.compression_method, zlib.DEFLATED),
        wbits=bits,
        memLevel=_value_or(options.mem_level, zlib.DEF_MEM_LEVEL),
        strategy=_value_or(options.compression_strategy, zlib.Z_DEFAULT_STRATEGY),
    )


def _value_or(value: int | None, default: int) -> int:
    return default if value is None else value


class TFRecordWriter:
    """Writes records to a TFRecord file; an existing file is replaced.

    Args:
        path: The path of the file.
        options: `TFRecordOptions`, or the name of a compression.

    Example:
        >>> with tf.io.TFRecordWriter("data.tfrecord") as writer:
        ...     writer.write(b"first")
        ...     writer.write(b"second")
        >>> [record.numpy() for record in tf.data.TFRecordDataset("data.tfrecord")]
        [b'first', b'second']
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        kind = TFRecordOptions.get_compression_type_string(options)
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(options)
        self._compressor = _compressor(options, kind) if kind else None
        self._path = local_path(path)
        with translated(self._path):
            self._file: Any = open_local(self._path, "wb", _BUFFER)  # closed by `close`

    def write(self, record: Any) -> None:
        """Append a record.

        Args:
            record: Bytes; a string is encoded as UTF-8.

        Raises:
            TypeError: If it is something else.
            tf.errors.FailedPreconditionError: If the writer is closed.

        Example:
            >>> with tf.io.TFRecordWriter("records") as writer:
            ...     writer.write(b"first")
            >>> list(tf.data.TFRecordDataset("records").as_numpy_iterator())
            [b'first']
        """
        if isinstance(record, str):
            record = record.encode()
        if not isinstance(record, bytes | bytearray | memoryview):
            raise TypeError(f"A record is a string of bytes, not {type(record).__name__}.")
        data = bytes(record)
        length = _LENGTH.pack(len(data))
        framed = b"".join(
            (length, _FOOTER.pack(masked_crc32c(length)), data, _FOOTER.pack(masked_crc32c(data)))
        )
        file = self._open()
        with translated(self._path):
            file.write(framed if self._compressor is None else self._compressor.compress(framed))

    def _open(self) -> Any:
        if self._file is None:
            raise FailedPreconditionError(None, None, f"Writer is closed: {self._path}")
        return self._file

    def flush(self) -> None:
        """Flush buffered records to the operating system.

        Example:
            >>> with tf.io.TFRecordWriter("records") as writer:
            ...     writer.write(b"first")
            ...     writer.flush()
        """
        file = self._open()
        with translated(self._path):
            if self._compressor is not None:
                file.write(self._compressor.flush(zlib.Z_SYNC_FLUSH))
            file.flush()

    def close(self) -> None:
        """Close the file.

        Example:
            >>> writer = tf.io.TFRecordWriter("records")
            >>> writer.write(b"first")
            >>> writer.close()
        """
        file, self._file = self._file, None
        if file is not None:
            with translated(self._path), file:
                if self._compressor is not None:
                    file.write(self._compressor.flush())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


# -- reading -----------------------------------------------------------------------------------


def read_records(path: Any, compression_type: str | None = "") -> Iterator[bytes]:
    """Yield the records of a file. DataLossError names the offset of one that is damaged."""
    kind = TFRecordOptions.get_compression_type_string(compression_type)
    name = local_path(path)
    with open_stream(path, kind, whole=False) as stream:
        at = 0
        while True:
            record = _read_record(stream, at, name)
            if record is None:
                return
            yield record
            at += _HEADER.size + len(record) + _FOOTER.size


def _read_record(stream: Any, at: int, name: str) -> bytes | None:
    header = stream.read(_HEADER.size)
    if not header:
        return None
    if len(header) < _HEADER.size:
        raise _data_loss(f"truncated record at {at}: its length is incomplete", name)
    length, check = _HEADER.unpack(header)
    if masked_crc32c(header[:8]) != check:
        raise _data_loss(
            f"corrupted record at {at}: the checksum of its length is wrong. Check that this is a "
            f"TFRecord file, and that compression_type is the one it was written with",
            name,
        )
    body = read_up_to(stream, length + _FOOTER.size)
    if len(body) < length + _FOOTER.size:
        missing = length + _FOOTER.size - len(body)
        raise _data_loss(f"truncated record at {at}: its last {missing} bytes are missing", name)
    record: bytes = body[:length]
    if masked_crc32c(record) != _FOOTER.unpack_from(body, length)[0]:
        raise _data_loss(f"corrupted record at {at}: its checksum does not match", name)
    return record


def _data_loss(what: str, name: str) -> DataLossError:
    return DataLossError(None, None, f"{name}: {what}.")
