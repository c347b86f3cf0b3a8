"""A fingerprint of each row of a tensor: eight bytes that hardly two rows share."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.infer import require_rank, require_rank_at_least
from tapeflow._src.core.registry import UNREGISTERED, Free, InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.strings.hash import farm_fingerprint
from tapeflow._src.ops.strings.text import HOST

_METHOD = b"farmhash64"


@op("Fingerprint", grad=UNREGISTERED, host=HOST, checked=True)
def fingerprint(xp, data, method: Free):
    """Compute FarmHash's fingerprint of the bytes of each row.

    Of strings, that of their fingerprints.
    """
    xp.require(method.item() == _METHOD, lambda: f"Unsupported fingerprint method: {method}")
    rows = [_bytes(row) for row in data.reshape(len(data), -1)] if data.size else []
    prints = np.array([farm_fingerprint(row) for row in rows], "<u8")
    return prints.view(np.uint8).reshape(-1, 8) if len(rows) else _empty(data)


def _bytes(row: np.ndarray) -> bytes:
    if row.dtype != object:
        return row.tobytes()
    if len(row) == 1:
        text: bytes = row.item()
        return text
    return np.array([farm_fingerprint(text) for text in row.tolist()], "<u8").tobytes()


def _empty(data: Any) -> np.ndarray:
    """Return the fingerprints of rows without bytes."""
    empty_fingerprint = np.array([farm_fingerprint(b"")] * len(data), "<u8")
    return empty_fingerprint.view(np.uint8).reshape(-1, 8)


@fingerprint.infer
def _(data, method):
    require_rank_at_least(data, 1, "data")
    require_rank(method, 0, "method")
    if method.dtype is not dtypes.string:
        raise InferError(f"method must be a string, got {method.dtype.name}")
    return Spec((None if data.shape is None else data.shape[0], 8), dtypes.uint8)
