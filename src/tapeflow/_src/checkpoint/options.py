"""How checkpoints are written and read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class CheckpointOptions:
    """Options of `Checkpoint.save`, `write`, `read` and `restore`.

    A write is done when the call returns, so requesting an asynchronous one, another device to
    write
    from or other shards changes nothing.

    Args:
        experimental_io_device: Accepted for compatibility.
        experimental_enable_async_checkpoint: Former name of `enable_async`.
        experimental_write_callbacks: Functions that are called when the files are complete, with
            their prefix if they take an argument.
        enable_async: Accepted for compatibility.
        experimental_skip_slot_variables: Accepted for compatibility.
        experimental_sharding_callback: Accepted for compatibility.

    Example:
        >>> options = tf.train.CheckpointOptions(experimental_write_callbacks=[print])
        >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).write("noted", options=options)
        noted
    """

    __slots__ = (
        "enable_async",
        "experimental_enable_async_checkpoint",
        "experimental_io_device",
        "experimental_sharding_callback",
        "experimental_skip_slot_variables",
        "experimental_write_callbacks",
    )

    def __init__(
        self,
        experimental_io_device: Any = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Callable[..., Any]] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:
        self.experimental_io_device = experimental_io_device
        self.enable_async = experimental_enable_async_checkpoint or enable_async
        self.experimental_enable_async_checkpoint = self.enable_async
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback
