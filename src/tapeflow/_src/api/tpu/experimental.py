"""`tf.tpu.experimental`: XLA prepares TPUs by itself; descriptions of them are refused."""

from __future__ import annotations

from collections import namedtuple as _namedtuple
from enum import Enum as _Enum
from typing import Any

from tapeflow._src.core import devices as _devices
from tapeflow._src.core.errors import NotFoundError as _NotFoundError
from tapeflow._src.core.refused import refused_class as _refused_class

_REASON = (
    "how the cores of TPUs are connected is XLA's affair. tf.distribute.TPUStrategy() uses all "
    "cores of this machine."
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


def initialize_tpu_system(cluster_resolver: Any = None) -> None:
    """Check that this machine has TPUs; XLA prepares them.

    Args:
        cluster_resolver: A `tf.distribute.cluster_resolver.TPUClusterResolver`.

    Raises:
        NotFoundError: It has none.
    """
    if not any(_devices.parse(name).device_type == "TPU" for name in _devices.available()):
        raise _NotFoundError(
            None,
            None,
            "TPUs not found: JAX sees none on this machine. Run the program on the machine that "
            "they are attached to, with `pip install jax[tpu]`; on other devices, use "
            "tf.distribute.MirroredStrategy or tf.distribute.get_strategy().",
        )


def shutdown_tpu_system(cluster_resolver: Any = None) -> None:
    """Check that this machine has TPUs; they are released when the process ends.

    Args:
        cluster_resolver: A `tf.distribute.cluster_resolver.TPUClusterResolver`.

    Raises:
        NotFoundError: It has none.
    """
    initialize_tpu_system(cluster_resolver)
