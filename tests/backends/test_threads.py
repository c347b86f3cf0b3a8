"""Work divided between cores: every piece once, errors reach the caller."""

from __future__ import annotations

import threading

import pytest

from tapeflow._src.backends import threads


@pytest.fixture(params=[1, 2, 4])
def cores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(threads, "cores", lambda: request.param)
    return request.param


@pytest.mark.parametrize("count", [0, 1, 100])
def test_every_piece_is_done_once(cores: int, count: int) -> None:
    done: list[int] = []
    threads.for_each(done.append, range(count))
    assert sorted(done) == list(range(count))


def test_an_error_reaches_the_caller(cores: int) -> None:
    def fail(piece: int) -> None:
        if piece == 50:
            raise ValueError("piece 50")

    with pytest.raises(ValueError, match="piece 50"):
        threads.for_each(fail, range(100))


def test_an_error_of_a_helping_thread_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "cores", lambda: 2)
    caller, failed = threading.current_thread(), threading.Event()

    def fail_elsewhere(piece: int) -> None:
        if threading.current_thread() is not caller:
            failed.set()
            raise ValueError("helper")
        failed.wait(10)

    with pytest.raises(ValueError, match="helper"):
        threads.for_each(fail_elsewhere, range(100))


def test_work_inside_of_work_ends(cores: int) -> None:
    done: list[tuple[int, int]] = []
    threads.for_each(
        lambda outer: threads.for_each(lambda inner: done.append((outer, inner)), range(10)),
        range(10),
    )
    assert len(set(done)) == len(done) == 100
