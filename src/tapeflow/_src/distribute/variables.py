"""Variables of several replicas.

A mirrored variable has one value, which compiled code keeps on all devices: assigning to it in a
replica combines the values of all replicas and assigns once. A variable that is synchronized when
it is read has a value for each replica.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from tapeflow._src.api.arrays import convert_to_tensor
from tapeflow._src.core import dispatch
from tapeflow._src.core.replicas import in_file, replicas, values_of_others
from tapeflow._src.distribute.contexts import current
from tapeflow._src.distribute.per_replica import DistributedValues, values_of
from tapeflow._src.distribute.reductions import combine
from tapeflow._src.distribute.spmd import LocalValue, NotOneProgramError, SpmdContext, reduced
from tapeflow._src.distribute.values import ReduceOp
from tapeflow._src.eager.creators import distributing
from tapeflow._src.eager.replication import VariableAggregation, VariableSynchronization
from tapeflow._src.eager.variable import Variable
from tapeflow._src.ops.math.cast import cast

_REDUCTIONS = {
    VariableAggregation.SUM: ReduceOp.SUM,
    VariableAggregation.MEAN: ReduceOp.MEAN,
}
# Aggregations by which a mirrored variable has the value of the first replica.
_UNMERGED = (VariableAggregation.NONE, VariableAggregation.ONLY_FIRST_REPLICA)


class DistributedVariable(Variable):
    """A variable of a strategy with several replicas."""

    _distribute_strategy: Any
    # The variables of the replicas, by index; for messages and `experimental_local_results`.
    _parts: tuple[Variable, ...]

    @property
    def distribute_strategy(self) -> Any:
        """The strategy that the variable was created in."""
        return self._distribute_strategy

    @property
    def is_distributed_variable(self) -> bool:
        """Whether the variable is one of several replicas: true."""
        return True

    @property
    def values(self) -> tuple[Variable, ...]:
        """The variables of the replicas, by index."""
        return self._parts

    def _replica(self) -> Any:
        """Return the context of the replica that is running, or None across replicas."""
        inside = current()
        if inside is None or inside[0] is not self._distribute_strategy:
            return None
        return inside[1]

    def __repr__(self) -> str:
        lines = ",\n".join(f"  {i}: {part!r}" for i, part in enumerate(self._parts))
        return f"{type(self).__name__}:{{\n{lines}\n}}"

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        with self._distribute_strategy.scope():
            return super().__deepcopy__(memo)


# Changes that no sum or mean over replicas is defined for.
_NOT_REDUCED = frozenset({"scatter_min", "scatter_max", "scatter_update"})


def _combined(name: str) -> Callable[..., Any]:
    """Return a method that changes a mirrored variable once for all replicas."""
    change = getattr(Variable, name)

    def method(self: MirroredVariable, value: Any, *args: Any, **kwargs: Any) -> Any:
        replica = self._replica()
        if replica is None:
            return change(self, value, *args, **kwargs)
        if name in _NOT_REDUCED and self._aggregation not in _UNMERGED:
            raise NotImplementedError(
                f"{self.name}.{name} is called in a replica, and the variable has "
                f"VariableAggregation.{self._aggregation.name}: which rows of the replicas to keep "
                f"is not defined. Create it with VariableAggregation.ONLY_FIRST_REPLICA, or call "
                f"{name} across replicas, by strategy.extended.update."
            )

        def merged(strategy: Any, values: Any) -> Any:
            change(self, self._aggregated(values), *args, **kwargs)
            return self

        if not replica.can_merge and self._aggregation in _UNMERGED:
            # Within a branch or a loop of a replica: the first one's value is the variable's.
            if replica._index == 0:
                change(self, value, *args, **kwargs)
        else:
            replica.merge_call(merged, args=(value,))
        return self._unread()

    method.__name__ = name
    method.__doc__ = change.__doc__
    return method


class MirroredVariable(DistributedVariable):
    """A variable with the same value on all replicas."""

    def _aggregated(self, value: Any) -> Any:
        """Return the value to assign from those of the replicas."""
        if self._distribute_strategy._spans_workers:
            own = (
                values_of(value, 1)[:1]
                if self._aggregation in _UNMERGED
                else [self._as_operand(v) for v in values_of(value, 1)]
            )
            return self._distribute_strategy._combined_parts(self._aggregation, own)
        op = _REDUCTIONS.get(self._aggregation)
        if op is not None and isinstance(value, LocalValue):
            return reduced(op, value, len(self._parts))
        if op is ReduceOp.SUM:
            self._require_values_of_replicas(value)
        values = values_of(value, len(self._parts))
        return values[0] if op is None else combine(op, [self._as_operand(v) for v in values])

    def _require_values_of_replicas(self, value: Any) -> None:
        """Raise if all replicas pass the same object: to sum it may not be what is meant."""
        is_zero = isinstance(value, (int, float)) and value == 0
        if is_zero or isinstance(value, (DistributedValues, DistributedVariable)):
            return
        shown = type(value).__name__ if hasattr(value, "dense_shape") else repr(value)
        raise ValueError(
            f"{self.name} has VariableAggregation.SUM, and all replicas assign the same value "
            f"{shown}, which is not one per replica to sum. If the sum is meant, pass what each "
            f"replica computes, such as tf.identity(value); otherwise create the variable with "
            f"VariableAggregation.MEAN or ONLY_FIRST_REPLICA."
        )

    def _as_operand(self, value: Any) -> Any:
        return value if hasattr(value, "dense_shape") else self._operand(value)

    assign = _combined("assign")
    assign_add = _combined("assign_add")
    assign_sub = _combined("assign_sub")
    scatter_add = _combined("scatter_add")
    scatter_sub = _combined("scatter_sub")
    scatter_mul = _combined("scatter_mul")
    scatter_div = _combined("scatter_div")
    scatter_min = _combined("scatter_min")
    scatter_max = _combined("scatter_max")
    scatter_update = _combined("scatter_update")
    batch_scatter_update = _combined("batch_scatter_update")


def _of_part(name: str) -> Callable[..., Any]:
    """Return a method that changes the value of the replica that is running."""
    change = getattr(Variable, name)

    def method(self: SyncOnReadVariable, *args: Any, **kwargs: Any) -> Any:
        replica = self._replica()
        if isinstance(replica, SpmdContext):
            replica.change_parts(self._parts, name, *args, **kwargs)
            return self
        if replica is not None:
            return change(self._parts[replica._index], *args, **kwargs)
        if in_file():
            return change(self._parts[0], *args, **kwargs)
        if self._aggregation is VariableAggregation.SUM and name != "assign":
            raise ValueError(
                f"{self.name}.{name} is not defined across replicas: the variable is the sum of "
                f"their values. Call it in a function that strategy.run calls, or use `assign`."
            )
        if name == "assign":
            args = (self._share(args[0] if args else kwargs.pop("value")), *args[1:])
        for part in self._parts:
            change(part, *args, **kwargs)
        return self

    method.__name__ = name
    method.__doc__ = change.__doc__
    return method


class SyncOnReadVariable(DistributedVariable):
    """A variable with a value for each replica, which are combined when it is read."""

    def _share(self, value: Any) -> Any:
        """Return what each replica is assigned, for the variable to have that value."""
        if self._aggregation is not VariableAggregation.SUM:
            return value
        share = convert_to_tensor(value) / self._distribute_strategy.num_replicas_in_sync
        return cast(share, DstT=self._dtype)

    def value(self) -> Any:
        """Return the value of the replica that is running, or across replicas the combination."""
        replica = self._replica()
        if isinstance(replica, SpmdContext):
            return replica.read_part(self._parts)
        if replica is not None:
            return self._parts[replica._index].value()
        if in_file():
            return self._parts[0].value()
        strategy = self._distribute_strategy
        if strategy._spans_workers and id(self) in strategy._read_ahead:
            return strategy._read_ahead[id(self)]
        values = [part.value() for part in self._parts]
        if strategy._spans_workers:
            if self._aggregation is VariableAggregation.NONE:
                ReduceOp.from_variable_aggregation(self._aggregation)
            return strategy._combined_parts(self._aggregation, values)
        if self._aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            return values[0]
        return combine(ReduceOp.from_variable_aggregation(self._aggregation), values)

    def _unread(self) -> Any:
        return self

    assign = _of_part("assign")
    assign_add = _of_part("assign_add")
    assign_sub = _of_part("assign_sub")
    scatter_add = _of_part("scatter_add")
    scatter_sub = _of_part("scatter_sub")
    scatter_mul = _of_part("scatter_mul")
    scatter_div = _of_part("scatter_div")
    scatter_min = _of_part("scatter_min")
    scatter_max = _of_part("scatter_max")
    scatter_update = _of_part("scatter_update")


def _parts_to_change(variable: Any) -> tuple[Any, ...]:
    """Return the variables of the replicas that a change concerns: the one that runs, or all."""
    if not isinstance(variable, SyncOnReadVariable):
        return (variable,)
    replica = variable._replica()
    if isinstance(replica, SpmdContext):
        raise NotOneProgramError(f"{variable.name} changes in each replica")
    if replica is None:
        return variable.values[:1] if in_file() else variable.values
    return (variable.values[replica._index],)


replicas.parts = _parts_to_change


@cache
def _class_of(kind: type[DistributedVariable], variable_class: type) -> type:
    """Return a distributed kind of a class of variables, such as that of Keras.

    The methods of that class come first: they call those of `tf.Variable`, which are replaced.
    """
    if variable_class is Variable:
        return kind
    return type(kind.__name__, (variable_class, kind), {"__module__": kind.__module__})


def adopt(variable: Any, strategy: Any) -> Any:
    """Turn a variable that was just created into one of all replicas of a strategy."""
    if not isinstance(variable, Variable) or isinstance(variable, DistributedVariable):
        return variable
    if variable._synchronization is VariableSynchronization.NONE:
        raise ValueError(
            f"The variable {variable.name} has VariableSynchronization.NONE, which a strategy of "
            f"several replicas does not support: leave `synchronization` out."
        )
    if variable._aggregation is VariableAggregation.MEAN and not variable._dtype.is_floating:
        raise ValueError(
            f"The variable {variable.name} of dtype {variable._dtype.name} cannot have "
            f"VariableAggregation.MEAN, whose results are fractions: use another aggregation or a "
            f"floating dtype."
        )
    devices = strategy.extended.worker_devices
    central = strategy.extended.parameter_devices
    on_read = variable._synchronization is VariableSynchronization.ON_READ
    if not on_read:
        variable._synchronization = VariableSynchronization.ON_WRITE
    parts = [_view(variable, 0, devices[0])]
    for index in range(1, len(devices)):
        part = _copy(variable, index) if on_read else _view(variable, index, devices[index])
        part._device = devices[index]
        parts.append(part)
    if len(central) == 1:
        variable._device = central[0]
        for part in parts if not on_read else ():
            part._device = central[0]
    variable.__dict__["_distribute_strategy"] = strategy
    variable.__dict__["_parts"] = tuple(parts)
    kind = SyncOnReadVariable if on_read else MirroredVariable
    variable.__class__ = _class_of(kind, type(variable))
    return variable


def _view(variable: Any, index: int, device: str) -> Variable:
    """Return the variable as a replica has it: another name for the same value."""
    part = Variable.__new__(Variable)
    part.__dict__.update(variable.__dict__)
    if index:
        part._name = f"{variable._name}/replica_{index}"
    part._device = device
    return part


def _copy(variable: Any, index: int) -> Variable:
    """Return a variable for another replica, with the same value."""
    with distributing(None), dispatch.use_mode(dispatch.base_mode()), dispatch.use_recorders(()):
        part = Variable(
            Variable.value(variable),
            trainable=variable._trainable,
            dtype=variable._dtype,
            shape=variable._shape,
        )
    part._name = part._cell.name = f"{variable._name}/replica_{index}"
    values_of_others.add(part._cell)
    return part
