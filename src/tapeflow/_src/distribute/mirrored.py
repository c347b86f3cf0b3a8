"""`MirroredStrategy`: with one device it is one replica; several are refused."""

from __future__ import annotations

from typing import Any

from tapeflow._src.distribute.strategy import Strategy
from tapeflow.config import list_logical_devices


class MirroredStrategy(Strategy):
    """Replicas on the devices of one machine, of which one can be used."""

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
