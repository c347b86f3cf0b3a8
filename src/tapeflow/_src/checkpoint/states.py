"""The file `checkpoint` of a folder, which says which checkpoints are in it, the latest first."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from typing import Any

from tapeflow._src.checkpoint.bundle import exists
from tapeflow._src.checkpoint.files import read_file, write_file
from tapeflow._src.core import protos
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.log import logger
from tapeflow._src.core.paths import as_text, local_path

text_format = LazyModule("google.protobuf.text_format", "the states of checkpoints")

_FILE = "checkpoint"


def _state_file(folder: Any, name: str | None) -> str:
    return os.path.join(local_path(folder), name or _FILE)


def update_state(
    folder: str,
    latest: str,
    paths: Sequence[str],
    timestamps: Sequence[float] = (),
    last_preserved: float | None = None,
    name: str | None = None,
) -> None:
    """Write which checkpoints a folder has; paths in it are written without it.

    `name` is that of the file, if not "checkpoint".
    """

    def relative(path: str) -> str:
        inside = os.path.isabs(path) == os.path.isabs(folder)
        return os.path.relpath(path, folder or ".") if inside else path

    state = protos.CheckpointState(model_checkpoint_path=relative(latest))
    state.all_model_checkpoint_paths.extend(map(relative, paths))
    state.all_model_checkpoint_timestamps.extend(timestamps)
    if last_preserved is not None:
        state.last_preserved_timestamp = last_preserved
    write_file(_state_file(folder, name), text_format.MessageToString(state).encode())


def get_checkpoint_state(checkpoint_dir: Any, latest_filename: str | None = None) -> Any:
    """Read the file `checkpoint` of a folder.

    Args:
        checkpoint_dir: The folder.
        latest_filename: Another name of that file.

    Returns:
        A CheckpointState message with the paths of checkpoints, or None if there is no such file.

    Raises:
        ValueError: If the file names no checkpoint.

    Example:
        >>> print(tf.train.get_checkpoint_state("nowhere"))
        None
    """
    path = _state_file(checkpoint_dir, latest_filename)
    if not os.path.isfile(path):
        return None
    folder = as_text(checkpoint_dir)
    state = protos.CheckpointState()
    try:
        text_format.Merge(read_file(path).decode(), state)
    except (text_format.ParseError, UnicodeDecodeError) as error:
        logger.warning("%s: Checkpoint ignored: %s", path, error)
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {folder}")
    state.model_checkpoint_path = os.path.join(folder, state.model_checkpoint_path)
    absolute = [os.path.join(folder, path) for path in state.all_model_checkpoint_paths]
    del state.all_model_checkpoint_paths[:]
    state.all_model_checkpoint_paths.extend(absolute)
    return state


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """Return the path of a folder's latest checkpoint, or None.

    Args:
        checkpoint_dir: The folder that checkpoints were saved to.
        latest_filename: Name of the file that lists them; "checkpoint" by default.

    Returns:
        The prefix of its files, for `tf.train.Checkpoint.restore`; None if there is none.

    Example:
        >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).save("models/ckpt")
        >>> tf.train.latest_checkpoint("models")
        'models/ckpt-1'
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    path: str = state.model_checkpoint_path
    if exists(path):
        return path
    logger.error("Couldn't match files for checkpoint %s", path)
    return None


def checkpoints_iterator(
    checkpoint_dir: Any,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Any = None,
) -> Iterator[str]:
    """Yield each new checkpoint of a folder as it appears, for evaluation beside training.

    Args:
        checkpoint_dir: The folder.
        min_interval_secs: The least time between two checkpoints.
        timeout: How many seconds to wait for the next one; without end by default.
        timeout_fn: Function called when that time is up: True ends the iteration.

    Yields:
        The prefixes of checkpoints.

    Example:
        >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).save("watched/ckpt")
        >>> list(tf.train.checkpoints_iterator("watched", timeout=0))
        ['watched/ckpt-1']
    """
    last = None
    while True:
        path = _next_checkpoint(checkpoint_dir, last, timeout)
        if path is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        start = time.monotonic()
        last = path
        yield path
        time.sleep(max(0.0, start + min_interval_secs - time.monotonic()))


def _next_checkpoint(folder: Any, last: str | None, timeout: float | None) -> str | None:
    """Return the latest checkpoint once it is another than `last`, or None when time is up."""
    pause = 1.0 if timeout is None else min(1.0, timeout / 10)
    stop = None if timeout is None else time.monotonic() + timeout
    while True:
        path = latest_checkpoint(folder)
        if path is not None and path != last:
            return path
        if stop is not None and time.monotonic() + pause > stop:
            return None
        time.sleep(pause)
