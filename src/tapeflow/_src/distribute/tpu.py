"""TPUs of this machine: JAX finds them, and a replica runs on each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow._src.api.tpu.experimental import TPUSystemMetadata, initialize_tpu_system
from tapeflow._src.core.errors import NotFoundError
from tapeflow._src.distribute.cluster_resolver import ClusterResolver, formatted_address
from tapeflow._src.distribute.replicated import ReplicatedStrategy
from tapeflow._src.train.clusters import ClusterSpec
from tapeflow.config import list_logical_devices

_REMEDY = (
    "Run the program on the machine that the TPU is attached to, with JAX's support for it "
    "(`pip install jax[tpu]`). On other devices, use tf.distribute.MirroredStrategy or "
    "tf.distribute.get_strategy()."
)

_ONE_CORE = (
    "A replica of tf.distribute.TPUStrategy has one core. To divide a model over cores, use "
    "keras.distribution.ModelParallel or tf.experimental.dtensor."
)


def _tpus() -> list[str]:
    return [device.name for device in list_logical_devices("TPU")]


class TPUClusterResolver(ClusterResolver):
    """The TPUs of this machine, or the address of others.

    Args:
        tpu: "local", or None, for the TPUs of this machine; `grpc://host:port` for others, which
            can be described and not used.
        zone: Ignored: machines are not looked up by name.
        project: Ignored.
        job_name: Name of the job of the tasks.
        coordinator_name: Name of the job that coordinates, with `coordinator_address`.
        coordinator_address: Address of the task that coordinates.
        credentials: Ignored.
        service: Ignored.
        discovery_url: Ignored.

    Raises:
        ValueError: There is no TPU here, or `tpu` is the name of a machine.

    Example:
        >>> try:
        ...     resolver = tf.distribute.cluster_resolver.TPUClusterResolver()
        ... except ValueError:
        ...     strategy = tf.distribute.get_strategy()
    """

    def __init__(
        self,
        tpu: str | None = None,
        zone: str | None = None,
        project: str | None = None,
        job_name: str = "worker",
        coordinator_name: str | None = None,
        coordinator_address: str | None = None,
        credentials: Any = "default",
        service: Any = None,
        discovery_url: str | None = None,
    ) -> None:
        if not tpu and not _tpus():
            raise ValueError(f"There is no TPU on this machine. {_REMEDY}")
        if tpu and tpu != "local" and "://" not in tpu:
            raise ValueError(
                f"The TPU {tpu!r} cannot be looked up by name: expected None, 'local' or an "
                f"address. {_REMEDY}"
            )
        self._address = tpu if tpu and "://" in tpu else ""
        self._job_name = job_name
        self._coordinator = (coordinator_name, coordinator_address)
        self.task_type, self.task_id = job_name, 0
        self.rpc_layer = "grpc" if self._address else None
        self.tpu_topology: Any = None

    @staticmethod
    def connect(
        tpu: str | None = None, zone: str | None = None, project: str | None = None
    ) -> TPUClusterResolver:
        """Return a resolver whose TPUs are ready.

        Args:
            tpu: As for the constructor.
            zone: Ignored.
            project: Ignored.

        Raises:
            ValueError: There is no TPU here.
            NotFoundError: The TPUs are elsewhere.
        """
        resolver = TPUClusterResolver(tpu, zone, project)
        initialize_tpu_system(resolver)
        return resolver

    def cluster_spec(self) -> ClusterSpec:
        """Return the address of other TPUs; without one there are no other processes."""
        if not self._address:
            return ClusterSpec({})
        jobs = {self._job_name: [self._address.partition("://")[2]]}
        name, address = self._coordinator
        if name and address:
            jobs[name] = [address]
        return ClusterSpec(jobs)

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        spec = self.cluster_spec()
        if not spec.jobs:
            return ""
        address = spec.task_address(task_type or self._job_name, task_id or 0)
        return formatted_address(address, rpc_layer or self.rpc_layer)

    def get_master(self) -> str:
        """Return the address, as `master` does."""
        return self.master()

    def get_job_name(self) -> str:
        """Return the name of the job of the tasks."""
        return self._job_name

    def get_coordination_service_leader(self) -> str | None:
        """Return the task that others meet at, or None if there are no others."""
        return f"/job:{self._job_name}/task:0" if self._address else None

    def get_tpu_system_metadata(self) -> Any:
        """Return how many cores there are, on how many machines.

        Raises:
            NotFoundError: There is no TPU here.
        """
        initialize_tpu_system(self)
        devices = list_logical_devices("TPU")
        return TPUSystemMetadata(len(devices), 1, len(devices), self.tpu_topology, devices)

    def set_tpu_topology(self, serialized_tpu_topology: Any) -> None:
        """Keep a description of how TPUs are connected, which XLA knows by itself.

        Args:
            serialized_tpu_topology: The description.
        """
        self.tpu_topology = serialized_tpu_topology

    @property
    def tpu_hardware_feature(self) -> Any:
        """What the cores can do, which is not known here.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(
            "TPUClusterResolver.tpu_hardware_feature is not available: what the cores of a TPU can "
            "do is XLA's affair. jax.devices() describes them."
        )

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        return {"TPU": len(_tpus())}


