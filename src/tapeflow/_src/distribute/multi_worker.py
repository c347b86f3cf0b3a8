"""`MultiWorkerMirroredStrategy` of one worker; several are refused."""

from __future__ import annotations

from typing import Any

from tapeflow._src.distribute.cluster_resolver import TFConfigClusterResolver
from tapeflow._src.distribute.mirrored import all_devices
from tapeflow._src.distribute.replicated import ReplicatedStrategy

# Jobs whose tasks train.
_TRAINING = ("chief", "worker")


class MultiWorkerMirroredStrategy(ReplicatedStrategy):
    """Replicas on the devices of several workers, of which one, this process, can be used.

    Without a cluster, or with one worker, it is like `MirroredStrategy`.

    Args:
        cluster_resolver: Description of the cluster; None for what `TF_CONFIG` says.
        communication_options: Ignored: XLA combines the values of replicas.

    Raises:
        NotImplementedError: The cluster has several workers.

    Example:
        >>> strategy = tf.distribute.MultiWorkerMirroredStrategy()
        >>> strategy.num_replicas_in_sync == len(tf.config.list_logical_devices("CPU"))
        True
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        resolver = cluster_resolver or TFConfigClusterResolver()
        cluster = resolver.cluster_spec()
        workers = [
            address
            for job in _TRAINING
            if job in cluster.jobs
            for address in cluster.job_tasks(job)
        ]
        if len(workers) > 1:
            raise NotImplementedError(
                f"tf.distribute.MultiWorkerMirroredStrategy of {len(workers)} workers, {workers}, "
                f"is not available: replicas run on the devices of one process. Use "
                f"tf.distribute.MirroredStrategy on one machine, or leave TF_CONFIG out."
            )
        super().__init__(all_devices())
        self._cluster_resolver = resolver

    @property
    def cluster_resolver(self) -> Any:
        """The description of the cluster."""
        return self._cluster_resolver


class MultiWorkerMirroredStrategyExperimental(MultiWorkerMirroredStrategy):
    """`MultiWorkerMirroredStrategy` with the arguments of earlier versions.

    Args:
        communication: Ignored.
        cluster_resolver: Description of the cluster; None for what `TF_CONFIG` says.

    Raises:
        NotImplementedError: The cluster has several workers.
    """

    def __init__(self, communication: Any = None, cluster_resolver: Any = None) -> None:
        super().__init__(cluster_resolver)
