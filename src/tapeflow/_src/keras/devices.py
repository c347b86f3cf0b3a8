"""`device`: where the ops of a block run."""

from __future__ import annotations

from typing import Any

import tapeflow as tf


def device(device_name: str) -> Any:
    """Returns a scope whose ops run on a device, such as `"cpu:0"` or `"gpu:0"`."""
    if not isinstance(device_name, str):
        raise ValueError(
            f"`device_name` must be a string such as 'cpu:0'. Received: {device_name!r}"
        )
    return tf.device(device_name)
