"""`device`: where the ops of a block run."""

from __future__ import annotations

from typing import Any

import tapeflow as tf


def device(device_name: str) -> Any:
    """Returns a scope whose ops run on a device, such as `"cpu:0"` or `"gpu:0"`.

    Args:
        device_name: Name of a device.

    Returns:
        A context manager.

    Raises:
        ValueError: `device_name` is not a string.

    Example:
        >>> with tf.keras.device("cpu:0"):
        ...     x = tf.keras.ops.ones((2,))
    """
    if not isinstance(device_name, str):
        raise ValueError(
            f"`device_name` must be a string such as 'cpu:0'. Received: {device_name!r}"
        )
    return tf.device(device_name)
