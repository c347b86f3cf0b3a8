"""Workers that end are named, in time, whatever the others wait for."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.distribute import liveness
from tapeflow._src.distribute.liveness import Liveness

NAMES = tuple(f"/job:worker/task:{i} (127.0.0.1:{2222 + i})" for i in range(3))


class Group:
    """Three workers in one process, connected in pairs with the first."""

    def __init__(self) -> None:
        pairs = {rank: socket.socketpair() for rank in (1, 2)}
        self.sockets = {rank: pair[1] for rank, pair in pairs.items()}
        self.workers = [Liveness({r: (p[0], b"") for r, p in pairs.items()}, NAMES, 0)]
        self.workers += [Liveness({0: (self.sockets[r], b"")}, NAMES, r) for r in (1, 2)]

    def kill(self, rank: int) -> None:
        """End the connections of a worker, as the system does for a process that is killed."""
        worker = self.workers[rank]
        worker._leaving = True
        for link in worker._links.values():
            link.stream.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        for worker in self.workers:
            worker.leave()
            worker._close()


@pytest.fixture
def group(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(liveness, "_GRACE", 0.3)
    group = Group()
    yield group
    group.close()


def eventually(condition: Callable[[], Any]) -> Any:
    end = time.monotonic() + 5
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.002)
    return value


@pytest.mark.parametrize(("killed", "survivors"), [(2, (0, 1)), (0, (1, 2))])
def test_a_collective_that_hangs_ends_with_the_name_of_the_killed_worker(
    group: Group, killed: int, survivors: tuple[int, ...]
) -> None:
    never = threading.Event()
    messages: list[str] = []

    def work(rank: int) -> None:
        with pytest.raises(tf.errors.UnavailableError) as caught:
            group.workers[rank].run(never.wait)
        messages.append(caught.value.message)

    threads = [threading.Thread(target=work, args=(rank,)) for rank in survivors]
    for thread in threads:
        thread.start()
    group.kill(killed)
    for thread in threads:
        thread.join(10)
    assert len(messages) == 2
    for message in messages:
        assert message.startswith(f"{NAMES[killed]} was lost")
        assert "resumes from the last checkpoint" in message
    never.set()
    with pytest.raises(tf.errors.UnavailableError, match=f"task:{killed}"):
        group.workers[survivors[0]].run(lambda: 1)


def test_results_and_errors_of_calls_pass_through(group: Group) -> None:
    worker = group.workers[1]
    assert worker.run(lambda: worker.run(lambda: 7)) == 7
    with pytest.raises(ValueError, match="shapes differ"):
        worker.run(lambda: _raise(ValueError("shapes differ")))


def _raise(error: Exception) -> None:
    raise error


def test_a_broken_connection_of_a_collective_names_the_worker_that_is_noticed_later(
    group: Group,
) -> None:
    def broken() -> None:
        threading.Timer(0.05, group.kill, (2,)).start()
        raise RuntimeError("Gloo all-reduce failed: Connection reset by peer")

    with pytest.raises(tf.errors.UnavailableError, match="task:2"):
        group.workers[0].run(broken)


def test_who_ends_by_itself_is_missed_only_by_those_that_need_it(group: Group) -> None:
    group.workers[2].leave()
    assert eventually(lambda: 2 in group.workers[1]._gone)
    assert group.workers[1].fault is None
    with pytest.raises(tf.errors.UnavailableError, match=r"task:2 .* ended before the others"):
        group.workers[1].run(lambda: 1)


def test_a_collective_that_ends_after_a_goodbye_succeeds(group: Group) -> None:
    def last() -> int:
        group.workers[2].leave()
        assert eventually(lambda: 2 in group.workers[1]._gone)
        return 5

    assert group.workers[1].run(last) == 5


def test_the_first_value_of_a_key_is_everybodys(group: Group) -> None:
    heard: list[Any] = []
    group.workers[2].listen(lambda key, value: heard.append((key, value)))
    for rank in (1, 2, 0):
        group.workers[rank].set("step", rank)
    values = [worker.get("step", 5) for worker in group.workers]
    assert len(set(values)) == 1
    assert eventually(lambda: heard == [("step", values[0])])
    assert group.workers[0].get("nothing", 0.01) is None


def test_waiting_for_a_value_ends_when_a_worker_is_lost(group: Group) -> None:
    threading.Timer(0.05, group.kill, (2,)).start()
    with pytest.raises(tf.errors.UnavailableError, match="task:2"):
        group.workers[1].get("never", 10)
