"""`tf.tpu.experimental`: names that programs refer to; using a TPU is refused."""

from __future__ import annotations

from collections import namedtuple as _namedtuple
from enum import Enum as _Enum
from typing import Any, NoReturn

from tapeflow._src.core.errors import NotFoundError as _NotFoundError
from tapeflow._src.core.refused import refused_class as _refused_class

_REASON = (
    "Tapeflow runs on the processor and has no TPU system. Use tf.distribute.get_strategy(), the "
    "strategy of one device."
)


class DeviceOrderMode(_Enum):
    """The order of the cores of a TPU."""

    AUTO = 0
    RING = 1
    MESH = 2


TPUSystemMetadata = _namedtuple(
    "TPUSystemMetadata", ("num_cores", "num_hosts", "num_of_cores_per_host", "topology", "devices")
)
DeviceAssignment = _refused_class("DeviceAssignment", "tf.tpu.experimental", _REASON)
HardwareFeature = _refused_class("HardwareFeature", "tf.tpu.experimental", _REASON)
Topology = _refused_class("Topology", "tf.tpu.experimental", _REASON)


def initialize_tpu_system(cluster_resolver: Any = None) -> NoReturn:
    """Raise NotFoundError: no TPU system is there to be initialized.

    Args:
        cluster_resolver: How TPUs are reached.

    Returns:
        Nothing: it always raises.
    """
    raise _NotFoundError(None, None, f"TPUs not found. {_REASON}")


def shutdown_tpu_system(cluster_resolver: Any = None) -> NoReturn:
    """Raise NotFoundError: no TPU system is there to be shut down.

    Args:
        cluster_resolver: How TPUs are reached.

    Returns:
        Nothing: it always raises.
    """
    raise _NotFoundError(None, None, f"TPUs not found. {_REASON}")
