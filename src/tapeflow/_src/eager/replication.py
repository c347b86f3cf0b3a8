"""How the replicas of a distributed variable are kept equal, and when."""

from __future__ import annotations

from enum import Enum


class VariableSynchronization(Enum):
    """When the replicas of a distributed variable are aggregated.

    `ON_WRITE` aggregates each assignment; `ON_READ` lets replicas differ and aggregates when the
    value is read outside of them; `AUTO` leaves the choice to the strategy; `NONE` means that there
    is one copy only.

    Example:
        >>> v = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ)
        >>> v.synchronization.name
        'ON_READ'
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(Enum):
    """How the replicas of a distributed variable are aggregated.

    `SUM` and `MEAN` combine the values of all replicas, `ONLY_FIRST_REPLICA` takes that of the
    first; `NONE` refuses what would need an aggregation.

    Example:
        >>> v = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)
        >>> v.aggregation.name
        'MEAN'
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
