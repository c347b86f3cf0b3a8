"""Items made ahead of time by threads or processes, and returned in order."""

from __future__ import annotations

import multiprocessing
import os
import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

# In a worker process: what it makes items of.
_source: list[Any] = []

_FORK_WARNINGS: tuple[tuple[str, type[Warning]], ...] = (
    (r"os\.fork\(\) was called", RuntimeWarning),
    (r"This process .* is multi-threaded", DeprecationWarning),
)


def items_in_order(
    source: Any, indices: Iterable[int], workers: int, processes: bool, ahead: int
) -> Iterator[Any]:
    """Yield `source[index]` for all indices, made by `workers` threads or processes.

    An error in a worker is raised at its position, with the traceback of the worker. If a process
    is killed, RuntimeError is raised at once. All workers have ended when the iterator has ended
    or is closed.

    Args:
        ahead: how many items may wait to be taken.
    """
    waiting: deque[Future[Any]] = deque()
    executor = _executor(source, workers, processes)
    make = _item if processes else source.__getitem__
    try:
        for index in indices:
            waiting.append(executor.submit(make, index))
            if len(waiting) > max(ahead, 1):
                yield _result(waiting, source)
        while waiting:
            yield _result(waiting, source)
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _executor(source: Any, workers: int, processes: bool) -> Executor:
    if not processes:
        return ThreadPoolExecutor(workers, thread_name_prefix="keras_worker")
    # The start method is the program's own. By `fork` the source is inherited; otherwise it is
    # pickled once for each worker, not once for each item.
    context = multiprocessing.get_context()
    executor = ProcessPoolExecutor(
        workers, mp_context=context, initializer=_inherit, initargs=(source,)
    )
    with warnings.catch_warnings():
        # The first task starts the processes. Python and jax warn of `fork` beside threads; the
        # workers only make items, and Keras forks them likewise.
        for message, category in _FORK_WARNINGS:
            warnings.filterwarnings("ignore", message, category)
        executor.submit(os.getpid)
    return executor


def _inherit(source: Any) -> None:
    _source.append(source)


def _item(index: int) -> Any:
    return _source[-1][index]


def _result(waiting: deque[Future[Any]], source: Any) -> Any:
    try:
        return waiting.popleft().result()
    except BrokenProcessPool as error:
        raise RuntimeError(
            f"A worker process of {type(source).__name__} has ended abruptly: it was killed "
            f"(perhaps for want of memory), it crashed, or it could not be started (process "
            f"{os.getpid()} uses the start method {multiprocessing.get_start_method()!r}; 'spawn' "
            f"and 'forkserver' need classes that can be imported and an "
            f"`if __name__ == '__main__':` guard)."
        ) from error
