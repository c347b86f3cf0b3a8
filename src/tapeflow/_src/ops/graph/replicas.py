"""Ops of functions that are traced once for all replicas: each device runs them as one of them.

They depend on where they run, so that nothing is folded: their effect is that of reading state.
"""

from __future__ import annotations

from tapeflow._src.core import dtypes
from tapeflow._src.core.infer import fixed, same_as
from tapeflow._src.core.registry import Many, op
from tapeflow._src.core.spec import Spec


@op("_OnReplicas", infer=fixed((), dtypes.bool), grad=None, effect="reads")
def on_replicas(xp, *, devices):
    """Return whether each of `devices` runs the function that follows, as one of the replicas.

    It is the condition of a branch. Only compiled programs for a mesh take it.
    """
    return xp.zeros((), bool)


@op("_ReplicaIndex", infer=fixed((), dtypes.int32), grad=None, effect="reads")
def replica_index(xp):
    """Return the number of the replica that runs."""
    return xp.replicas.index()


@op("_ReplicaSum", infer=same_as("value"), effect="reads")
def replica_sum(xp, value, *, count: int):
    """Return the sum of `value` over all replicas."""
    return xp.replicas.total(value, count)


@replica_sum.gradient
def _(dz, *, count):
    return replica_sum(dz, count=count)


@op("_ReplicaGather", grad=None, effect="reads")
def replica_gather(xp, value, *, count: int):
    """Return `value` of all replicas, stacked."""
    return xp.replicas.gathered(value, count)


@replica_gather.infer
def _(value, *, count):
    return Spec(None if value.shape is None else (count, *value.shape), value.dtype)


@op("_ReplicaSelect", grad=None, effect="reads")
def replica_select(xp, values: Many):
    """Return the value of the replica that runs, from those of all."""
    return xp.replicas.selected(values)


@replica_select.infer
def _(values):
    return Spec(values[0].shape, values[0].dtype)
