"""What XLA is asked for depends on the machine, and the user's own programs do not see it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tapeflow.executors import xla_options


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    xla_options.options.cache_clear()
    yield
    xla_options.options.cache_clear()


@pytest.mark.parametrize(("cores", "asked"), [(1, True), (2, True), (3, False), (64, False)])
def test_loops_are_split_where_there_are_cores(
    cores: int, asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xla_options, "cores", lambda: cores)
    expected = {"xla_cpu_multi_thread_eigen": False} if asked else {}
    assert xla_options.options() == expected


def test_there_is_a_core() -> None:
    assert xla_options.cores() >= 1
