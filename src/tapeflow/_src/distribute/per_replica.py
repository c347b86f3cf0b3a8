"""Values that each replica has one of: `PerReplica` and `Mirrored`, and structures of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.api.type_specs import type_spec_from_value
from tapeflow._src.api.types.experimental import distributed as public_types
from tapeflow._src.core import nest
from tapeflow._src.core.composite import Dispatchable
from tapeflow._src.core.spec import TypeSpec, describes_composites
from tapeflow._src.eager.variable import Variable


class DistributedValues(Dispatchable):
    """A value that each replica has one of.

    Args:
        values: The values, by the index of the replica.
    """

    def __init__(self, values: Sequence[Any] = ()) -> None:
        self._values = tuple(values)

    @property
    def values(self) -> tuple[Any, ...]:
        """The values, by the index of the replica."""
        return self._values

    @property
    def _type_spec(self) -> PerReplicaSpec:
        return PerReplicaSpec(*(type_spec_from_value(value) for value in self._values))

    def _why_no_tensor(self) -> str:
        return (
            f"A {type(self).__name__} has a value for each replica, so it is no tensor outside of "
            f"a replica context. Pass it to a function by `strategy.run`, or combine the values by "
            f"`strategy.reduce` or `strategy.gather`."
        )

    def __repr__(self) -> str:
        return self._described(repr)

    def __str__(self) -> str:
        return self._described(str)

    def _described(self, text: Callable[[Any], str]) -> str:
        lines = ",\n".join(f"  {i}: {text(value)}" for i, value in enumerate(self._values))
        return f"{type(self).__name__}:{{\n{lines}\n}}"


class PerReplica(DistributedValues, public_types.PerReplica):
    """A value that may differ from replica to replica."""


class Mirrored(DistributedValues, public_types.Mirrored):
    """A value that is the same on all replicas."""


class PerReplicaSpec(TypeSpec):
    """The type spec of a `PerReplica`: those of its values.

    Args:
        *value_specs: Type specs, by the index of the replica.
    """

    __slots__ = ("_value_specs",)

    def __init__(self, *value_specs: Any) -> None:
        self._value_specs = value_specs

    @property
    def value_type(self) -> type:
        return PerReplica

    def _serialize(self) -> tuple[Any, ...]:
        return self._value_specs

    @property
    def _component_specs(self) -> Any:
        return self._value_specs

    def _to_components(self, value: Any) -> Any:
        return value.values

    def _from_components(self, components: Any) -> Any:
        return PerReplica(components)


nest.register_composite(
    DistributedValues,
    lambda value: value.values,
    lambda value, parts: type(value)(parts),
    lambda a, b: isinstance(b, DistributedValues) and len(a.values) == len(b.values),
)
describes_composites(PerReplicaSpec)


def select(replica: int, structure: Any) -> Any:
    """Return a structure as one replica sees it."""
    return nest.map_structure(
        lambda leaf: leaf.values[replica] if isinstance(leaf, DistributedValues) else leaf,
        structure,
    )


def regroup(values: Sequence[Any]) -> Any:
    """Return one structure from those of all replicas; what differs becomes a `PerReplica`."""
    first = values[0]
    if all(value is first for value in values[1:]):
        return first
    if all(nest.is_nested(value) for value in values) and not isinstance(first, DistributedValues):
        for value in values[1:]:
            nest.assert_same_structure(first, value)
        flat = [nest.flatten(value) for value in values]
        return nest.pack_sequence_as(first, [regroup(leaves) for leaves in zip(*flat)])
    if all(isinstance(value, Variable) for value in values):
        owners = [value._itself() for value in values]
        if owners[0] is not None and all(owner is owners[0] for owner in owners):
            return owners[0]
    return PerReplica(values)


def values_of(value: Any, count: int) -> tuple[Any, ...]:
    """Return the values of all replicas; one that is not distributed is the same on all."""
    return value.values if isinstance(value, DistributedValues) else (value,) * count
