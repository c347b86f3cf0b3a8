"""`MultiWorkerMirroredStrategy`: a replica in each of several processes, or those of this one."""

from __future__ import annotations

from typing import Any

from tapeflow._src.distribute.cluster_resolver import TFConfigClusterResolver
from tapeflow._src.distribute.mirrored import all_devices
from tapeflow._src.distribute.replicated import ReplicatedStrategy
from tapeflow._src.distribute.worker_replicas import SeveralWorkers
from tapeflow._src.distribute.workers import TRAINING, start, workers_of


class MultiWorkerMirroredStrategy(ReplicatedStrategy):
    """A replica in each of several processes, the workers, with the same variables in all.

    Every worker runs the same program. Creating the strategy waits for the others: all meet at the
    address of the first, which is the chief if there is one. Values of replicas are plain tensors;
    `reduce`, `gather`, an optimizer and variables combine them with those of the other workers, so
    that all have to make the same calls. Without a cluster, or with one worker, it is like
    `MirroredStrategy`.

    Args:
        cluster_resolver: Description of the cluster; None for what `TF_CONFIG` says.
        communication_options: Ignored: Gloo exchanges values.

    Raises:
        ValueError: This process is no worker of the cluster.
        tf.errors.DeadlineExceededError: A worker, which is named, did not come in time: within 300
            seconds, or as many as the environment variable `TAPEFLOW_WORKERS_TIMEOUT` says.

    Example:
        >>> strategy = tf.distribute.MultiWorkerMirroredStrategy()
        >>> strategy.num_replicas_in_sync == len(tf.config.list_logical_devices("CPU"))
        True
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        resolver = cluster_resolver or TFConfigClusterResolver()
        cluster = resolver.cluster_spec()
        if len(workers_of(cluster)) > 1:
            self.__class__ = _of_several_workers(type(self))
            self._join(start(cluster, resolver.task_type, resolver.task_id))  # type: ignore[attr-defined]
        else:
            _require_worker(cluster, resolver.task_type)
            super().__init__(all_devices())
        self._cluster_resolver = resolver

    @property
    def cluster_resolver(self) -> Any:
        """The description of the cluster."""
        return self._cluster_resolver


def _require_worker(cluster: Any, job: str | None) -> None:
    """Raise ValueError if this process is of a job that does not train."""
    if cluster.jobs and job not in (None, *TRAINING, "evaluator"):
        raise ValueError(
            f"This process is a task of the job {job!r}, and MultiWorkerMirroredStrategy runs on "
            f'the tasks of the jobs "chief" and "worker": there are no parameter servers. Leave '
            f"other jobs out of TF_CONFIG."
        )


def _of_several_workers(kind: type) -> type:
    """Return a class of strategies with the methods for several workers."""
    if issubclass(kind, SeveralWorkers):
        return kind
    return type(kind.__name__, (SeveralWorkers, kind), {"__module__": kind.__module__})


class MultiWorkerMirroredStrategyExperimental(MultiWorkerMirroredStrategy):
    """`MultiWorkerMirroredStrategy` with the arguments of earlier versions.

    Args:
        communication: Ignored.
        cluster_resolver: Description of the cluster; None for what `TF_CONFIG` says.

    Raises:
        ValueError: This process is no worker of the cluster.
    """

    def __init__(self, communication: Any = None, cluster_resolver: Any = None) -> None:
        super().__init__(cluster_resolver)
