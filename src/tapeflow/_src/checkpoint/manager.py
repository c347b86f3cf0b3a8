"""`CheckpointManager`: numbers checkpoints in one folder, and deletes old ones."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from tapeflow._src.checkpoint.bundle import delete_bundle
from tapeflow._src.checkpoint.checkpoint import Checkpoint
from tapeflow._src.checkpoint.in_common import once
from tapeflow._src.checkpoint.options import CheckpointOptions
from tapeflow._src.checkpoint.states import get_checkpoint_state, update_state
from tapeflow._src.core import process_group
from tapeflow._src.core.paths import as_text, local_path

_HOUR = 3600.0


class CheckpointManager:
    """Keeps the last `max_to_keep` checkpoints of a folder.

    With `keep_checkpoint_every_n_hours` one of each such period is never deleted. With
    `step_counter` and `checkpoint_interval`, `save` does nothing until so many steps have passed.

    Args:
        checkpoint: The `tf.train.Checkpoint` to save and restore.
        directory: The folder.
        max_to_keep: How many checkpoints to keep; None for all.
        keep_checkpoint_every_n_hours: Period of which one checkpoint is never deleted.
        checkpoint_name: What the names of files begin with.
        step_counter: Variable with the number of steps.
        checkpoint_interval: Number of steps between two checkpoints.
        init_fn: Function that `restore_or_initialize` calls if there is no checkpoint.
        last_checkpoint_step: The step of the last checkpoint, if it was written elsewhere.

    Raises:
        ValueError: If `max_to_keep` is less than 1, or there is an interval without a counter.

    Example:
        >>> checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
        >>> manager = tf.train.CheckpointManager(checkpoint, "run", max_to_keep=2)
        >>> for _ in range(3):
        ...     path = manager.save()
        >>> manager.checkpoints
        ['run/ckpt-2', 'run/ckpt-3']
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                "max_to_keep must be 1 or more, or None to keep all checkpoints; received "
                f"{max_to_keep}."
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "checkpoint_interval counts steps: pass `step_counter`, the variable that holds "
                "them."
            )
        self._checkpoint = checkpoint
        self._max_to_keep = max_to_keep
        self._every_n_hours = keep_checkpoint_every_n_hours
        self._directory = as_text(directory)
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._step_counter = step_counter
        self._interval = checkpoint_interval
        self._init_fn = init_fn
        self._last_step = last_checkpoint_step
        # Those that may be deleted, oldest first, with the time at which each was written.
        self._deletable: dict[str, float] = {}
        self._latest: str | None = None
        self._last_preserved = time.time()
        self._recover()

    def _recover(self) -> None:
        """Continue with the checkpoints of the folder."""
        state = get_checkpoint_state(self._directory)
        if state is None:
            return
        self._latest = state.model_checkpoint_path
        paths = list(state.all_model_checkpoint_paths)
        times = list(state.all_model_checkpoint_timestamps)
        if len(times) != len(paths):
            times = [time.time()] * len(paths)
        self._deletable = dict(zip(paths, times))
        self._last_preserved = state.last_preserved_timestamp or self._last_preserved

    @property
    def directory(self) -> str:
        return self._directory

    @property
    def checkpoint(self) -> Checkpoint:
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The prefix of the files written last, or None."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The prefixes of the files that may still be deleted, oldest first."""
        return list(self._deletable)

    def save(
        self,
        checkpoint_number: Any = None,
        check_interval: bool = True,
        options: CheckpointOptions | None = None,
    ) -> str | None:
        """Write a checkpoint and delete those that are too old; None if it is not time yet.

        Args:
            checkpoint_number: Number of the checkpoint; by default one more than the last.
            check_interval: Whether to heed `checkpoint_interval`.
            options: A `tf.train.CheckpointOptions`.

        Returns:
            The prefix of the files, or None if nothing was written.
        """
        if check_interval and not self._is_time():
            return None
        if self._interval is not None:
            self._last_step = int(self._step_counter)
        if checkpoint_number is None:
            checkpoint_number = self._checkpoint.save_counter.assign_add(1)
        path = self._checkpoint.write(f"{self._prefix}-{int(checkpoint_number)}", options)
        self._deletable.pop(path, None)
        self._deletable[path] = time.time()
        self._latest = path
        in_common = self._checkpoint._cp_in_common
        once(in_common, self._keep_record)
        if in_common and not process_group.is_first():
            self._sweep(lambda path: None)
        return path

    def _keep_record(self) -> None:
        # Before old files go, the state names files that stay.
        self._record()
        self._sweep(self._delete)
        self._record()

    def _is_time(self) -> bool:
        if self._last_step is None or self._interval is None:
            return True
        return int(self._step_counter) >= self._last_step + self._interval

    def _record(self) -> None:
        if self._latest is not None:
            paths = self.checkpoints
            times = [self._deletable[path] for path in paths]
            update_state(self._directory, self._latest, paths, times, self._last_preserved)

    def _sweep(self, delete: Callable[[str], None]) -> None:
        """Delete the oldest checkpoints, except those that are never deleted."""
        if self._max_to_keep is None:
            return
        while len(self._deletable) > self._max_to_keep:
            path = next(iter(self._deletable))
            written = self._deletable.pop(path)
            hours = self._every_n_hours
            if hours is not None and written - hours * _HOUR >= self._last_preserved:
                self._last_preserved = written
                continue
            delete(path)

    def _delete(self, prefix: str) -> None:
        """Delete the files of a checkpoint of this folder, and no others."""
        path = local_path(prefix)
        folder = os.path.abspath(local_path(self._directory))
        if os.path.dirname(os.path.abspath(path)) == folder:
            delete_bundle(path)

    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint of the folder and return it, or call `init_fn`.

        Returns:
            The prefix of the restored checkpoint, or None if there was none.

        Example:
            >>> checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
            >>> manager = tf.train.CheckpointManager(checkpoint, "empty", max_to_keep=1)
            >>> print(manager.restore_or_initialize())
            None
        """
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._last_step is None and self._step_counter is not None:
                self._last_step = int(self._step_counter)
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None

    def sync(self) -> None:
        """Wait for writes under way: there are none, they end with `save`."""
