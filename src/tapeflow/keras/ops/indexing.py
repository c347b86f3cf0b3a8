"""Elements and parts of tensors by their position."""

from __future__ import annotations

import functools
from typing import Any

from tapeflow.keras.ops.declaring import declare

_op = functools.partial(declare, family="numpy")


@_op(call=("x", "key"))
def get_item(x: Any, key: Any) -> Any:
    """Returns `x[key]`."""
    return x[tuple(key) if isinstance(key, list) else key]
