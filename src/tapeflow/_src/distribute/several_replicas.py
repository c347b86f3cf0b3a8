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


class ParameterServerStrategy(Strategy):
    """Replicas that share variables on servers; not available: creating one raises.

    Args:
        cluster_resolver: Description of the cluster.
        variable_partitioner: How variables are cut.

    Raises:
        NotImplementedError: Always. Use `tf.distribute.OneDeviceStrategy`.
    """

    def __init__(self, cluster_resolver: Any, variable_partitioner: Any = None) -> None:
        _refuse(self)


class TPUStrategy(Strategy):
    """Replicas on the cores of TPUs; not available: creating one raises.

    Args:
        tpu_cluster_resolver: Description of the TPUs.
        experimental_device_assignment: Which cores are used.
        experimental_spmd_xla_partitioning: Whether XLA divides computations.

    Raises:
        NotImplementedError: Always. Use `tf.distribute.OneDeviceStrategy`.
    """

    def __init__(
        self,
        tpu_cluster_resolver: Any = None,
        experimental_device_assignment: Any = None,
        experimental_spmd_xla_partitioning: bool = False,
    ) -> None:
        _refuse(self)


class TPUStrategyExperimental(TPUStrategy):
    """Replicas on the cores of TPUs, with the arguments of earlier versions; not available.

    Args:
        tpu_cluster_resolver: Description of the TPUs.
        device_assignment: Which cores are used.

    Raises:
        NotImplementedError: Always. Use `tf.distribute.OneDeviceStrategy`.
    """

    def __init__(self, tpu_cluster_resolver: Any = None, device_assignment: Any = None) -> None:
        _refuse(self)
