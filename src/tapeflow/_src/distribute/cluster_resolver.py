"""Which processes a program consists of, and which one this is."""

from __future__ import annotations

import json
import os
from typing import Any

from tapeflow._src.train.clusters import ClusterSpec
from tapeflow.config import list_logical_devices

_VARIABLE = "TF_CONFIG"


class ClusterResolver:
    """Base class of descriptions of a cluster; subclasses define `cluster_spec` and `master`."""

    task_type: str | None = None
    task_id: int | None = None
    rpc_layer: str | None = None
    environment: str | None = ""

    def cluster_spec(self) -> ClusterSpec:
        """Return the jobs and the addresses of their tasks."""
        raise NotImplementedError(f"{type(self).__name__} does not define `cluster_spec`.")

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """Return the address of a task, with the protocol.

        Args:
            task_type: Name of the job.
            task_id: Index of the task.
            rpc_layer: The protocol.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define `master`.")

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """Return the number of accelerators of a task by type: those of this process.

        Args:
            task_type: Ignored.
            task_id: Ignored.
            config_proto: Ignored.
        """
        counts = {kind: len(list_logical_devices(kind)) for kind in ("GPU", "TPU")}
        return {kind: count for kind, count in counts.items() if count}


def formatted_address(address: str, rpc_layer: str | None) -> str:
    """Return an address with the protocol, if there is one."""
    return f"{rpc_layer}://{address}" if rpc_layer and address else address


class QueriedResolver(ClusterResolver):
    """A cluster whose description is requested each time."""

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        job = self.task_type if task_type is None else task_type
        index = self.task_id if task_id is None else task_id
        if job is None or index is None:
            return ""
        address = self.cluster_spec().task_address(job, index)
        return formatted_address(address, rpc_layer or self.rpc_layer)


class SimpleClusterResolver(ClusterResolver):
    """A cluster whose description is passed.

    Args:
        cluster_spec: A `tf.train.ClusterSpec`.
        master: Address of the task that others connect to.
        task_type: Name of the job of this task.
        task_id: Index of this task.
        environment: Name of the environment.
        num_accelerators: Number of accelerators of each task by type.
        rpc_layer: The protocol.

    Raises:
        TypeError: `cluster_spec` or `master` is something else.

    Example:
        >>> spec = tf.train.ClusterSpec({"worker": ["host0:2222", "host1:2222"]})
        >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
        ...     spec, task_type="worker", task_id=1, rpc_layer="grpc"
        ... )
        >>> resolver.master("worker", 1)
        'grpc://host1:2222'
    """

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: dict[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError(
                f"SimpleClusterResolver needs a tf.train.ClusterSpec, received {cluster_spec!r}."
            )
        if not isinstance(master, str):
            raise TypeError(f"SimpleClusterResolver: master must be a string, received {master!r}.")
        self._cluster_spec = cluster_spec
        self._master = master
        self.task_type, self.task_id = task_type, task_id
        self.environment, self.rpc_layer = environment, rpc_layer
        self._num_accelerators = num_accelerators

    def cluster_spec(self) -> ClusterSpec:
        return self._cluster_spec

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        if task_type is not None and task_id is not None:
            address = self._cluster_spec.task_address(task_type, task_id)
            return formatted_address(address, rpc_layer or self.rpc_layer)
        return formatted_address(self._master, rpc_layer or self.rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        return dict(self._num_accelerators or {})


class UnionResolver(ClusterResolver):
    """The jobs of several clusters together; everything else is the first resolver's.

    Args:
        *args: Cluster resolvers.
        **kwargs: `task_type`, `task_id` or `rpc_layer`, instead of the first resolver's.

    Raises:
        TypeError: An argument is no cluster resolver.
        ValueError: There is none, or another keyword.

    Example:
        >>> of = tf.distribute.cluster_resolver.SimpleClusterResolver
        >>> trainers = of(tf.train.ClusterSpec({"worker": ["a:1"]}))
        >>> more = of(tf.train.ClusterSpec({"worker": ["b:1"], "evaluator": ["c:1"]}))
        >>> union = tf.distribute.cluster_resolver.UnionResolver(trainers, more)
        >>> union.cluster_spec().as_dict()
        {'worker': ['a:1', 'b:1'], 'evaluator': ['c:1']}
    """

    def __init__(self, *args: ClusterResolver, **kwargs: Any) -> None:
        unknown = sorted(set(kwargs) - {"task_type", "task_id", "rpc_layer"})
        if unknown or not args:
            raise ValueError(
                "UnionResolver takes cluster resolvers, and the keywords task_type, task_id and "
                f"rpc_layer. Received {len(args)} resolvers and the keywords {sorted(kwargs)}."
            )
        for resolver in args:
            if not isinstance(resolver, ClusterResolver):
                raise TypeError(f"UnionResolver takes cluster resolvers, received {resolver!r}.")
        self._resolvers = args
        first = args[0]
        self.environment = first.environment
        self.task_type = kwargs.get("task_type") or first.task_type
        self.task_id = kwargs.get("task_id") or first.task_id
        self._rpc_layer = kwargs.get("rpc_layer")
        self.rpc_layer = self._rpc_layer or first.rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        """Return the jobs of all clusters; the tasks of a job that several have are joined.

        Raises:
            KeyError: Tasks with explicit indices have the same index.
        """
        clusters = [resolver.cluster_spec().as_dict() for resolver in self._resolvers]
        jobs: dict[str, Any] = {}
        for job in dict.fromkeys(job for cluster in clusters for job in cluster):
            parts = [cluster[job] for cluster in clusters if job in cluster]
            jobs[job] = _joined(job, parts)
        return ClusterSpec(jobs)

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        if task_type is not None and task_id is not None:
            address = self.cluster_spec().task_address(task_type, task_id)
            return formatted_address(address, rpc_layer or self._rpc_layer)
        return self._resolvers[0].master(rpc_layer=rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        return self._resolvers[0].num_accelerators(task_type, task_id, config_proto)


def _joined(job: str, parts: list[Any]) -> Any:
    """Return the tasks of one job in several clusters: lists are concatenated."""
    if all(isinstance(part, list) for part in parts):
        return [address for part in parts for address in part]
    tasks: dict[int, str] = {}
    for part in parts:
        indexed = dict(enumerate(part)) if isinstance(part, list) else part
        same = sorted(set(tasks) & set(indexed))
        if same:
            raise KeyError(f"Several clusters have tasks {same} of the job {job!r}.")
        tasks.update(indexed)
    return tasks


class TFConfigClusterResolver(ClusterResolver):
    """The cluster that the environment variable `TF_CONFIG` describes, as JSON.

    Args:
        task_type: Name of the job of this task, instead of the variable's.
        task_id: Index of this task, instead of the variable's.
        rpc_layer: The protocol, instead of the variable's.
        environment: Name of the environment.

    Raises:
        ValueError: The variable is no JSON, or not of the form `{"cluster": …, "task": …}`.
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        config = _config()
        task = config.get("task", {})
        self.task_type = task.get("type") if task_type is None else task_type
        index = task.get("index") if task_id is None else task_id
        self.task_id = None if index is None else int(index)
        self.rpc_layer = rpc_layer or config.get("rpc_layer")
        self.environment = environment
        self._master = config.get("session_master")
        self._jobs = config.get("cluster", {})

    def cluster_spec(self) -> ClusterSpec:
        return ClusterSpec(self._jobs)

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        if self._master is not None:
            return str(self._master)
        spec = self.cluster_spec()
        if sum(spec.num_tasks(job) for job in spec.jobs) < 2:
            return ""
        job = self.task_type if task_type is None else task_type
        index = self.task_id if task_id is None else task_id
        return formatted_address(
            spec.task_address(job or "worker", index or 0), rpc_layer or self.rpc_layer
        )


