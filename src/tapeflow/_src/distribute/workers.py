"""The processes of a multi-worker program: who they are, how they start, what they exchange.

`start` is called once, when a strategy of several workers is created. The workers meet at the
address of the first (`roll_call`), and then exchange arrays (`collectives`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tapeflow._src.api.config.threading import get_intra_op_parallelism_threads
from tapeflow._src.backends import blas, onednn
from tapeflow._src.backends.threads import cores
from tapeflow._src.core import process_group
from tapeflow._src.core.devices import placement
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.distribute.liveness import Liveness
from tapeflow._src.distribute.relay import Relay
from tapeflow._src.distribute.roll_call import TF_CONFIG, await_all, call_first, free_port
from tapeflow._src.executors.compiler import INSTALL

collectives = LazyModule(
    "tapeflow._src.distribute.collectives", "strategies of several workers", INSTALL
)

# Jobs whose tasks train, in the order of their ranks.
TRAINING = ("chief", "worker")
# Seconds to wait for the other workers.
TIMEOUT_VARIABLE = "TAPEFLOW_WORKERS_TIMEOUT"
_TIMEOUT = 300.0
# The number of threads that the user has chosen for OpenMP.
_THREADS = "OMP_NUM_THREADS"


def timeout() -> float:
    """Return how many seconds to wait for other workers."""
    return float(os.environ.get(TIMEOUT_VARIABLE) or _TIMEOUT)


class Worker:
    """A task of the cluster that trains."""

    def __init__(self, job: str, task: int, address: str) -> None:
        self.job, self.task, self.address = job, task, address

    @property
    def name(self) -> str:
        """The name in messages: job, index and address, if that is known."""
        name = f"/job:{self.job}/task:{self.task}"
        return f"{name} ({self.address})" if self.address else name

    @property
    def device(self) -> str:
        """The name of its device, as TensorFlow has it."""
        return f"/job:{self.job}/replica:0/task:{self.task}/device:CPU:0"


def workers_of(cluster: Any) -> list[Worker]:
    """Return the tasks that train, by rank: the chief comes first."""
    return [
        Worker(job, task, cluster.task_address(job, task))
        for job in TRAINING
        if job in cluster.jobs
        for task in cluster.task_indices(job)
    ]


class WorkerGroup:
    """This process and the others, connected.

    Collectives are called in the same order in all processes; each waits for the others, and raises
    UnavailableError if one of them is gone.
    """

    # Whether groups of their devices meet later on, too.
    _stays = False

    def __init__(
        self,
        workers: Sequence[Worker],
        rank: int,
        timeout: float,
        devices: int = 1,
        setting: str = TF_CONFIG,
    ) -> None:
        self.workers = tuple(workers)
        self.rank, self.size = rank, len(workers)
        self.devices_per_worker = devices
        names = [worker.name for worker in workers]
        cluster = {
            "workers": [[w.job, w.task, w.address] for w in workers],
            "devices of each": devices,
        }
        address = workers[0].address
        if rank == 0:
            port = free_port()
            connections = await_all(
                names, address, cluster, timeout, lambda link: {"coordinator": port}, setting
            )
        else:
            connection, answer = call_first(names, address, rank, cluster, timeout)
            connections, port = {0: connection}, int(answer["coordinator"])
        host = _unmapped(next(iter(connections.values())).own_host)
        self.liveness = Liveness(
            {other: connection.detach() for other, connection in connections.items()}, names, rank
        )
        self._collectives = self._connected(address.rpartition(":")[0], port, host, timeout)

    def _connected(self, first_host: str, port: int, host: str, timeout: float) -> Any:
        """Return the collectives, by way of the coordination service of the first worker."""
        create = partial(
            collectives.Collectives,
            timeout_seconds=max(1, round(timeout)),
            devices=self.devices_per_worker,
            stay=self._stays,
        )
        if self.rank == 0:
            coordinator = f"{_bracketed(host)}:{port}"
            return self.liveness.run(partial(create, coordinator, 0, self.size, host))
        relay = Relay(first_host, port)
        try:
            return self.liveness.run(partial(create, relay.address, self.rank, self.size, host))
        finally:
            relay.close()

    @property
    def worker(self) -> Worker:
        """The task that this process is."""
        return self.workers[self.rank]

    @property
    def mesh(self) -> Any:
        """The mesh of the devices of all processes, one each."""
        return self._collectives.mesh

    def device(self, worker: int, index: int) -> Any:
        """Return a device of a worker, as JAX knows it."""
        return self._collectives.devices[worker][index]

    def run(self, call: Callable[[], Any], label: str, signature: str = "") -> Any:
        """Return what a call returns that exchanges data, and that all workers make."""
        return self.liveness.run(call)

    def all_reduce(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return the sums over all workers; shapes and dtypes are the same everywhere."""
        return self.run(partial(self._collectives.all_reduce, arrays), "all_reduce")

    def all_gather(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return the arrays of all workers, stacked; shapes are the same everywhere."""
        return self.run(partial(self._collectives.all_gather, arrays), "all_gather")

    def broadcast(self, arrays: Sequence[np.ndarray], root: int = 0) -> list[np.ndarray]:
        """Return the arrays of one worker; shapes and dtypes are the same everywhere."""
        return self.run(partial(self._collectives.broadcast, arrays, root), "broadcast")

    def set(self, key: str, value: Any) -> None:
        """Set a value, of JSON's types, for all workers."""
        self.liveness.set(key, value)

    def get(self, key: str) -> Any:
        """Return a value that a worker has set, or will set."""
        return self.liveness.get(key)

    def shared(self, key: str, value: Any) -> Any:
        """Return the value, of JSON's types, that the first worker passes for a key."""
        if self.rank == 0:
            self.liveness.set(key, value)
        return self.liveness.get(key)

    def barrier(self) -> None:
        """Wait until all workers are here."""
        self.all_reduce([np.zeros(1, np.int32)])


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _unmapped(host: str) -> str:
    """Return the address of a machine without the prefix of IPv4 addresses in IPv6."""
    return host.removeprefix("::ffff:")


def share_cores(workers: Sequence[Worker], rank: int) -> None:
    """Divide the cores of this machine among its workers, unless the user has chosen a number.

    Teams of threads that outnumber the cores wait for each other at every operation: a step of two
    workers on two cores took three times as long.
    """
    hosts = [worker.address.rpartition(":")[0] for worker in workers]
    count = hosts.count(hosts[rank]) if hosts[rank] else 1
    if count > 1 and not get_intra_op_parallelism_threads() and not os.environ.get(_THREADS):
        threads = max(1, cores() // count)
        onednn.set_num_threads(threads)
        blas.set_num_threads(threads)


def check_addresses(workers: Sequence[Worker], setting: str) -> None:
    """Raise ValueError unless each worker has a host and a port of its own."""
    owners: dict[str, Worker] = {}
    for number, worker in enumerate(workers):
        # All meet at that of the first, and may know no other.
        if number and not worker.address:
            continue
        host, _, port = worker.address.rpartition(":")
        if not host or not (port.isascii() and port.isdigit()) or not 0 < int(port) < 2**16:
            raise ValueError(
                f"The worker /job:{worker.job}/task:{worker.task} has the address "
                f"{worker.address!r}: expected a host and a port, such as 'host0:2222'. Correct "
                f"{setting}."
            )
        if worker.address in owners:
            raise ValueError(
                f"{owners[worker.address].name} and {worker.name} have the same address: each "
                f"worker needs one of its own. Correct {setting}."
            )
        owners[worker.address] = worker


def start(cluster: Any, job: str | None, task: int | None) -> WorkerGroup:
    """Meet the other workers of a cluster, or return the group if that was done before.

    Raises:
        ValueError: this process is no worker of the cluster, or has met those of another one; or
            a worker has no address of its own.
        DeadlineExceededError: a worker, which is named, did not come in time.
    """
    workers = workers_of(cluster)
    check_addresses(workers, '"cluster" in TF_CONFIG, or the cluster resolver')
    ranks = [i for i, w in enumerate(workers) if (w.job, w.task) == (job, task)]
    if not ranks:
        raise ValueError(
            f"This process is task {task} of the job {job!r}, which is none of the workers "
            f"{[worker.name for worker in workers]}: MultiWorkerMirroredStrategy runs on the tasks "
            f'of the jobs "chief" and "worker". Set "task" in TF_CONFIG, or task_type and task_id '
            f"of the cluster resolver."
        )
    group = process_group.joined()
    if group is None:
        group = WorkerGroup(workers, ranks[0], timeout())
        process_group.join(group)
        placement.own_task = (group.worker.job, group.worker.task)
        share_cores(workers, ranks[0])
    names = [worker.name for worker in workers]
    if isinstance(group, WorkerGroup):
        joined_names = [worker.name for worker in group.workers]
        if joined_names == names and group.rank == ranks[0]:
            return group
        raise ValueError(
            f"This process is already worker {group.rank} of {joined_names}, and cannot be worker "
            f"{ranks[0]} of {names}: a program belongs to one cluster."
        )
    raise ValueError(f"This process belongs to another group than {names}.")
