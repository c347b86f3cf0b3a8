"""Ways to combine values of replicas, by their names: XLA chooses the algorithm by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from tapeflow._src.distribute.per_replica import DistributedValues, Mirrored
from tapeflow._src.distribute.reductions import combine
from tapeflow._src.distribute.values import ReduceOp, as_reduce_op


class CrossDeviceOps:
    """Combines values of replicas, and copies values to all of them."""

    def reduce(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None
    ) -> Any:
        """Return the sum or the mean of the values of all replicas.

        Args:
            reduce_op: `tf.distribute.ReduceOp`, or its name.
            per_replica_value: Values of replicas.
            destinations: Ignored: the result is on all devices.
            options: Ignored.

        Returns:
            A `tf.distribute.DistributedValues` with the result for each replica.

        Raises:
            ValueError: `reduce_op` is unknown.
        """
        op = as_reduce_op(reduce_op)
        if not isinstance(per_replica_value, DistributedValues):
            return per_replica_value
        return self.reduce_implementation(op, per_replica_value, destinations, options)

    def reduce_implementation(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any
    ) -> Any:
        """Combine values of replicas; a subclass may override it.

        Args:
            reduce_op: `tf.distribute.ReduceOp`.
            per_replica_value: Values of replicas.
            destinations: Ignored.
            options: Ignored.
        """
        values = per_replica_value.values
        return Mirrored([combine(reduce_op, values)] * len(values))

    def batch_reduce(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        """Return the combinations of several values.

        Args:
            reduce_op: `tf.distribute.ReduceOp`, or its name.
            value_destination_pairs: Pairs of values of replicas and a destination.
            options: Ignored.
        """
        op = as_reduce_op(reduce_op)
        return self.batch_reduce_implementation(op, value_destination_pairs, options)

    def batch_reduce_implementation(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any
    ) -> list[Any]:
        """Combine several values; a subclass may override it.

        Args:
            reduce_op: `tf.distribute.ReduceOp`.
            value_destination_pairs: Pairs of values of replicas and a destination.
            options: Ignored.
        """
        return [self.reduce(reduce_op, v, to, options) for v, to in value_destination_pairs]

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """Return a value for all replicas of `destinations`.

        Args:
            tensor: The value.
            destinations: Values of replicas, or names of devices.
        """
        return self.broadcast_implementation(tensor, destinations)

    def broadcast_implementation(self, tensor: Any, destinations: Any) -> Any:
        """Copy a value to all replicas; a subclass may override it.

        Args:
            tensor: The value.
            destinations: Values of replicas, or names of devices.
        """
        items = getattr(destinations, "values", destinations)
        return Mirrored([tensor] * (1 if isinstance(items, str) else len(items)))


class NcclAllReduce(CrossDeviceOps):
    """The way to combine that TensorFlow has for GPUs of NVIDIA; XLA chooses by itself.

    Args:
        num_packs: Ignored.

    Raises:
        ValueError: `num_packs` is negative.
    """

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(f"NcclAllReduce needs num_packs >= 0, received {num_packs}.")


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """The way to combine that TensorFlow has for GPUs connected in groups; XLA chooses by itself.

    Args:
        num_packs: Ignored.

    Raises:
        ValueError: `num_packs` is negative.

    Example:
        >>> ops = tf.distribute.HierarchicalCopyAllReduce(num_packs=2)
        >>> tf.distribute.MirroredStrategy(["CPU:0"], cross_device_ops=ops).num_replicas_in_sync
        1
    """

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(
                f"HierarchicalCopyAllReduce needs num_packs >= 0, received {num_packs}."
            )


class ReductionToOneDevice(CrossDeviceOps):
    """Combines values on one device and copies the result.

    Args:
        reduce_to_device: Ignored: XLA chooses the device.
        accumulation_fn: Function that adds a list of tensors; None for `tf.add_n`.
    """

    def __init__(
        self, reduce_to_device: Any = None, accumulation_fn: Callable[..., Any] | None = None
    ) -> None:
        self._accumulate = accumulation_fn

    def reduce_implementation(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any
    ) -> Any:
        values = per_replica_value.values
        if self._accumulate is None:
            return super().reduce_implementation(
                reduce_op, per_replica_value, destinations, options
            )
        total = self._accumulate(list(values))
        result = total if reduce_op is ReduceOp.SUM else total / len(values)
        return Mirrored([result] * len(values))


class CommunicationImplementation(Enum):
    """What carries values between machines: `AUTO`, `RING` or `NCCL`.

    Example:
        >>> tf.distribute.experimental.CommunicationImplementation.AUTO.value
        'AUTO'
    """

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


@dataclass(frozen=True)
class CommunicationOptions:
    """How values are exchanged; XLA chooses by itself.

    Args:
        bytes_per_pack: Ignored.
        timeout_seconds: Ignored in one process.
        implementation: Ignored in one process.

    Example:
        >>> tf.distribute.experimental.CommunicationOptions(bytes_per_pack=1 << 20).bytes_per_pack
        1048576
    """

    bytes_per_pack: int = 0
    timeout_seconds: float | None = None
    implementation: CommunicationImplementation = CommunicationImplementation.AUTO

    def __post_init__(self) -> None:
        if isinstance(self.implementation, str):
            chosen = CommunicationImplementation(self.implementation.upper())
            object.__setattr__(self, "implementation", chosen)
        if self.bytes_per_pack < 0:
            raise ValueError(
                f"CommunicationOptions needs bytes_per_pack >= 0, received {self.bytes_per_pack}."
            )


class CollectiveHints:
    """How values are exchanged: the former name of `CommunicationOptions`, of which it makes one.

    Args:
        bytes_per_pack: Ignored.
        timeout_seconds: Ignored in one process.

    Example:
        >>> tf.distribute.experimental.CollectiveHints(bytes_per_pack=3).bytes_per_pack
        3
    """

    def __new__(  # type: ignore[misc]
        cls, bytes_per_pack: int = 0, timeout_seconds: float | None = None
    ) -> CommunicationOptions:
        return CommunicationOptions(bytes_per_pack, timeout_seconds)

    def __init__(self, bytes_per_pack: int = 0, timeout_seconds: float | None = None) -> None:
        """Do nothing: `__new__` returns an instance of another class."""
