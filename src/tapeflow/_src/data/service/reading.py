"""The client: a stage whose elements come from the workers of a data service."""

from __future__ import annotations

import queue
import threading
import time
import uuid
import weakref
from contextlib import suppress
from typing import Any, NamedTuple

from tapeflow._src.core.errors import OpError, UnavailableError, invalid
from tapeflow._src.data.arguments import UNKNOWN
from tapeflow._src.data.service.policies import ShardingPolicy
from tapeflow._src.data.service.wire import Client
from tapeflow._src.data.stage import Cursor, Element, Stage

# How often the dispatcher is queried for further workers, and how long a lost one is waited for
# before it is tried again, in seconds.
_REFRESH = 0.2
_RETRY = 0.1


class Job(NamedTuple):
    """A request of a client: the dataset, how it is divided, and with whom it is shared."""

    address: str
    dataset: str
    policy: ShardingPolicy
    name: str
    consumer: int | None
    consumers: int | None
    trainer: str
    outstanding: int


class ServiceDataset(Stage):
    """The elements of a dataset that workers produce."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._repetitions = 0

    def cursor(self) -> Cursor:
        repetition, self._repetitions = self._repetitions, self._repetitions + 1
        # A job without a name belongs to one iteration.
        name = self._job.name or f"anonymous-{uuid.uuid4().hex}"
        tasks = _Tasks(self._job._replace(name=name), repetition)
        if self._job.consumer is not None:
            return _CoordinatedCursor(tasks)
        return _ServiceCursor(tasks)

    def cardinality(self) -> int:
        return UNKNOWN


class _Tasks:
    """The tasks of one iteration, as the dispatcher knows them."""

    def __init__(self, job: Job, repetition: int) -> None:
        self.job = job
        self._repetition = repetition
        self._dispatcher = Client(job.address)

    def list(self) -> list[tuple[int, str]]:
        """Return the unfinished tasks with the addresses of their workers."""
        tasks: list[tuple[int, str]] = self._dispatcher.call(
            "tasks",
            dataset_id=self.job.dataset,
            policy=int(self.job.policy),
            job=self.job.name,
            repetition=self._repetition,
            consumers=self.job.consumers,
        )
        return tasks

    def report_lost(self, worker: str) -> None:
        """Let the dispatcher check a worker that does not answer."""
        self._dispatcher.call("report_lost", address=worker)


class _Unsaved(Cursor):
    def get_state(self) -> Any:
        raise NotImplementedError(
            "The position of an iterator over a data service cannot be saved: its elements are "
            "shared with other consumers."
        )


class _ServiceCursor(_Unsaved):
    """Elements of all workers, in the order in which they arrive."""

    def __init__(self, tasks: _Tasks) -> None:
        self._tasks = tasks
        self._arrived: queue.Queue[Element | Exception | int] = queue.Queue(tasks.job.outstanding)
        self._readers: dict[int, _Reader] = {}
        self._ended: set[int] = set()
        self._refreshed = 0.0
        self._over = False

    def __next__(self) -> Element:
        while not self._over:
            self._refresh()
            try:
                arrived = self._arrived.get(timeout=_REFRESH if self._readers else _RETRY)
            except queue.Empty:
                continue
            if isinstance(arrived, int):
                self._ended.add(arrived)
                self._readers.pop(arrived)
                self._refreshed = 0.0
            elif isinstance(arrived, Exception):
                raise arrived
            else:
                return arrived
        raise StopIteration

    def _refresh(self) -> None:
        """Read from tasks that have been added, and notice the end of the iteration."""
        if time.monotonic() - self._refreshed < _REFRESH:
            return
        tasks = [task for task in self._tasks.list() if task[0] not in self._ended]
        self._refreshed = time.monotonic()
        for number, worker in tasks:
            if number not in self._readers:
                reader = _Reader(number, worker, self._tasks, self._arrived)
                self._readers[number] = reader
                weakref.finalize(self, reader.stop)
        present = {number for number, _ in tasks}
        for number, reader in self._readers.items():
            reader.is_gone = number not in present
        self._over = not tasks and not self._readers and self._arrived.empty()


class _Reader:
    """A thread that reads one task; at its end it leaves the number of the task."""

    def __init__(self, number: int, worker: str, tasks: _Tasks, arrived: queue.Queue[Any]) -> None:
        self._number = number
        self._worker = worker
        self._tasks = tasks
        self._arrived = arrived
        self._client = Client(worker)
        self._stopped = threading.Event()
        # Whether the dispatcher does not have the task any more.
        self.is_gone = False
        threading.Thread(target=self._run, name="tapeflow_service", daemon=True).start()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                going, element = self._client.call(
                    "get_element",
                    task=self._number,
                    consumer=None,
                    round_number=None,
                    trainer=self._tasks.job.trainer,
                )
            except UnavailableError:
                if self._is_lost():
                    break
                continue
            except OpError as error:
                self._put(error)
                continue
            if not going:
                break
            self._put(element)
        self._put(self._number)

    def _is_lost(self) -> bool:
        """Whether the worker is dead and nobody expects it back."""
        if self.is_gone:
            return True
        with suppress(OpError):  # the dispatcher may be restarted, too
            self._tasks.report_lost(self._worker)
        self._stopped.wait(_RETRY)
        return False

    def _put(self, item: Any) -> None:
        while not self._stopped.is_set():
            try:
                self._arrived.put(item, timeout=_REFRESH)
                return
            except queue.Full:
                continue

    def stop(self) -> None:
        """Stop reading."""
        self._stopped.set()
        self._client.close()


class _CoordinatedCursor(_Unsaved):
    """Rounds of elements: in each, all consumers read from the same worker."""

    def __init__(self, tasks: _Tasks) -> None:
        self._tasks = tasks
        self._round = 0
        self._workers: list[tuple[int, Client]] = []

    def __next__(self) -> Element:
        while not self._workers:
            listed = sorted(self._tasks.list())
            self._workers = [(number, Client(worker)) for number, worker in listed]
            if not self._workers:
                time.sleep(_RETRY)
        number, client = self._workers[self._round % len(self._workers)]
        going, element = client.call(
            "get_element",
            task=number,
            consumer=self._tasks.job.consumer,
            round_number=self._round,
            trainer="",
        )
        if not going:
            raise invalid(
                "Coordinated reads (`num_consumers`) need a dataset without end: repeat it."
            )
        self._round += 1
        result: Element = element
        return result
