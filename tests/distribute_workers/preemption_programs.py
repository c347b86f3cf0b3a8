"""Workers of which one is told to end: all save after the same step, exit, and resume.

`FAULT_FOLDER` is the folder of the run. A worker whose number is in `PREEMPTED` sends SIGTERM to
itself in the middle of a step. Each writes the number of steps that it has taken to `saved-<task>`
when it exits, and its weights to `weights-<task>.npz` at the end.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import tapeflow as tf
from tests.distribute_workers.fault_programs import BATCH, STEPS, _data, _finish, _model, _strategy

STEP_OF_SIGNAL = 5
_WITHIN_GRACE = 3


class _Training:
    """Steps that depend on all steps before, and their number."""

    def __init__(self) -> None:
        self.strategy, self.folder, self.task = _strategy()
        self.is_preempted = str(self.task) in os.environ.get("PREEMPTED", "").split(",")
        with self.strategy.scope():
            self.model = _model()
            optimizer = tf.keras.optimizers.Adam(0.05)
            self.model.optimizer = optimizer
            optimizer.build(self.model.trainable_variables)
            self.step = tf.Variable(0, dtype=tf.int64)
        self.checkpoint = tf.train.Checkpoint(model=self.model, optimizer=optimizer, step=self.step)

    def handler(self, saved: Any, folder: Path | None, **config: Any) -> Any:
        return tf.distribute.experimental.PreemptionCheckpointHandler(
            self.strategy.cluster_resolver,
            saved,
            folder,
            tf.distribute.experimental.TerminationConfig(**config),
        )

    def batches(self) -> Any:
        dataset = tf.data.Dataset.from_tensor_slices(_data()).batch(BATCH).repeat()
        skipped = dataset.skip(int(self.step))
        return iter(self.strategy.experimental_distribute_dataset(skipped))

    def take_step(self, batch: Any) -> None:
        if self.is_preempted and int(self.step) == STEP_OF_SIGNAL:
            os.kill(os.getpid(), signal.SIGTERM)
        self._train(batch)
        self.step.assign_add(1)

    @tf.function(jit_compile=False)
    def _train(self, batch: Any) -> None:
        variables, optimizer = self.model.trainable_variables, self.model.optimizer

        def replica(x: Any, y: Any) -> None:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((self.model(x) - y) ** 2) / BATCH
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

        self.strategy.run(replica, args=batch)

    def note(self, handler: Any) -> None:
        text = f"{int(self.step)} {handler.total_run_calls}"
        (self.folder / f"saved-{self.task}").write_text(text)


def by_run() -> None:
    """Take steps by `run`; the first worker writes the files for all."""
    training = _Training()
    handler = training.handler(training.checkpoint, training.folder / "checkpoints")
    iterator = training.batches()
    try:
        while int(training.step) < STEPS:
            handler.run(training.take_step, next(iterator))
    except SystemExit:
        training.note(handler)
        raise
    assert handler.total_run_calls == STEPS
    _finish(training.model, training.folder, training.task)


def by_call_after_steps() -> None:
    """Take steps and then call the handler, with a manager of each worker, and a grace period."""
    training = _Training()
    own = training.folder / f"checkpoints-{training.task}"
    manager = tf.train.CheckpointManager(training.checkpoint, own, max_to_keep=None)
    handler: Any = None

    def leave() -> None:
        training.note(handler)
        sys.exit(7)

    handler = training.handler(manager, None, exit_fn=leave, grace_period=1.0)
    iterator = training.batches()
    while int(training.step) < STEPS:
        training.take_step(next(iterator))
        handler.save_checkpoint_if_preempted()
        if int(training.step) == STEP_OF_SIGNAL + _WITHIN_GRACE and training.is_preempted:
            # The next step begins after the grace period.
            time.sleep(1.0)
    _finish(training.model, training.folder, training.task)
