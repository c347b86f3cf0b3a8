"""`tf.io`: reading values out of bytes."""

from __future__ import annotations

from typing import Any

from tapeflow.core import dispatch, dtypes
from tapeflow.ops.io_raw import decode_padded_raw
from tapeflow.ops.io_raw import decode_raw as decode_raw_op


def decode_raw(
    input_bytes: Any,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> Any:
    """The bytes of each string as numbers; with `fixed_length`, cut or filled up with zeros."""
    tensor = dispatch.convert(input_bytes, dtypes.string)
    if fixed_length is not None:
        length = dispatch.convert(fixed_length, dtypes.int32)
        return decode_padded_raw(
            tensor, length, out_type=out_type, little_endian=little_endian, name=name
        )
    return decode_raw_op(tensor, out_type=out_type, little_endian=little_endian, name=name)
