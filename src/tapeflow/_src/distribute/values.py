"""Options of strategies, and per-replica values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from tapeflow._src.eager.replication import VariableAggregation


class ReduceOp(Enum):
    """How values of replicas are combined."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: Any) -> ReduceOp:
        """Return how values of a variable with that aggregation are combined."""
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
    """How inputs are spread over replicas."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class DistributedValues:
    """A value that each replica has one of. With one replica, values are plain tensors."""


class DistributedDataset:
    """A dataset whose batches are spread over replicas. With one replica, it is a plain one."""


class DistributedIterator:
    """An iterator over a distributed dataset."""


@dataclass(frozen=True)
class InputContext:
    """Which part of the input a pipeline is to read."""

    num_input_pipelines: int = 1
    input_pipeline_id: int = 0
    num_replicas_in_sync: int = 1

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """Return the share of a batch that one replica gets."""
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"Expected a global batch size that {self.num_replicas_in_sync} replicas divide, "
                f"received {global_batch_size}."
            )
        return global_batch_size // self.num_replicas_in_sync


@dataclass(frozen=True)
class InputOptions:
    """How a distributed dataset is read."""

    experimental_fetch_to_device: bool | None = None
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


@dataclass(frozen=True)
class RunOptions:
    """How `Strategy.run` runs a function."""

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


@dataclass(frozen=True)
class ValueContext:
    """Which replica a value is created for."""

    replica_id_in_sync_group: int = 0
    num_replicas_in_sync: int = 1
