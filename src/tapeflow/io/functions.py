"""`tf.io`: reading values out of bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.core import dispatch, dtypes
from tapeflow.ops.strings import bytes_array
from tapeflow.ops.strings import decode_raw as decode_raw_op


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
        array = tensor._static
        padded = [t[:fixed_length].ljust(fixed_length, b"\0") for t in array.reshape(-1).tolist()]
        tensor = dispatch.convert(bytes_array(padded).reshape(np.shape(array)))
    return decode_raw_op(tensor, out_type=out_type, little_endian=little_endian, name=name)
