"""The dispatcher: knows datasets, workers and iterations; assigns elements of sources to tasks."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass, field

from tapeflow._src.core.atomic_files import write_file
from tapeflow._src.core.errors import NotFoundError, OpError, invalid
from tapeflow._src.data import graphs, states
from tapeflow._src.data.arguments import UNKNOWN
from tapeflow._src.data.service.policies import ShardingPolicy, sources
from tapeflow._src.data.service.wire import Client
from tapeflow._src.graph.safe_mode import Guard

_FIRST_ID = 1000
_STATE = "dispatcher.state"


@dataclass
class _Task:
    number: int
    worker: str
    finished: bool = False


@dataclass
class _Iteration:
    dataset: str
    policy: int
    consumers: int | None
    tasks: list[_Task] = field(default_factory=list)
    # The next index of each (source, repetition).
    splits: dict[tuple[int, int], int] = field(default_factory=dict)
    # How many elements each source has, as far as that is known.
    sizes: list[int] | None = None


class Dispatcher:
    """The state of a dispatcher; its public methods are called by workers and clients."""

    def __init__(self, worker_addresses: list[str] | None, work_dir: str | None) -> None:
        self._fixed = worker_addresses
        # The worker of each of these addresses, whose port may be open.
        self._slots: dict[int, str] = {}
        self._work_dir = work_dir
        self._lock = threading.RLock()
        self._datasets: dict[str, tuple[bytes, bytes]] = {}
        self._workers: dict[str, float] = {}
        self._iterations: dict[tuple[str, int], _Iteration] = {}
        self._tasks = 0
        if work_dir is not None:
            self._restore(work_dir)

    # -- datasets ------------------------------------------------------------------------------

    def register_dataset(self, graph: bytes, spec: bytes, dataset_id: str) -> str:
        """Register the graph of a dataset and the spec of its elements; return its id."""
        with self._lock:
            if dataset_id in self._datasets and self._datasets[dataset_id][1] != spec:
                raise invalid(
                    f"A dataset with the id {dataset_id!r} and elements of another spec is "
                    f"registered already."
                )
            if not dataset_id:
                same = [name for name, entry in self._datasets.items() if entry == (graph, spec)]
                dataset_id = same[0] if same else str(_FIRST_ID + len(self._datasets))
            self._datasets.setdefault(dataset_id, (graph, spec))
            self._save()
            return dataset_id

    def element_spec(self, dataset_id: str) -> bytes:
        """Return the spec that a dataset was registered with."""
        return self._dataset(dataset_id)[1]

    def _dataset(self, dataset_id: str) -> tuple[bytes, bytes]:
        if dataset_id not in self._datasets:
            raise NotFoundError(None, None, f"No dataset is registered as {dataset_id!r}.")
        return self._datasets[dataset_id]

    # -- workers -------------------------------------------------------------------------------

    def register_worker(self, address: str) -> None:
        """Add a worker; it gets tasks of the iterations that it can join."""
        with self._lock:
            if self._fixed is not None and not self._has_slot(address):
                raise invalid(
                    f"The worker {address} is not among the `worker_addresses` of the dispatcher: "
                    f"{self._fixed}"
                )
            joined = address not in self._workers
            self._workers[address] = time.monotonic()
            for iteration in self._iterations.values() if joined else ():
                if not ShardingPolicy(iteration.policy).is_static and iteration.consumers is None:
                    self._add_task(iteration, address)
            self._save()

    def _has_slot(self, address: str) -> bool:
        """Whether the list of addresses has a worker; it takes a position that is free."""
        if address in self._slots.values():
            return True
        for index, expected in enumerate(self._fixed or ()):
            host, _, port = expected.rpartition(":")
            is_open = port == "%port%" or not host
            same = address.rpartition(":")[0] == (host or port)
            free = self._slots.get(index) not in self._workers
            if address == expected or (is_open and same and free):
                self._slots[index] = address
                return True
        return False

    def _index(self, address: str) -> int:
        """Return the position of a worker in the list of addresses, 0 without one."""
        return next((index for index, worker in self._slots.items() if worker == address), 0)

    def workers(self) -> list[str]:
        """Return the addresses of all workers."""
        with self._lock:
            return sorted(self._workers)

    def report_lost(self, address: str) -> None:
        """Check a worker that a client cannot reach; a dead one loses its tasks.

        Those of static policies stay: the worker is expected to come back.
        """
        try:
            Client(address).call("ping")
        except OpError:
            with self._lock:
                self._workers.pop(address, None)
                for iteration in self._iterations.values():
                    if ShardingPolicy(iteration.policy).is_static:
                        continue
                    for task in iteration.tasks:
                        task.finished |= task.worker == address

    # -- iterations ----------------------------------------------------------------------------

    def tasks(
        self, dataset_id: str, policy: int, job: str, repetition: int, consumers: int | None
    ) -> list[tuple[int, str]]:
        """Return the unfinished tasks of an iteration, which is created by the first who asks."""
        with self._lock:
            self._dataset(dataset_id)
            key = job, repetition
            iteration = self._iterations.get(key)
            if iteration is None:
                iteration = self._iterations[key] = _Iteration(dataset_id, policy, consumers)
                self._require_workers(ShardingPolicy(policy))
                for address in self.workers():
                    self._add_task(iteration, address)
                self._save()
            if (iteration.dataset, iteration.policy) != (dataset_id, policy):
                raise invalid(
                    f"The job {job!r} exists with the dataset {iteration.dataset} and the policy "
                    f"{ShardingPolicy(iteration.policy).name}. Received the dataset {dataset_id} "
                    f"and {ShardingPolicy(policy).name}: use another `job_name`."
                )
            if iteration.consumers != consumers:
                raise invalid(
                    f"The job {job!r} exists with num_consumers={iteration.consumers}. Received: "
                    f"{consumers}"
                )
            return [(task.number, task.worker) for task in iteration.tasks if not task.finished]

    def _require_workers(self, policy: ShardingPolicy) -> None:
        if policy.is_static and self._fixed is None:
            raise invalid(
                f"The policy {policy.name} assigns a part to each worker: list them all in "
                f"`DispatcherConfig(worker_addresses=...)`."
            )

    def _add_task(self, iteration: _Iteration, address: str) -> None:
        self._tasks += 1
        iteration.tasks.append(_Task(self._tasks, address))

    def _task(self, number: int) -> tuple[_Iteration, _Task]:
        for iteration in self._iterations.values():
            for task in iteration.tasks:
                if task.number == number:
                    return iteration, task
        raise NotFoundError(None, None, f"There is no task {number}.")

    def task(self, number: int) -> tuple[bytes, int, int, int, int | None]:
        """Return the graph, policy, number of workers, index and consumers of a task."""
        with self._lock:
            iteration, task = self._task(number)
            graph, _ = self._dataset(iteration.dataset)
            index = self._index(task.worker)
            count = len(self._fixed or self._workers)
            return graph, iteration.policy, count, index, iteration.consumers

    def finish_task(self, number: int) -> None:
        """Note that a worker has reached the end of a task."""
        with self._lock:
            self._task(number)[1].finished = True
            self._save()

    def split(self, number: int, source: int, repetition: int) -> int | None:
        """Give the next element of a source to a task; None at the end of the source."""
        with self._lock:
            iteration, _ = self._task(number)
            if iteration.sizes is None:
                graph, _ = self._dataset(iteration.dataset)
                dataset = graphs.from_bytes(graph, Guard(allowed=("files",)))
                iteration.sizes = [stage.cardinality() for stage in sources(dataset)]
            index = iteration.splits.get((source, repetition), 0)
            size = iteration.sizes[source]
            if size >= 0 and index >= size:
                return None
            if size == UNKNOWN:
                raise invalid(
                    "The policy DYNAMIC needs sources with a known number of elements, such as "
                    "file names or ranges."
                )
            iteration.splits[source, repetition] = index + 1
            self._save()
            return index

    # -- fault tolerance -----------------------------------------------------------------------

    def _save(self) -> None:
        if self._work_dir is None:
            return
        iterations = [
            (
                *(key, each.dataset, each.policy, each.consumers, dict(each.splits)),
                [(task.number, task.worker, task.finished) for task in each.tasks],
            )
            for key, each in self._iterations.items()
        ]
        state = dict(self._datasets), iterations, self._tasks, sorted(self._workers)
        write_file(os.path.join(self._work_dir, _STATE), states.to_bytes(state))

    def _restore(self, work_dir: str) -> None:
        path = os.path.join(work_dir, _STATE)
        if not os.path.exists(path):
            return
        with open(path, "rb") as file:
            self._datasets, iterations, self._tasks, workers = states.from_bytes(file.read())
        self._workers = dict.fromkeys(workers, time.monotonic())
        for key, dataset, policy, consumers, splits, tasks in iterations:
            restored = [_Task(*task) for task in tasks]
            self._iterations[key] = _Iteration(dataset, policy, consumers, restored, splits)