def _config() -> dict[str, Any]:
    """Return what `TF_CONFIG` says; an error explains what it should be."""
    text = os.environ.get(_VARIABLE, "") or "{}"
    try:
        config = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{_VARIABLE} is no JSON: {error}. {_EXPECTED}") from None
    cluster = config.get("cluster", {}) if isinstance(config, dict) else None
    task = config.get("task", {}) if isinstance(config, dict) else None
    if not isinstance(cluster, dict) or not isinstance(task, dict):
        raise ValueError(f"{_VARIABLE} is {text!r}. {_EXPECTED}")
    job, index = task.get("type"), task.get("index")
    if cluster and job is not None and job not in cluster:
        raise ValueError(
            f"{_VARIABLE} says that this is a task of the job {job!r}, and the cluster has the "
            f"jobs {sorted(cluster)}. {_EXPECTED}"
        )
    tasks = cluster.get(job, ())
    if index is not None and not str(index).lstrip("-").isdecimal():
        raise ValueError(f"{_VARIABLE} says that the index of this task is {index!r}. {_EXPECTED}")
    if tasks and index is not None and not 0 <= int(index) < len(tasks):
        raise ValueError(
            f"{_VARIABLE} says that this is task {index} of the job {job!r}, which has "
            f"{len(tasks)}: {tasks}. {_EXPECTED}"
        )
    return config


_EXPECTED = (
    'Expected a form like {"cluster": {"worker": ["host0:2222", "host1:2222"]}, '
    '"task": {"type": "worker", "index": 0}}.'
)
