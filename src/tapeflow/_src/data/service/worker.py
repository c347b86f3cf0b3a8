"""The worker: produces the elements of tasks for those who ask for them."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

from tapeflow._src.core.errors import OpError, invalid
from tapeflow._src.data import graphs
from tapeflow._src.data.service.policies import ShardingPolicy, sharded, split
from tapeflow._src.data.service.wire import Client
from tapeflow._src.data.stage import Cursor, Element, Stage
from tapeflow._src.graph.safe_mode import Guard

# How many elements a task keeps for trainers that share them.
_SHARED_ELEMENTS = 512

# The answer to a client: an element, or that there are no more.
Answer = tuple[bool, "Element | None"]
_END: Answer = (False, None)


class _Task:
    """A position in the part of a dataset that belongs to the worker."""

    def __init__(self, cursor: Cursor, consumers: int | None) -> None:
        self._cursor = cursor
        self._consumers = consumers
        self._lock = threading.Lock()
        # Of coordinated reads: the elements of each round, None once they are taken.
        self._rounds: dict[int, list[Element | None]] = {}
        # Of shared caches: the last elements, the index of the first, the next of each trainer.
        self._cached: deque[Element] = deque()
        self._first = 0
        self._positions: dict[str, int] = {}

    def next(self, consumer: int | None, round_: int | None, trainer: str) -> Answer:
        """Return the next element for a client."""
        with self._lock:
            try:
                if consumer is not None and round_ is not None:
                    return True, self._of_round(round_, consumer)
                if trainer:
                    return True, self._shared(trainer)
                return True, next(self._cursor)
            except StopIteration:
                return _END

    def _of_round(self, round_: int, consumer: int) -> Element:
        if round_ not in self._rounds:
            self._rounds[round_] = [next(self._cursor) for _ in range(self._consumers or 1)]
        elements = self._rounds[round_]
        element, elements[consumer] = elements[consumer], None
        if element is None:
            raise invalid(f"Consumer {consumer} has read round {round_} already.")
        if all(each is None for each in elements):
            del self._rounds[round_]
        return element

    def _shared(self, trainer: str) -> Element:
        position = max(self._positions.get(trainer, self._first), self._first)
        if position == self._first + len(self._cached):
            self._cached.append(next(self._cursor))
            if len(self._cached) > _SHARED_ELEMENTS:
                self._cached.popleft()
                self._first += 1
        self._positions[trainer] = position + 1
        return self._cached[position - self._first]


class Worker:
    """The tasks of a worker; its public methods are called by clients and the dispatcher."""

    def __init__(self, dispatcher: Client) -> None:
        self._dispatcher = dispatcher
        self._lock = threading.Lock()
        self._tasks: dict[int, _Task] = {}
        self._finished: set[int] = set()

    def ping(self) -> bool:
        """Answer, to show that the worker is alive."""
        return True

    def count_tasks(self) -> int:
        """Return the number of tasks that have not ended."""
        with self._lock:
            return len(self._tasks)

    def get_element(
        self, task: int, consumer: int | None, round_number: int | None, trainer: str
    ) -> Any:
        """Return whether there is a next element of a task, and the element."""
        with self._lock:
            if task in self._finished:
                return _END
            if task not in self._tasks:
                self._tasks[task] = self._opened(task)
            opened = self._tasks[task]
        answer = opened.next(consumer, round_number, trainer)
        if not answer[0]:
            self._finish(task)
        return answer

    def _finish(self, task: int) -> None:
        with self._lock:
            if task in self._finished:
                return
            self._finished.add(task)
            self._tasks.pop(task, None)
        try:
            self._dispatcher.call("finish_task", number=task)
        except OpError:
            return  # the client sees the end anyway

    def _opened(self, task: int) -> _Task:
        graph, policy, count, index, consumers = self._dispatcher.call("task", number=task)
        # Datasets may read files, but call no Python functions.
        stage = graphs.from_bytes(graph, Guard(allowed=("files",)))
        return _Task(self._part(stage, ShardingPolicy(policy), count, index, task), consumers)

    def _part(
        self, stage: Stage, policy: ShardingPolicy, count: int, index: int, task: int
    ) -> Cursor:
        if policy.is_static:
            return sharded(stage, policy, count, index).cursor()
        if policy is ShardingPolicy.DYNAMIC:
            return split(stage, lambda s, r: self._split(task, s, r)).cursor()
        return stage.cursor()

    def _split(self, task: int, source: int, repetition: int) -> int | None:
        index: int | None = self._dispatcher.call(
            "split", number=task, source=source, repetition=repetition
        )
        return index
