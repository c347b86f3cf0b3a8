"""`MirroredStrategy`: with one device it is one replica; several are refused."""

from __future__ import annotations

from typing import Any

from tapeflow._src.distribute.strategy import Strategy
from tapeflow.config import list_logical_devices


class MirroredStrategy(Strategy):
    """Replicas on the devices of one machine, of which one can be used.

    It has one replica, which uses all cores, so that programs for several replicas run unchanged.

    Args:
        devices: Name of a device, or a list with one; None for the device of the machine.
        cross_device_ops: Ignored: there is nothing to combine.

    Raises:
        NotImplementedError: Several devices are named, or exist.

    Example:
        >>> strategy = tf.distribute.MirroredStrategy()
        >>> strategy.num_replicas_in_sync
        1
        >>> with strategy.scope():
        ...     weight = tf.Variable(1.0)
        >>> float(strategy.run(lambda: weight * 2))
        2.0
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        super().__init__()
        names = devices or [device.name for device in list_logical_devices()]
        chosen = [names] if isinstance(names, str) else list(names)
        if len(chosen) != 1:
            raise NotImplementedError(
                f"tf.distribute.MirroredStrategy of {len(chosen)} devices is not available: "
                f"computations run in one replica, which uses all cores. Pass one of {chosen}."
            )
        self._device = chosen[0]
