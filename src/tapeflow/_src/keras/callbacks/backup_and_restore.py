"""`BackupAndRestore`: resumes interrupted training."""

from __future__ import annotations

import contextlib
import json
import os
import zipfile
import zlib
from typing import Any

import numpy as np

from tapeflow._src.internal.distribute import arrays_of_first_worker
from tapeflow._src.internal.files import make_folder, replacing, write_file
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.callbacks.callback import Callback

# The only files that are written and removed. The state names the values that belong to it; the
# next ones are written under the other name.
_STATE = "tapeflow-backup.json"
_VALUES = ("tapeflow-backup-0.npz", "tapeflow-backup-1.npz")
# What the header of an array takes in a file, at most.
_HEADER = 4096
_DAMAGED = (
    *(OSError, zipfile.BadZipFile, zlib.error, EOFError, ValueError, KeyError, TypeError),
    *(RuntimeError, MemoryError, OverflowError),
)


class BackupAndRestore(Callback):
    """Keeps the weights, the optimizer and the epoch in a folder until training is over.

    `fit`, called again after an interruption, resumes from the backup in the folder. Other files
    in the folder are left alone, and a folder that has some is not removed.

    Args:
        backup_dir: Folder of the backup.
        save_freq: `"epoch"`, or the number of batches between two backups.
        double_checkpoint: Whether to keep the backup before the last one, too, and to resume from
            it if the last one is damaged.
        delete_checkpoint: Whether to remove the backup when training ends.
        save_before_preemption: False: it needs a service that announces preemptions (Keras 2).

    Raises:
        ValueError: An argument is invalid, or a backup is damaged.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        >>> model.compile("sgd", "mse")
        >>> backup = tf.keras.callbacks.BackupAndRestore("backup")
        >>> history = model.fit(np.ones((8, 2)), np.ones((8, 1)), verbose=0, callbacks=[backup])
    """

    def __init__(
        self,
        backup_dir: Any,
        save_freq: Any = "epoch",
        double_checkpoint: bool = False,
        delete_checkpoint: bool = True,
        save_before_preemption: bool = False,
    ) -> None:
        super().__init__()
        if not backup_dir:
            raise ValueError("Empty `backup_dir` argument passed")
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(
                f"`save_freq` is 'epoch' or a number of batches. Received: save_freq={save_freq}"
            )
        if save_before_preemption:
            raise ValueError(
                "`save_before_preemption=True` needs a service that announces preemptions, which "
                "this machine does not have. Use `save_freq` with a small number of batches."
            )
        self.backup_dir = os.fspath(backup_dir)
        self.save_freq = save_freq
        self.double_checkpoint = double_checkpoint
        self.delete_checkpoint = delete_checkpoint
        self._current_epoch = 0
        self._batches = 0
        self._last_batch_seen = 0

    def _path(self, name: str) -> str:
        return os.path.join(self.backup_dir, name)

    def on_train_begin(self, logs: Any = None) -> None:
        strategy = self.model.distribute_strategy
        state = self._state() if strategy.extended.should_checkpoint else None
        # With several workers, the chief reads, and the others receive what it has read.
        epoch = -1 if state is None else state["epoch"]
        epoch = int(arrays_of_first_worker([np.array(epoch)], strategy)[0])
        if epoch < 0:
            return
        self._build()
        variables = self._variables()
        values = [variable.numpy() for variable in variables]
        if state is not None:
            values, epoch = self._restored(state, values)
        values.append(np.array(epoch))
        *values, epoch = arrays_of_first_worker(values, strategy)
        for variable, value in zip(variables, values):
            variable.assign(value)
        self.model._initial_epoch = int(epoch)

    def _restored(self, state: dict[str, Any], current: list[Any]) -> tuple[list[Any], int]:
        """Return the values of the last backup that is intact, and its epoch.

        current: the values of the variables now, whose shapes and dtypes are expected.
        """
        # All are read and checked before the first is assigned.
        try:
            values = self._read(state["values"], current)
        except ValueError as error:
            previous = state.get("previous")
            if previous is None:
                raise
            warn_user(f"{error} Training resumes from the backup before it.")
            state = previous
            values = self._read(state["values"], current)
        return values, state["epoch"]

    def _state(self) -> dict[str, Any] | None:
        """Return the metadata of the last backup; None if there is none."""
        path = self._path(_STATE)
        try:
            with open(path, encoding="utf-8") as file:
                state = json.load(file)
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError) as error:
            raise ValueError(f"The backup {path} is damaged: {error}. Remove it.") from error
        previous = state.get("previous") if isinstance(state, dict) else None
        if not _is_state(state) or not (previous is None or _is_state(previous)):
            raise ValueError(
                f"Expected the state of a backup in {path}, but received {str(state)[:200]}. "
                f"Remove it, or choose another `backup_dir`."
            )
        return state

    def _read(self, name: str, current: list[Any]) -> list[Any]:
        path = self._path(name)
        try:
            with zipfile.ZipFile(path) as archive, np.load(path, allow_pickle=False) as values:
                return [
                    _checked(archive, values, f"{number}.npy", expected)
                    for number, expected in enumerate(current)
                ]
        except _DAMAGED as error:
            raise ValueError(
                f"The backup {path} is damaged, or of another model: {error!r}. Remove "
                f"{self._path(_STATE)} to train from the beginning."
            ) from error

    def _build(self) -> None:
        optimizer = self.model.optimizer
        if optimizer is not None and not optimizer.built:
            optimizer.build(self.model.trainable_variables)

    def _variables(self) -> list[Any]:
        optimizer = self.model.optimizer
        return [*self.model.variables, *(optimizer.variables if optimizer is not None else ())]

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._current_epoch = epoch

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._current_epoch = epoch + 1
        if self.save_freq == "epoch":
            self._save()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._last_batch_seen = batch
        if self.save_freq == "epoch":
            return
        self._batches += 1
        if self._batches % self.save_freq == 0:
            self._save()

    def _save(self) -> None:
        """Write the values, then the state that names them: a kill leaves the old or the new."""
        # All workers read, as values may be combined from those of all; the chief writes.
        values = {str(n): each.numpy() for n, each in enumerate(self._variables())}
        if not self.model.distribute_strategy.extended.should_checkpoint:
            return
        make_folder(self.backup_dir)
        before = self._state()
        name = _VALUES[0] if before is None or before["values"] != _VALUES[0] else _VALUES[1]
        with replacing(self._path(name)) as file:
            np.savez(file, **values)
        state: dict[str, Any] = {"epoch": self._current_epoch, "values": name}
        if before is not None and self.double_checkpoint:
            state["previous"] = {"epoch": before["epoch"], "values": before["values"]}
        write_file(self._path(_STATE), json.dumps(state).encode())
        if before is not None and not self.double_checkpoint:
            self._remove(before["values"])

    def _remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.remove(self._path(name))

    def on_train_end(self, logs: Any = None) -> None:
        if (
            not self.delete_checkpoint
            or not self.model.distribute_strategy.extended.should_checkpoint
        ):
            return
        if self._state() is not None:
            # The state first: without it the values are nobody's.
            for name in (_STATE, *_VALUES):
                self._remove(name)
        with contextlib.suppress(OSError):  # it has other files, or does not exist
            os.rmdir(self.backup_dir)


def _is_state(state: Any) -> bool:
    """Return whether a value names an epoch and a file of values."""
    has_epoch = isinstance(state, dict) and isinstance(state.get("epoch"), int)
    return has_epoch and state.get("values") in _VALUES


def _checked(archive: zipfile.ZipFile, values: Any, name: str, expected: Any) -> Any:
    """The value of a variable; ValueError unless it has the size and the shape of `expected`."""
    size = archive.getinfo(name).file_size
    if size > expected.nbytes + _HEADER:
        raise ValueError(f"expected {expected.nbytes} bytes in '{name}', but received {size}")
    value = values[name.removesuffix(".npy")]
    if value.shape != expected.shape:
        raise ValueError(f"expected the shape {expected.shape}, but '{name}' has {value.shape}")
    if value.dtype.kind == "V":  # NumPy's files have the bytes of bfloat16, but not its name
        value = value.view(expected.dtype)
    if value.dtype != expected.dtype:
        raise ValueError(f"expected {expected.dtype}, but '{name}' has {value.dtype}")
    return value
