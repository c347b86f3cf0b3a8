"""A process that is told to end saves a checkpoint first, and resumes from it when restarted."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.distribute import preemption
from tapeflow._src.distribute.preemption import _Agreement
from tests.distribute.test_liveness import Group

STEPS = 6


@pytest.fixture(autouse=True)
def restored_signal() -> Any:
    handler = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, handler)


class Training:
    """Steps that depend on all steps before, in a program that may be started again."""

    def __init__(self, folder: Path, **config: Any) -> None:
        self.strategy = tf.distribute.MirroredStrategy(["CPU:0"])
        with self.strategy.scope():
            self.value = tf.Variable(1.0)
            self.step = tf.Variable(0)
        self.handler = tf.distribute.experimental.PreemptionCheckpointHandler(
            None,
            tf.train.Checkpoint(value=self.value, step=self.step),
            folder,
            tf.distribute.experimental.TerminationConfig(**config),
        )

    def run(self, before: Callable[[int], None] = lambda step: None) -> float:
        @tf.function
        def train() -> None:
            self.strategy.run(lambda: self.value.assign(self.value * 1.5 + 1))

        while int(self.step) < STEPS:
            before(int(self.step))
            self.handler.run(train)
            self.step.assign_add(1)
        return float(self.value)


def noticed(handler: Any) -> None:
    """Wait until the notice has arrived."""
    end = time.monotonic() + 10
    while not handler._agreement.is_announced(handler._notice) and time.monotonic() < end:
        time.sleep(0.001)


def test_a_signal_saves_and_exits_and_the_next_start_resumes(tmp_path: Path) -> None:
    expected = Training(tmp_path / "undisturbed").run()
    training = Training(tmp_path / "run")

    def before(step: int) -> None:
        if step == 3:
            os.kill(os.getpid(), signal.SIGTERM)
            noticed(training.handler)

    with pytest.raises(SystemExit) as caught:
        training.run(before)
    assert caught.value.code == 42
    again = Training(tmp_path / "run")
    assert (int(again.step), again.handler.total_run_calls) == (3, 3)
    assert again.run() == expected
    assert again.handler.total_run_calls == STEPS


def test_functions_of_the_configuration_are_called(tmp_path: Path) -> None:
    ending = threading.Event()
    calls: list[str] = []
    training = Training(
        tmp_path,
        termination_watcher_fn=ending.is_set,
        exit_fn=lambda: calls.append("exit"),
        save_fn=lambda: calls.append("save"),
    )
    ending.set()
    noticed(training.handler)
    training.handler.save_checkpoint_if_preempted()
    assert calls == ["save", "exit"]
    # The program has decided to go on: the checkpoint was saved once.
    training.handler.save_checkpoint_if_preempted()
    training.handler.run(lambda: None)
    assert calls == ["save", "exit"]


def test_a_grace_period_is_used_for_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    training = Training(tmp_path, grace_period=1000.0)
    handler = training.handler
    saves: list[int] = []
    handler._save_fn = lambda: saves.append(handler.total_run_calls)

    def before(step: int) -> None:
        if step == 1:
            os.kill(os.getpid(), signal.SIGTERM)
            noticed(handler)
        if step == 4:
            handler._grace_period = 1e-9

    with pytest.raises(SystemExit):
        training.run(before)
    assert saves == [1, 4]


def test_a_checkpoint_needs_a_folder_and_parameter_servers_are_refused() -> None:
    create = tf.distribute.experimental.PreemptionCheckpointHandler
    with pytest.raises(tf.errors.InvalidArgumentError, match="checkpoint_dir"):
        create(None, tf.train.Checkpoint())
    cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1"]})
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster)
    with pytest.raises(NotImplementedError, match="parameter servers"):
        create(resolver, tf.train.Checkpoint(), "folder")


@pytest.mark.parametrize("begun", [(4, 4, 4), (4, 5, 4), (5, 4, 5)])
def test_workers_agree_on_a_step_that_nobody_has_passed(begun: tuple[int, ...]) -> None:
    group = Group()
    try:
        agreements = [_Agreement(worker, 0) for worker in group.workers]
        for agreement, count in zip(agreements, begun, strict=True):
            assert agreement.begin(count, 0)
        agreements[1].announce(0)
        steps = [agreement.step(0) for agreement in agreements]
        assert steps == [max(begun)] * 3
        assert not any(agreement.begin(9, 0) for agreement in agreements)
    finally:
        group.close()


def test_a_watcher_names_the_worker_that_is_about_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    group = Group()
    try:
        monkeypatch.setattr(preemption, "_liveness", lambda: group.workers[1])
        watcher = tf.distribute.experimental.PreemptionWatcher()
        assert watcher.preemption_message is None
        watcher.block_until_worker_exit()
        _Agreement(group.workers[2], 0).announce(0)
        end = time.monotonic() + 5
        while watcher.preemption_message is None and time.monotonic() < end:
            time.sleep(0.002)
        assert "/job:worker/task:2" in str(watcher.preemption_message)
        group.kill(2)
        watcher.block_until_worker_exit()
    finally:
        group.close()
