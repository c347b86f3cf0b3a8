"""Positions of iterators in checkpoints: by objects eagerly, and by savers of sessions in graphs.

In a graph, the position is the result of an operation, so that a graph that was written to a file
and imported again still says which iterators its saver writes, and under which keys.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.infer import fixed
from tapeflow._src.core.registry import Resource, Variant, op
from tapeflow._src.core.trackable import Trackable
from tapeflow._src.core.variants import VariantArray
from tapeflow._src.data.iterator import OwnedIterator
from tapeflow._src.data.options import ExternalStatePolicy
from tapeflow._src.data.stage import HOST
from tapeflow._src.graph.tensor import SymbolicTensor


@op("SerializeIterator", infer=fixed((None,), dtypes.variant), grad=None, host=HOST, effect="io")
def serialize_iterator(xp, resource_handle: Resource, *, external_state_policy=0):
    """Return the position of an iterator, as a vector of one variant."""
    refuses = external_state_policy == ExternalStatePolicy.FAIL.value
    return VariantArray.stacked([resource_handle.save(refuses_effects=refuses)])


serialize_iterator.is_resource_state = True


@op(
    "DeserializeIterator",
    infer=lambda op, specs, attrs: (),
    outputs=(),
    grad=None,
    host=HOST,
    effect="io",
)
def deserialize_iterator(xp, resource_handle: Resource, serialized: Variant):
    """Move an iterator to a position that `SerializeIterator` returned."""
    resource_handle.restore(serialized[0])


class IteratorSaveable(Trackable):
    """Saves the position of an iterator in checkpoints, in the place of the iterator.

    Attributes:
        op: The handle of the iterator.
        name: The name of the handle, if it is part of a graph.
        state: The operation of a graph that returns the position, else None.
    """

    def __init__(self, iterator: OwnedIterator, policy: ExternalStatePolicy) -> None:
        self._iterator = iterator
        self.op = iterator._handle
        in_graph = isinstance(self.op, SymbolicTensor)
        self.name = self.op.name if in_graph else ""
        self.state = None
        if in_graph:
            self.state = serialize_iterator(self.op, external_state_policy=policy.value).op

    _tpf_checkpoint_attribute = "ITERATOR"

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return self._iterator._serialize_to_tensors()

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        return self._iterator._restore_from_tensors(restored_tensors)


def make_saveable_from_iterator(
    iterator: OwnedIterator, external_state_policy: ExternalStatePolicy | str | None = None
) -> IteratorSaveable:
    """Return an object that saves the position of an iterator when it is part of a checkpoint.

    An iterator in a `tf.train.Checkpoint` is saved without it. In a graph, add the object to the
    collection `tf.compat.v1.GraphKeys.SAVEABLE_OBJECTS` before a `tf.compat.v1.train.Saver` is
    created, or pass it to the saver.

    Args:
        iterator: The iterator.
        external_state_policy: What to do about functions with state, which is not saved: the
            position is refused by default, with "fail" or `ExternalStatePolicy.FAIL`; with "warn"
            or "ignore" it is saved without that state.

    Returns:
        An object to add to the checkpoint or the collection.

    Raises:
        ValueError: if there is no such policy.
    """
    policy = external_state_policy
    if policy is None:
        return IteratorSaveable(iterator, ExternalStatePolicy.FAIL)
    if isinstance(policy, str):
        names = [each.name.lower() for each in ExternalStatePolicy]
        if policy not in names:
            raise ValueError(f"external_state_policy must be one of {names}, received {policy!r}.")
        policy = ExternalStatePolicy[policy.upper()]
    return IteratorSaveable(iterator, policy)