class TPUStrategy(ReplicatedStrategy):
    """A replica on each TPU core of this machine, with the same variables on all.

    It is `MirroredStrategy` on TPUs; XLA compiles a step for all cores.

    Args:
        tpu_cluster_resolver: A `tf.distribute.cluster_resolver.TPUClusterResolver`; None for the
            TPUs of this machine.
        experimental_device_assignment: Not supported: all cores are used.
        experimental_spmd_xla_partitioning: Not supported.

    Raises:
        ValueError: There is no TPU here.
        NotFoundError: The TPUs of the resolver are elsewhere.
        NotImplementedError: A step is to be divided otherwise than by replicas.
    """

    def __init__(
        self,
        tpu_cluster_resolver: Any = None,
        experimental_device_assignment: Any = None,
        experimental_spmd_xla_partitioning: bool = False,
    ) -> None:
        if experimental_device_assignment is not None or experimental_spmd_xla_partitioning:
            raise NotImplementedError(
                "tf.distribute.TPUStrategy runs one replica on each core. To divide a model over "
                "cores, use keras.distribution.ModelParallel or tf.experimental.dtensor."
            )
        resolver = tpu_cluster_resolver or TPUClusterResolver()
        names = _tpus()
        if not names:
            raise NotFoundError(None, None, f"There is no TPU on this machine. {_REMEDY}")
        super().__init__(names)
        self._cluster_resolver = resolver

    @property
    def cluster_resolver(self) -> Any:
        """The description of the TPUs."""
        return self._cluster_resolver

    def experimental_assign_to_logical_device(self, tensor: Any, logical_device_id: int) -> Any:
        """Return a tensor on one of the cores of a replica, which has one.

        Args:
            tensor: The tensor.
            logical_device_id: Number of the core: 0.

        Raises:
            ValueError: There is no such core.
        """
        if logical_device_id != 0:
            raise ValueError(f"{_ONE_CORE} Received: logical_device_id={logical_device_id}")
        return tensor

    def experimental_split_to_logical_devices(
        self, tensor: Any, partition_dimensions: Sequence[int]
    ) -> Any:
        """Return a tensor divided over the cores of a replica, which has one.

        Args:
            tensor: The tensor.
            partition_dimensions: The number of parts along each axis: 1.

        Raises:
            ValueError: There are more parts than cores, or not as many numbers as axes.
        """
        if list(partition_dimensions) != [1] * len(tensor.shape):
            raise ValueError(f"{_ONE_CORE} Received: partition_dimensions={partition_dimensions}")
        return tensor

    def experimental_replicate_to_logical_devices(self, tensor: Any) -> Any:
        """Return a tensor that all cores of a replica have: there is one.

        Args:
            tensor: The tensor.
        """
        return tensor


class TPUStrategyExperimental(TPUStrategy):
    """`TPUStrategy` with the arguments of earlier versions.

    Args:
        tpu_cluster_resolver: A `tf.distribute.cluster_resolver.TPUClusterResolver`; None for the
            TPUs of this machine.
        device_assignment: Not supported: all cores are used.

    Raises:
        ValueError: There is no TPU here.
    """

    def __init__(self, tpu_cluster_resolver: Any = None, device_assignment: Any = None) -> None:
        super().__init__(tpu_cluster_resolver, device_assignment)
