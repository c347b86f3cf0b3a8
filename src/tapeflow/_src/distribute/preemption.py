"""Checkpoints before a machine is taken away: all workers save after the same step, and exit.

A worker that has to end (by SIGTERM, or as a watcher function reports) announces it to the others
(`liveness`). Each answers with the number of calls that it has begun, and begins no other until
all answers are there. They save after the largest of these numbers: nobody is beyond it, and
everybody can reach it.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import Any, NoReturn

from tapeflow._src.checkpoint.checkpoint import Checkpoint
from tapeflow._src.checkpoint.manager import CheckpointManager
from tapeflow._src.core import dtypes, process_group
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.log import logger
from tapeflow._src.core.paths import local_path
from tapeflow._src.distribute.liveness import Liveness
from tapeflow._src.eager.variable import Variable

# The exit code by which a platform knows that the program is to be started again.
_RESTART_CODE = 42
# The name of the variable in files that counts calls of `run`.
_RUNS = "checkpointed_runs"
_POLL_SECONDS = 1.0
# The last checkpoint of a grace period begins so many calls before its end.
_SPARE_RUNS = 6


def _exit() -> NoReturn:
    sys.exit(_RESTART_CODE)


class TerminationConfig:
    """How a `PreemptionCheckpointHandler` learns of the end of a machine, and what it does then.

    Args:
        termination_watcher_fn: Function without arguments that returns True once the machine is
            going to end; it is called every second. None for the signal SIGTERM.
        exit_fn: Function without arguments that ends the program after a checkpoint; None for
            `sys.exit(42)`.
        grace_period: Seconds between the notice and the end. If positive, training goes on for
            most of them, and a second checkpoint is saved.
        save_fn: Function that saves a checkpoint, instead of `tf.train.CheckpointManager.save`.

    Example:
        >>> config = tf.distribute.experimental.TerminationConfig(exit_fn=lambda: exit(143))
        >>> config.grace_period is None
        True
    """

    def __init__(
        self,
        termination_watcher_fn: Callable[[], Any] | None = None,
        exit_fn: Callable[[], Any] | None = None,
        grace_period: float | None = None,
        save_fn: Callable[..., Any] | None = None,
    ) -> None:
        self.termination_watcher_fn = termination_watcher_fn
        self.exit_fn = exit_fn
        self.grace_period = grace_period
        self.save_fn = save_fn


class _Agreement:
    """After which call the workers save: once for a notice, once more at the end of its grace.

    Without other workers, that is the call that was begun last.
    """

    def __init__(self, liveness: Liveness | None, begun: int) -> None:
        self._liveness = liveness
        self._lock = threading.Lock()
        self._begun = begun
        # By the number of the notice: the largest number of calls that this process knew of.
        self._answers: dict[int, int] = {}
        if liveness is not None:
            liveness.listen(self._heard)

    @staticmethod
    def _key(notice: int) -> str:
        return f"preemption/{notice}"

    def announce(self, notice: int) -> None:
        """Tell all workers that one of them is to end. Called on any thread."""
        if self._liveness is None:
            self._answer(notice)
        else:
            self._liveness.set(self._key(notice), self._liveness.rank)

    def _heard(self, key: str, value: Any) -> None:
        for notice in (0, 1):
            if self._liveness is not None and key == self._key(notice):
                begun = self._answer(notice)
                self._liveness.set(f"{key}/{self._liveness.rank}", begun)

    def _answer(self, notice: int) -> int:
        with self._lock:
            return self._answers.setdefault(notice, self._begun)

    def is_announced(self, notice: int) -> bool:
        """Whether this process may begin no other call before it has requested `step`."""
        with self._lock:
            return notice in self._answers

    def begin(self, count: int, notice: int) -> bool:
        """Note that call number `count` begins, unless there is a notice; return whether it may."""
        with self._lock:
            if notice in self._answers:
                return False
            self._begun = count
            return True

    def step(self, notice: int) -> int:
        """Wait for the answers of all workers; return the number of calls to save after."""
        if self._liveness is None:
            return self._answer(notice)
        key = self._key(notice)
        ranks = range(len(self._liveness.names))
        return max(int(self._liveness.get(f"{key}/{rank}")) for rank in ranks)


class PreemptionCheckpointHandler:
    """Saves a checkpoint on all workers when one of them is about to be taken away, and exits.

    Creating a handler restores the latest checkpoint, so that a program that is started again goes
    on where it was. A step of training runs through `run`, or is followed by
    `save_checkpoint_if_preempted`: there, before the next step, checkpoints are saved. All workers
    save after the same number of steps.

    Args:
        cluster_resolver: The cluster resolver of the strategy; None without one.
        checkpoint_or_checkpoint_manager: A `tf.train.Checkpoint`, of which the first worker writes
            files to `checkpoint_dir`, or a `tf.train.CheckpointManager`, which must have a folder
            of its own in each worker.
        checkpoint_dir: The folder of the files of a `tf.train.Checkpoint`, which all workers see.
        termination_config: A `tf.distribute.experimental.TerminationConfig`.

    Raises:
        InvalidArgumentError: A `tf.train.Checkpoint` comes without a folder.
        NotImplementedError: The cluster has parameter servers.

    Example:
        >>> step = tf.Variable(0)
        >>> handler = tf.distribute.experimental.PreemptionCheckpointHandler(
        ...     None, tf.train.Checkpoint(step=step), "backups"
        ... )
        >>> while step < 3:
        ...     result = handler.run(lambda: step.assign_add(1))
        >>> handler.total_run_calls
        3
    """

    def __init__(
        self,
        cluster_resolver: Any,
        checkpoint_or_checkpoint_manager: Any,
        checkpoint_dir: Any = None,
        termination_config: TerminationConfig | None = None,
    ) -> None:
        jobs = [] if cluster_resolver is None else cluster_resolver.cluster_spec().jobs
        if "ps" in jobs:
            raise NotImplementedError(
                "PreemptionCheckpointHandler saves at a step that all workers take together. With "
                f"parameter servers they do not. Received a cluster with the jobs {sorted(jobs)}."
            )
        config = termination_config or TerminationConfig()
        self._exit_fn = config.exit_fn or _exit
        self._grace_period = config.grace_period or 0.0
        self._liveness = _liveness()
        self._reader, self._writer = self._managers(
            checkpoint_or_checkpoint_manager, checkpoint_dir
        )
        self._save_fn = config.save_fn or self._writer.save
        self._checkpointed_runs = Variable(0, trainable=False, dtype=dtypes.int64, name=_RUNS)
        if not hasattr(self._reader.checkpoint, _RUNS):
            setattr(self._reader.checkpoint, _RUNS, self._checkpointed_runs)
        self._reader.restore_or_initialize()
        self._runs = int(self._checkpointed_runs)
        self._run_seconds = 0.0
        self._agreement = _Agreement(self._liveness, self._runs)
        # The number of the notice that comes next: 1 in the grace period after the first.
        self._notice = 0
        self._noticed_at: float | None = None
        self._notices: SimpleQueue[bool] = SimpleQueue()
        threading.Thread(
            target=self._watch,
            args=(config.termination_watcher_fn,),
            name="tapeflow_preemption",
            daemon=True,
        ).start()
        if config.termination_watcher_fn is None:
            signal.signal(signal.SIGTERM, lambda number, frame: self._notices.put(True))

    def _managers(self, saved: Any, folder: Any) -> tuple[CheckpointManager, CheckpointManager]:
        """Return the managers to read and to write by: only the first worker writes for all."""
        if not isinstance(saved, Checkpoint):
            return saved, saved
        if not folder:
            raise InvalidArgumentError(
                None,
                None,
                "PreemptionCheckpointHandler needs a folder for the files of a tf.train.Checkpoint:"
                " pass checkpoint_dir, or a tf.train.CheckpointManager instead.",
            )
        reader = CheckpointManager(saved, folder, max_to_keep=1)
        rank = 0 if self._liveness is None else self._liveness.rank
        if rank == 0:
            return reader, reader
        base = os.path.normpath(reader.directory)
        temporary = os.path.join(
            os.path.dirname(base), f"workertemp_{rank}", os.path.basename(base)
        )
        return reader, CheckpointManager(saved, temporary, max_to_keep=1)

    @property
    def total_run_calls(self) -> int:
        """The number of calls of `run`, with those before the program was started again."""
        return self._runs

    def run(self, distributed_train_function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Save a checkpoint and exit if it is time for that; otherwise call a function.

        Args:
            distributed_train_function: A function that takes one step of training.
            *args: Its arguments.
            **kwargs: Its keyword arguments.

        Returns:
            What the function returns.
        """
        self._check((), {})
        start = time.monotonic()
        result = distributed_train_function(*args, **kwargs)
        self._runs += 1
        self._run_seconds += (time.monotonic() - start - self._run_seconds) / self._runs
        return result

    def save_checkpoint_if_preempted(self, *args: Any, **kwargs: Any) -> None:
        """Save a checkpoint and exit if it is time for that; called after each step.

        Args:
            *args: Arguments for `tf.train.CheckpointManager.save`.
            **kwargs: Keyword arguments for it.
        """
        self._check(args, kwargs)
        self._runs += 1

    @contextmanager
    def watch_preemption_scope(self) -> Iterator[None]:
        """A scope in which a program trains; `run` does what is needed in it or without it."""
        yield

    # -- notices -----------------------------------------------------------------------------------

    def _watch(self, is_ending: Callable[[], Any] | None) -> None:
        """Announce the notice, of a signal or of a function that is called every second."""
        if is_ending is None:
            self._notices.get()
        else:
            while not is_ending():
                time.sleep(_POLL_SECONDS)
        self._noticed_at = time.monotonic()
        logger.info("This process is to end: a checkpoint is saved after this step.")
        self._agreement.announce(0)

    def _grace_ends(self) -> bool:
        """Whether this process got the notice, and its grace period is about to end."""
        if self._noticed_at is None or self._notice == 0:
            return False
        spare = _SPARE_RUNS * self._run_seconds
        return time.monotonic() > self._noticed_at + self._grace_period - spare

    def _check(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Save if the workers have agreed on this step; otherwise the next call begins."""
        if self._grace_ends() and not self._agreement.is_announced(self._notice):
            self._agreement.announce(self._notice)
        if self._agreement.begin(self._runs + 1, self._notice):
            return None
        # Beyond that step, an `exit_fn` has returned: training goes on.
        if self._runs != self._agreement.step(self._notice):
            return None
        self._save(args, kwargs)
        if self._grace_period > 0 and self._notice == 0:
            self._notice = 1
            return self._check(args, kwargs)
        self._clean_up()
        self._exit_fn()
        return None

    def _save(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._checkpointed_runs.assign(self._runs)
        self._save_fn(*args, **kwargs)
        logger.info("Saved a checkpoint after %d calls, before this process ends.", self._runs)

    def _clean_up(self) -> None:
        """Delete what a worker other than the first has written, and wait for the first."""
        if self._writer is not self._reader:
            with suppress(OSError):
                shutil.rmtree(os.path.dirname(local_path(self._writer.directory)))
        group = process_group.joined()
        if group is not None:
            group.barrier()


def _liveness() -> Liveness | None:
    """Return the watch over the other workers, if there are some."""
    return getattr(process_group.joined(), "liveness", None)


class PreemptionWatcher:
    """Tells whether a worker of this program is about to be taken away.

    `preemption_message` is None until then. In a program of one process, and in workers that no
    `PreemptionCheckpointHandler` watches, it stays None.

    Example:
        >>> watcher = tf.distribute.experimental.PreemptionWatcher()
        >>> print(watcher.preemption_message)
        None
    """

    def __init__(self) -> None:
        self._message: str | None = None
        self._liveness = _liveness()
        self._rank: int | None = None
        if self._liveness is None:
            logger.warning(
                "PreemptionWatcher: this program has one process, which no other can warn."
            )
        else:
            self._liveness.listen(self._heard)

    def _heard(self, key: str, value: Any) -> None:
        if self._liveness is not None and key == _Agreement._key(0):
            self._rank = int(value)
            self._message = f"{self._liveness.names[self._rank]} is about to end."

    @property
    def preemption_message(self) -> str | None:
        """Which worker is about to end, or None."""
        return self._message

    def block_until_worker_exit(self) -> None:
        """Wait until the worker of the message has ended; returns at once without one."""
        if self._liveness is not None and self._rank is not None:
            self._liveness.wait_until_gone(self._rank)
