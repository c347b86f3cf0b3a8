"""The processes of a program of several workers: parts below `distribute` ask here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol


class ProcessGroup(Protocol):
    """Processes that run the same program and exchange arrays, in the same order everywhere."""

    @property
    def rank(self) -> int:
        """The index of this process."""

    @property
    def size(self) -> int:
        """The number of processes."""

    def all_reduce(self, arrays: Sequence[Any]) -> list[Any]:
        """Return the sums over all processes; shapes and dtypes are the same everywhere."""

    def all_gather(self, arrays: Sequence[Any]) -> list[Any]:
        """Return the arrays of all processes, stacked; shapes are the same everywhere."""

    def broadcast(self, arrays: Sequence[Any], root: int = 0) -> list[Any]:
        """Return the arrays of one process."""

    def device(self, worker: int, index: int) -> Any:
        """Return a device of a process, as JAX knows it."""

    def run(self, call: Callable[[], Any], label: str, signature: str = "") -> Any:
        """Return what a call returns that exchanges data, and that all processes make.

        label: what users call it. signature: what has to be the same in all processes.
        """

    def set(self, key: str, value: Any) -> None:
        """Set a value, of JSON's types, for all processes."""

    def get(self, key: str) -> Any:
        """Return a value that a process has set, or will set."""

    def shared(self, key: str, value: Any) -> Any:
        """Return the value, of JSON's types, that the first process passes for a key."""

    def barrier(self) -> None:
        """Wait until all processes are here."""


class _Holder:
    """`group` is set once this process has joined the others."""

    group: ProcessGroup | None = None


_holder = _Holder()


def join(group: ProcessGroup) -> None:
    """Make a group the one of this process."""
    _holder.group = group


def joined() -> ProcessGroup | None:
    """Return the group of this process, or None if it runs alone."""
    return _holder.group


def is_first() -> bool:
    """Return whether this process runs alone, or is the first of its group."""
    return _holder.group is None or _holder.group.rank == 0


def by_first(key: str, action: Callable[[], None]) -> None:
    """Let the first process do something, for which all wait.

    key: a new one for each call, the same in all processes.

    Raises:
        RuntimeError: It could not do so.
    """
    group = _holder.group
    if group is None:
        action()
        return
    if group.rank:
        problem = group.shared(key, "")
        if problem:
            raise RuntimeError(f"The first of {group.size} processes has failed: {problem}")
        return
    try:
        action()
    except BaseException as error:
        first_failed(key, error)
        raise
    group.shared(key, "")


def first_failed(key: str, error: BaseException) -> None:
    """End the wait of the others in `by_first` with an error; only the first process can."""
    if _holder.group is not None and _holder.group.rank == 0:
        _holder.group.shared(key, f"{type(error).__name__}: {error}")
