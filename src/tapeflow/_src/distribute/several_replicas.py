"""Strategies of several replicas or machines: names for `isinstance`, which cannot be created."""

from __future__ import annotations

from typing import Any, NoReturn

from tapeflow._src.distribute.strategy import Strategy


def _refuse(strategy: Strategy) -> NoReturn:
    raise NotImplementedError(
        f"tf.distribute.{type(strategy).__name__} is not available: computations run in one "
        "replica, which uses all cores. Use tf.distribute.get_strategy() or "
        "tf.distribute.OneDeviceStrategy."
    )


class MultiWorkerMirroredStrategy(Strategy):
    """Replicas on several machines."""

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        _refuse(self)


class MultiWorkerMirroredStrategyExperimental(MultiWorkerMirroredStrategy):
    """Replicas on several machines, with the arguments of earlier versions."""

    def __init__(self, communication: Any = None, cluster_resolver: Any = None) -> None:
        _refuse(self)


class ParameterServerStrategy(Strategy):
    """Replicas that share variables on servers."""

    def __init__(self, cluster_resolver: Any, variable_partitioner: Any = None) -> None:
        _refuse(self)


class CentralStorageStrategy(Strategy):
    """Replicas that share variables on one device."""

    def __init__(self, compute_devices: Any = None, parameter_device: Any = None) -> None:
        _refuse(self)


class TPUStrategy(Strategy):
    """Replicas on the cores of TPUs."""

    def __init__(
        self,
        tpu_cluster_resolver: Any = None,
        experimental_device_assignment: Any = None,
        experimental_spmd_xla_partitioning: bool = False,
    ) -> None:
        _refuse(self)


class TPUStrategyExperimental(TPUStrategy):
    """Replicas on the cores of TPUs, with the arguments of earlier versions."""

    def __init__(self, tpu_cluster_resolver: Any = None, device_assignment: Any = None) -> None:
        _refuse(self)
