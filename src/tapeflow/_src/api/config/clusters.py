"""Connections to other machines: not supported, with what to do instead."""

from __future__ import annotations

from collections.abc import Iterable

from tapeflow._src.core.refused import refused_function

_REASON = (
    "Tapeflow does not run operations on other hosts through TensorFlow's servers. Run the same "
    "program on every host with tf.distribute.MultiWorkerMirroredStrategy, or leave the call out "
    "on a single one."
)


class ClusterDeviceFilters:
    """Which devices of a cluster each task sees, for `tf.config.experimental_connect_to_cluster`.

    Example:
        >>> filters = tf.config.experimental.ClusterDeviceFilters()
        >>> filters.set_device_filters("worker", 0, ["/job:ps"])
    """

    def __init__(self) -> None:
        self._filters: dict[str, dict[int, list[str]]] = {}

    def set_device_filters(
        self, job_name: str, task_index: int, device_filters: Iterable[str]
    ) -> None:
        """Set what a task sees.

        Args:
            job_name: The job of the task.
            task_index: The number of the task.
            device_filters: Names of devices; parts that are left out match all.

        Raises:
            TypeError: If an argument has another type.
        """
        filters = list(device_filters)
        kinds = [(job_name, str), (task_index, int), *((each, str) for each in filters)]
        for value, kind in kinds:
            if not isinstance(value, kind):
                raise TypeError(
                    f"set_device_filters needs the name of a job, the number of a task and names "
                    f"of devices. Received: {job_name!r}, {task_index!r}, {device_filters!r}"
                )
        self._filters.setdefault(job_name, {})[task_index] = filters


experimental_connect_to_cluster = refused_function(
    "experimental_connect_to_cluster",
    "tf.config",
    _REASON,
    "cluster_spec_or_resolver job_name= task_index= protocol= make_master_device_default= "
    "cluster_device_filters=",
)
experimental_connect_to_host = refused_function(
    "experimental_connect_to_host", "tf.config", _REASON, "remote_host= job_name="
)
