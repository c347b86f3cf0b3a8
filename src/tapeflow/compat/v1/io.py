"""`tf.compat.v1.io`: files and records, with signatures of TensorFlow 1 where they differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tapeflow import io as _io
from tapeflow._src.api.io.records import read_records as _read_records
from tapeflow._src.compat.v1.aliases import aliases as _aliases
from tapeflow._src.compat.v1.reordered import reordered as _reordered


class TFRecordCompressionType:
    """How the records of a file are compressed."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


_COMPRESSION = {0: "", 1: "ZLIB", 2: "GZIP"}


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """Return the records of a file, one after the other."""
    kind = getattr(options, "compression_type", options)
    return _read_records(path, _COMPRESSION.get(kind, kind) or "")


_PARSED = "serialized features name example_names"
decode_csv = _reordered(
    _io.decode_csv,
    "records record_defaults field_delim use_quote_delim name na_value select_cols",
)
decode_raw = _reordered(
    _io.decode_raw, "input_bytes out_type little_endian name bytes", {"bytes": "input_bytes"}
)
parse_example = _reordered(_io.parse_example, _PARSED)
parse_single_example = _reordered(_io.parse_single_example, _PARSED)
serialize_many_sparse = _reordered(_io.serialize_many_sparse, "sp_input name out_type")
serialize_sparse = _reordered(_io.serialize_sparse, "sp_input name out_type")

__getattr__, __dir__ = _aliases(__name__, globals(), {"gfile": "tapeflow.io"})
