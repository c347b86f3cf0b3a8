"""Processes whose devices form meshes: `tf.experimental.dtensor` and `keras.distribution`.

`join` is called once, when the system of one of them is initialized. Every process then runs the
same program on tensors that all devices share; XLA's partitioner exchanges what it has to.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from tapeflow._src.core import process_group, random_state
from tapeflow._src.core.devices import placement
from tapeflow._src.core.errors import OpError
from tapeflow._src.distribute.program_order import ProgramOrder
from tapeflow._src.distribute.workers import (
    TIMEOUT_VARIABLE,
    Worker,
    WorkerGroup,
    check_addresses,
    share_cores,
    timeout,
)
from tapeflow._src.executors import exiting

# How long a process that has ended waits for the others: so long is the error late by which they
# name it, if they need it.
_LAST_WAIT_SECONDS = 10.0


class MeshGroup(WorkerGroup):
    """This process and the others of a mesh: what they exchange is compared, see `ProgramOrder`."""

    _stays = True

    def __init__(self, workers: Sequence[Worker], rank: int, devices: int, setting: str) -> None:
        self._order: ProgramOrder | None = None
        super().__init__(workers, rank, timeout(), devices, setting)
        self._order = ProgramOrder(self.liveness, timeout(), TIMEOUT_VARIABLE)
        self._process = os.getpid()
        atexit.register(self._leave_together)

    def run(self, call: Callable[[], Any], label: str, signature: str = "") -> Any:
        return self.liveness.run(partial(self._compared, call, label, signature))

    @exiting.enters_xla
    def _compared(self, call: Callable[[], Any], label: str, signature: str) -> Any:
        if self._order is not None:
            self._order.announce(label, signature)
        if exiting.leaving:
            exiting.park()
        return call()

    def _leave_together(self) -> None:
        """At the end of a program without an error, wait some time for the others to get there.

        Those may still exchange something in groups of devices that this process has no part in,
        or connect by way of the first one.
        """
        if os.getpid() != self._process or hasattr(sys, "last_value") or self.liveness.is_broken:
            return
        with suppress(OpError):
            self.meet("end of the program", _LAST_WAIT_SECONDS)

    def meet(self, name: str, seconds: float | None = None) -> list[str]:
        """Wait until all processes have called it with this name; return who did not in time."""
        self.liveness.set(f"{name}/{self.rank}", True)
        keys = {f"{name}/{rank}": worker.name for rank, worker in enumerate(self.workers)}
        return self.liveness.wait_for(keys, seconds)


def join(job: str, addresses: Sequence[str], rank: int, setting: str) -> MeshGroup:
    """Meet the other processes of a program, or return the group if that was done before.

    addresses: where each process can be reached, in the order of their numbers. rank: the number of
    this one. setting: what the user sets both by, for messages.

    Raises:
        ValueError: An address is wrong, or this process has met those of another program.
        DeadlineExceededError: A process, which is named, did not come in time.
        InvalidArgumentError: A process has other settings, or another number of devices.
    """
    workers = [Worker(job, number, address) for number, address in enumerate(addresses)]
    check_addresses(workers, setting)
    joined = process_group.joined()
    devices = placement.logical_cpus
    if joined is None:
        placement.in_use = True
        group = MeshGroup(workers, rank, devices, setting)
        process_group.join(group)
        placement.own_task = (job, rank)
        share_cores(workers, rank)
        _share_randomness(group)
        return group
    names = [worker.name for worker in workers]
    if isinstance(joined, MeshGroup):
        same = [worker.name for worker in joined.workers] == names and joined.rank == rank
        if same and joined.devices_per_worker == devices:
            return joined
    raise ValueError(
        f"This process is already number {joined.rank} of {joined.size} in a group of processes, "
        f"and cannot be number {rank} of {names} with {devices} devices each: a program belongs to "
        f"one group. Use one of tf.experimental.dtensor, keras.distribution.initialize and "
        f"tf.distribute.MultiWorkerMirroredStrategy, or the same settings for all."
    )


def joined() -> MeshGroup | None:
    """Return the group that this process has joined by `join`, or None."""
    group = process_group.joined()
    return group if isinstance(group, MeshGroup) else None


def _share_randomness(group: MeshGroup) -> None:
    """Let operations without a seed draw the same numbers in all processes.

    What all of them compute on replicated tensors, such as dropout, has to be the same.
    """
    own = np.frombuffer(os.urandom(8), np.uint32)
    (first,) = group.broadcast([own])
    random_state.share(first.tobytes())
