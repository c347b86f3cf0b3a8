"""Tensors on a mesh of several processes: every process computes what one would alone."""

from __future__ import annotations

from typing import Any

import pytest

from tapeflow._src.distribute.program_order import ProgramOrder
from tests.dtensor.clients import Clients, run

PROGRAMS = [
    f"client_programs.{name}"
    for name in (
        *("system", "operations", "randomness", "gradients", "datasets", "variables"),
        *("training", "barriers"),
    )
]
SIZES = [(2, 1), (2, 2), pytest.param(4, 1, marks=pytest.mark.slow)]


@pytest.mark.parametrize(("count", "devices"), SIZES)
def test_programs_compute_the_same_in_all_processes(count: int, devices: int) -> None:
    results = run(count, devices, *PROGRAMS)
    assert len(results) == count
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"DTENSOR_CLIENT_ID": "7"}, "DTENSOR_CLIENT_ID"),
        ({"DTENSOR_NUM_CLIENTS": "3"}, "DTENSOR_NUM_CLIENTS"),
        ({"DTENSOR_JOBS": "host0:1,host1"}, "'host1'"),
        ({"DTENSOR_JOBS": "host0:1,host0:1"}, "same address"),
    ],
)
def test_wrong_settings_are_explained(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], words: str
) -> None:
    import tapeflow as tf

    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match=words):
        tf.experimental.dtensor.initialize_accelerator_system("CPU")


def failing(program: str, words: list[str], patience: str, ends: int | None = None) -> None:
    """Check that a program ends in both of two processes, with these words about the second."""
    clients = Clients(2, 1, [program], {"TAPEFLOW_WORKERS_TIMEOUT": patience})
    errors = clients.errors(60)
    assert sorted(errors) == [0, 1], errors
    if ends is not None:
        assert errors.pop(ends).startswith("exit code 3")
    for text in errors.values():
        assert all(word in text for word in words), text
        assert clients.name(1) in text


def test_programs_that_differ_end_with_an_error() -> None:
    failing(
        "client_programs.differing", ["The programs of the processes differ", "Sum"], patience="60"
    )


@pytest.mark.slow
def test_a_process_that_is_late_is_named() -> None:
    failing("client_programs.late", ["did not come to exchange", "within 10 seconds"], "10")


@pytest.mark.slow
def test_a_process_that_ends_early_is_named() -> None:
    failing("client_programs.early", [], "60", ends=1)


class Connections:
    """The connections of the first of three workers, without the others."""

    names = ("a", "b", "c")
    rank = 0

    def __init__(self) -> None:
        self.on_tick: Any = None
        self.on_break: list[Any] = []
        self.is_broken = False
        self.handlers: dict[str, Any] = {}
        self.halted: list[tuple[str, str]] = []

    def handle(self, kind: str, handler: Any) -> None:
        self.handlers[kind] = handler

    def tell_first(self, kind: str, content: Any) -> None:
        self.handlers[kind](0, content)

    tell_all = tell_first

    def halt(self, kind: str, reason: str) -> None:
        self.halted.append((kind, reason))
        self.is_broken = True
        for notify in self.on_break:
            notify()

    def check(self) -> None:
        if self.halted:
            raise ValueError(self.halted[0][1])


def test_the_order_of_programs_is_compared() -> None:
    connections = Connections()
    order = ProgramOrder(connections, 1e-9, "PATIENCE")  # type: ignore[arg-type]

    def arrives(rank: int, number: int, label: str, signature: str = "shape") -> None:
        connections.handlers["program"](rank, [number, label, signature, True])

    for number, label in enumerate(["first", "second", "second"], 1):
        arrives(1, number, label)
        arrives(2, number, label)
        order.announce(label, "shape")
    # It has followed itself before, so that nobody waits for an answer.
    order.announce("second", "shape")
    assert not connections.halted
    arrives(1, 4, "second")
    connections.on_tick()
    ((kind, reason),) = connections.halted
    assert kind == "late" and reason.startswith("c did not come to exchange 4, second, within")
    arrives(2, 4, "second", "another shape")
    kind, reason = connections.halted[-1]
    assert kind == "differ" and "c runs second (another shape)" in reason
    with pytest.raises(ValueError, match="c did not come"):
        order.announce("third", "shape")
