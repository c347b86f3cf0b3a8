"""Options of strategies, and per-replica values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from tapeflow._src.eager.replication import VariableAggregation


class ReduceOp(Enum):
    """How values of replicas are combined: `SUM` or `MEAN`.

    Example:
        >>> tf.distribute.ReduceOp.SUM
        <ReduceOp.SUM: 'SUM'>
    """

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: Any) -> ReduceOp:
        """Return how values of a variable with that aggregation are combined.

        Args:
            aggregation: `tf.VariableAggregation.SUM` or `MEAN`.

        Raises:
            ValueError: It is another aggregation.

        Example:
            >>> tf.distribute.ReduceOp.from_variable_aggregation(tf.VariableAggregation.MEAN)
            <ReduceOp.MEAN: 'MEAN'>
        """
        value = {
            VariableAggregation.SUM: ReduceOp.SUM,
            VariableAggregation.MEAN: ReduceOp.MEAN,
        }.get(aggregation)
        if value is None:
            raise ValueError(
                f"Expected VariableAggregation.SUM or MEAN to reduce by, received {aggregation!r}."
            )
        return value


def as_reduce_op(value: Any) -> ReduceOp:
    """Return a ReduceOp, also for its name.

    Raises:
        ValueError: it is neither.
    """
    if isinstance(value, str):
        value = value.upper()
    try:
        return ReduceOp(value)
    except ValueError:
        raise ValueError(
            f"Expected a tf.distribute.ReduceOp, 'SUM' or 'MEAN', received {value!r}."
        ) from None


class InputReplicationMode(Enum):
    """How inputs are spread over replicas: `PER_WORKER` or `PER_REPLICA`.

    Example:
        >>> tf.distribute.InputReplicationMode("PER_WORKER")
        <InputReplicationMode.PER_WORKER: 'PER_WORKER'>
    """

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


@dataclass(frozen=True)
class InputContext:
    """Which part of the input a pipeline is to read.

    Args:
        num_input_pipelines: Number of pipelines.
        input_pipeline_id: Index of this pipeline.
        num_replicas_in_sync: Number of replicas.

    Example:
        >>> context = tf.distribute.InputContext(num_replicas_in_sync=2)
        >>> context.get_per_replica_batch_size(8)
        4
    """

    num_input_pipelines: int = 1
    input_pipeline_id: int = 0
    num_replicas_in_sync: int = 1

    def __str__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, total: "
            f"{self.num_input_pipelines})"
        )

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """Return the share of a batch that one replica gets.

        Args:
            global_batch_size: Size of the batch of all replicas.

        Raises:
            ValueError: The number of replicas does not divide it.

        Example:
            >>> context = tf.distribute.InputContext(num_replicas_in_sync=2)
            >>> context.get_per_replica_batch_size(8)
            4
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"Expected a global batch size that {self.num_replicas_in_sync} replicas divide, "
                f"received {global_batch_size}."
            )
        return global_batch_size // self.num_replicas_in_sync


class InputOptions(NamedTuple):
    """How a distributed dataset is read; with one replica, nothing depends on it.

    Args:
        experimental_fetch_to_device: Whether batches are copied to devices ahead of time.
        experimental_replication_mode: How inputs are spread over replicas.
        experimental_place_dataset_on_device: Whether the dataset is on the device itself.
        experimental_per_replica_buffer_size: Number of batches fetched ahead of time.

    Example:
        >>> options = tf.distribute.InputOptions(experimental_per_replica_buffer_size=2)
        >>> strategy = tf.distribute.get_strategy()
        >>> data = tf.data.Dataset.range(3)
        >>> len(strategy.experimental_distribute_dataset(data, options))
        3
    """

    experimental_fetch_to_device: bool | None = None
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


def replicates_input(options: Any) -> bool:
    """Return whether each replica is to have a pipeline of its own."""
    mode = getattr(options, "experimental_replication_mode", None)
    return mode is InputReplicationMode.PER_REPLICA


class RunOptions(NamedTuple):
    """How `Strategy.run` runs a function; with one replica, nothing depends on it.

    Args:
        experimental_enable_dynamic_batch_size: Whether batch sizes may vary.
        experimental_bucketizing_dynamic_shape: Whether inputs are padded to sizes in steps.
        experimental_xla_options: Options of XLA.

    Example:
        >>> options = tf.distribute.RunOptions(experimental_enable_dynamic_batch_size=False)
        >>> tf.distribute.get_strategy().run(lambda: 3, options=options)
        3
    """

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


@dataclass(frozen=True)
class ValueContext:
    """Which replica a value is created for.

    Args:
        replica_id_in_sync_group: Index of the replica.
        num_replicas_in_sync: Number of replicas.

    Example:
        >>> tf.distribute.experimental.ValueContext().num_replicas_in_sync
        1
    """

    replica_id_in_sync_group: int = 0
    num_replicas_in_sync: int = 1
