"""Processes that meet, and exchange arrays."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.distribute import workers
from tests.distribute_workers import programs
from tests.distribute_workers.launch import Workers, run
from tests.processes import addresses


@pytest.fixture(scope="module")
def results() -> list[dict[str, Any]]:
    return run(2, "programs.meet", "programs.collectives", "programs.ops")


def test_each_process_has_its_rank(results: list[dict[str, Any]]) -> None:
    devices = [f"/job:worker/replica:0/task:{i}/device:CPU:0" for i in range(2)]
    met = [result["programs.meet"] for result in results]
    assert met == [[0, 2, devices[0]], [1, 2, devices[1]]]


def test_collectives_exchange_arrays_of_all_dtypes(results: list[dict[str, Any]]) -> None:
    assert results[0]["programs.collectives"] == results[1]["programs.collectives"]
    summed, stacked, of_second = results[0]["programs.collectives"]
    count = len(programs.DTYPES)
    assert summed == [[3, 4]] * count + [7.0]
    assert stacked == [[[1, 2], [2, 2]]] * count + [[3.0, 4.0]]
    assert of_second == [[2, 2]] * count + [4.0]


def test_ops_are_differentiable_and_run_in_functions(results: list[dict[str, Any]]) -> None:
    for rank, result in enumerate(results):
        total, gradient, looped, rows = result["programs.ops"]
        assert total == [15.0] and gradient == [12.0 * (rank + 1)]
        assert looped == [[40.0], [41.0]][rank]
        assert rows == [[1, 1]]


def test_a_missing_worker_is_named() -> None:
    cluster = {"worker": addresses(3)}
    started = Workers(
        3, ["programs.meet"], cluster, ranks=[0, 2], environment={"TAPEFLOW_WORKERS_TIMEOUT": "4"}
    )
    errors = started.errors()
    assert set(errors) == {0, 2}
    for text in errors.values():
        assert "DeadlineExceededError" in text
        assert f"/job:worker/task:1 ({cluster['worker'][1]}) did not connect" in text


@pytest.mark.parametrize(
    ("program", "killed"),
    [("first_is_killed", 0), pytest.param("last_is_killed", 2, marks=pytest.mark.slow)],
)
def test_a_killed_worker_is_named(program: str, killed: int) -> None:
    cluster = {"worker": addresses(3)}
    errors = Workers(3, [f"programs.{program}"], cluster).errors(60)
    assert set(errors) == {0, 1, 2}
    assert errors.pop(killed).startswith("exit code -9")
    for text in errors.values():
        assert text.startswith("exit code 1\n")
        name = f"/job:worker/task:{killed} ({cluster['worker'][killed]})"
        assert f"UnavailableError: {name} was lost" in text
        assert "resumes from the last checkpoint" in text


def test_a_worker_that_fails_is_named_with_its_error() -> None:
    errors = Workers(2, ["programs.last_fails"]).errors(60)
    assert "ValueError: invalid literal" in errors[1]
    assert "/job:worker/task:1" in errors[0]
    assert "ended before the others: it ended with ValueError: invalid literal" in errors[0]


def test_a_process_that_is_no_worker_is_refused() -> None:
    cluster = tf.train.ClusterSpec({"worker": ["a:1", "b:1"], "ps": ["c:1"]})
    with pytest.raises(ValueError, match="none of the workers"):
        workers.start(cluster, "ps", 0)
    chief = workers.workers_of(tf.train.ClusterSpec({"worker": ["a:1"], "chief": ["b:1"]}))
    assert [worker.name for worker in chief] == [
        "/job:chief/task:0 (b:1)",
        "/job:worker/task:0 (a:1)",
    ]
