"""`tf.data.experimental.service`: a dispatcher and workers in this process and in others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.data import states
from tapeflow._src.data.service.wire import Client
from tests.data.helpers import Dataset, elements

service = tf.data.experimental.service
OFF, DYNAMIC = service.ShardingPolicy.OFF, service.ShardingPolicy.DYNAMIC


class Cluster:
    """A dispatcher and workers of this process."""

    def __init__(self, workers: int, **config: Any) -> None:
        self.dispatcher = service.DispatchServer(service.DispatcherConfig(**config))
        self.workers = [self.worker() for _ in range(workers)]

    def worker(self, **config: Any) -> Any:
        address = self.dispatcher.target.partition("://")[2]
        return service.WorkerServer(service.WorkerConfig(address, **config))

    def distributed(self, dataset: Any, mode: Any, **arguments: Any) -> Any:
        return dataset.apply(service.distribute(mode, self.dispatcher.target, **arguments))

    def stop(self) -> None:
        for server in (*self.workers, self.dispatcher):
            server.stop()


@pytest.fixture
def clusters() -> Iterator[Callable[..., Cluster]]:
    started: list[Cluster] = []

    def start(workers: int, **config: Any) -> Cluster:
        started.append(Cluster(workers, **config))
        return started[-1]

    yield start
    for cluster in started:
        cluster.stop()


def test_each_worker_produces_all_elements_without_sharding(clusters: Any) -> None:
    squares = Dataset.range(5).map(lambda x: x * x)
    for mode in (OFF, "parallel_epochs"):
        dataset = clusters(2).distributed(squares, mode)
        assert dataset.element_spec == squares.element_spec
        assert sorted(elements(dataset)) == [0, 0, 1, 1, 4, 4, 9, 9, 16, 16]


def test_dynamic_sharding_visits_each_element_once(clusters: Any) -> None:
    dataset = Dataset.range(20).batch(3, drop_remainder=False).unbatch().repeat(2)
    distributed = clusters(3).distributed(dataset, DYNAMIC)
    for _ in range(2):
        assert sorted(elements(distributed)) == sorted([*range(20), *range(20)])


def test_static_policies_divide_elements_and_files(clusters: Any, tmp_path: Path) -> None:
    names = []
    for number in range(4):
        names.append(str(tmp_path / str(number)))
        Path(names[-1]).write_text(f"{number}a\n{number}b\n")
    cluster = clusters(2, worker_addresses=["localhost:%port%", "localhost"])
    lines = tf.data.TextLineDataset(names)
    policy = service.ShardingPolicy
    hint = tf.data.experimental.SHARD_HINT
    for mode, dataset in (
        (policy.DATA, Dataset.range(5)),
        (policy.FILE, lines),
        (policy.FILE_OR_DATA, lines),
        (policy.FILE_OR_DATA, Dataset.range(5)),
        (policy.HINT, Dataset.range(5).shard(hint, hint).map(lambda x: x + 10)),
    ):
        assert sorted(elements(cluster.distributed(dataset, mode))) == sorted(elements(dataset))
    with pytest.raises(tf.errors.NotFoundError, match="DATA"):
        elements(cluster.distributed(Dataset.range(4), policy.FILE))
    with pytest.raises(tf.errors.InvalidArgumentError, match="worker_addresses"):
        elements(clusters(1).distributed(Dataset.range(4), policy.DATA))


def test_consumers_with_one_job_name_share_the_elements(clusters: Any) -> None:
    cluster = clusters(2)
    first, second = (
        iter(cluster.distributed(Dataset.range(30), DYNAMIC, job_name="both")) for _ in range(2)
    )
    read = [int(next(walk)) for walk in (first, second)]
    read += [int(x) for walk in (first, second) for x in walk]
    assert sorted(read) == list(range(30))
    with pytest.raises(tf.errors.InvalidArgumentError, match="job_name"):
        next(iter(cluster.distributed(Dataset.range(9), OFF, job_name="both")))


def test_registered_datasets_are_read_by_their_id(clusters: Any) -> None:
    target = clusters(1).dispatcher.target
    numbers = Dataset.from_tensor_slices({"a": [1, 2], "b": ["x", "y"]})
    identifier = service.register_dataset(target, numbers)
    assert int(identifier.numpy()) == int(service.register_dataset(target, numbers).numpy())
    read = service.from_dataset_id(DYNAMIC, target, identifier)
    assert read.element_spec == numbers.element_spec
    assert elements(read) == [{"a": 1, "b": b"x"}, {"a": 2, "b": b"y"}]
    named = service.register_dataset(target, numbers, dataset_id="numbers")
    assert named.numpy() == b"numbers"
    with pytest.raises(tf.errors.NotFoundError, match="absent"):
        service.from_dataset_id(DYNAMIC, target, "absent")


def test_functions_read_from_a_service(clusters: Any) -> None:
    cluster = clusters(2)

    @tf.function
    def total() -> Any:
        result = tf.constant(0, tf.int64)
        for x in cluster.distributed(Dataset.range(10), DYNAMIC):
            result += x
        return result

    assert int(total()) == 45


def test_workers_that_join_later_take_part(clusters: Any) -> None:
    cluster = clusters(0)
    walk = iter(cluster.distributed(Dataset.range(3).repeat(), OFF, job_name="late"))
    cluster.workers.append(cluster.worker())
    assert [int(next(walk)) for _ in range(6)] == [0, 1, 2, 0, 1, 2]


def test_consumers_read_rounds_of_the_same_worker(clusters: Any) -> None:
    cluster = clusters(2)
    dataset = Dataset.range(100).repeat()
    walks = [
        iter(cluster.distributed(dataset, OFF, job_name="r", consumer_index=i, num_consumers=2))
        for i in range(2)
    ]
    rounds = [tuple(int(next(walk)) for walk in walks) for _ in range(6)]
    assert rounds == [(0, 1), (0, 1), (2, 3), (2, 3), (4, 5), (4, 5)]


def test_trainers_share_what_was_produced(clusters: Any) -> None:
    cluster = clusters(1)
    dataset = Dataset.random(seed=None).take(50).repeat()
    walks = [
        iter(
            cluster.distributed(
                dataset,
                OFF,
                job_name="cached",
                cross_trainer_cache=service.CrossTrainerCache(trainer_id=trainer),
            )
        )
        for trainer in ("a", "b")
    ]
    first, second = ([int(next(walk)) for _ in range(20)] for walk in walks)
    assert first == second
    with pytest.raises(tf.errors.InvalidArgumentError, match="without end"):
        cluster.distributed(
            Dataset.range(3), OFF, job_name="x", cross_trainer_cache=service.CrossTrainerCache("a")
        )


def test_errors_of_elements_arrive(clusters: Any) -> None:
    dataset = Dataset.range(3).map(lambda x: 6 // (1 - x))
    walk = iter(clusters(1).distributed(dataset, OFF))
    assert int(next(walk)) == 6
    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        next(walk)
    assert int(next(walk)) == -6


def test_a_dispatcher_goes_on_where_it_was_stopped(clusters: Any, tmp_path: Path) -> None:
    cluster = clusters(1, work_dir=str(tmp_path), fault_tolerant_mode=True)
    distributed = cluster.distributed(Dataset.range(50), DYNAMIC, max_outstanding_requests=1)
    walk = iter(distributed)
    read = [int(next(walk)) for _ in range(10)]
    port = int(cluster.dispatcher.target.rpartition(":")[2])
    cluster.dispatcher.stop()
    config = service.DispatcherConfig(port, work_dir=str(tmp_path), fault_tolerant_mode=True)
    cluster.dispatcher = service.DispatchServer(config)
    failures = 0
    while True:
        try:
            read.append(int(next(walk)))
        except tf.errors.UnavailableError:
            failures += 1
        except StopIteration:
            break
    # A split that was on its way when the connection broke is lost, never repeated.
    assert len(set(read)) == len(read)
    assert len(read) >= 50 - 1 - failures


@pytest.mark.parametrize(
    "dataset",
    [
        lambda: Dataset.from_generator(lambda: [1], tf.int32),
        lambda: Dataset.range(3).map(lambda x: tf.py_function(int, [x], tf.int64)),
    ],
)
def test_python_functions_do_not_travel(dataset: Any, clusters: Any) -> None:
    refused = (tf.errors.FailedPreconditionError, tf.errors.PermissionDeniedError)
    with pytest.raises(refused, match=r"Python function"):
        elements(clusters(1).distributed(dataset(), OFF))


def test_wrong_arguments_are_refused(clusters: Any) -> None:
    target = clusters(0).dispatcher.target
    for arguments in (
        {"processing_mode": "sometimes", "service": target},
        {"processing_mode": OFF, "service": "localhost:1"},
        {"processing_mode": OFF, "service": target, "job_name": ""},
        {"processing_mode": OFF, "service": target, "consumer_index": 0},
        {"processing_mode": OFF, "service": target, "compression": "ZIP"},
        {"processing_mode": OFF, "service": target, "target_workers": "SOME"},
    ):
        with pytest.raises(ValueError):
            Dataset.range(3).apply(service.distribute(**arguments))
    with pytest.raises(ValueError, match="work_dir"):
        service.DispatchServer(service.DispatcherConfig(fault_tolerant_mode=True))
    with pytest.raises(ValueError, match="dispatcher_address"):
        service.WorkerServer(service.WorkerConfig(""))


def test_damaged_messages_are_answered_with_errors(clusters: Any) -> None:
    address = clusters(0).dispatcher.target.partition("://")[2]
    client = Client(address)
    with pytest.raises(tf.errors.InternalError, match="no method"):
        client.call("__class__")
    with pytest.raises(tf.errors.InternalError):
        client.call("tasks", job=3)
    for data in (b"", b"\x05", b"\xff" * 30, b"\x02\0\0\0\0\0\0\0{}"):
        with pytest.raises(tf.errors.DataLossError):
            states.from_bytes(data)
    assert client.call("workers") == []


WORKER = """
import sys
import tapeflow as tf
service = tf.data.experimental.service
server = service.WorkerServer(service.WorkerConfig(sys.argv[1]))
print(server._address, flush=True)
server.join()
"""


def test_a_killed_process_loses_little_and_repeats_nothing(clusters: Any) -> None:
    cluster = clusters(1)
    address = cluster.dispatcher.target.partition("://")[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, address], stdout=subprocess.PIPE, env=environment
    ) as other:
        try:
            assert other.stdout is not None and other.stdout.readline()
            dataset = Dataset.range(400).map(lambda x: x * 2)
            walk = iter(cluster.distributed(dataset, DYNAMIC, max_outstanding_requests=2))
            read = [int(next(walk)) for _ in range(60)]
            os.kill(other.pid, signal.SIGKILL)
            other.wait()
            read += [int(x) for x in walk]
        finally:
            other.kill()
    assert len(set(read)) == len(read)
    # The worker had at most one element that it had taken and not sent.
    assert 398 <= len(read) <= 400
    assert set(read) <= set(range(0, 800, 2))
