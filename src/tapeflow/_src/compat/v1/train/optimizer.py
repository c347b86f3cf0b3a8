"""`Optimizer`: from a loss to an operation that changes variables; how, the subclasses say."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.control_flow.grouping import group
from tapeflow._src.api.scopes import control_dependencies, name_scope
from tapeflow._src.compat.v1.graphs import GraphKeys, gradients
from tapeflow._src.compat.v1.variables import Variable, trainable_variables
from tapeflow._src.core import dispatch
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.variable import Variable as VariableV2
from tapeflow._src.gradients.tape import GradientTape
from tapeflow._src.ops.indexed_slices import IndexedSlices


class Optimizer:
    """Changes variables so that a loss gets smaller.

    A subclass names its slots for each variable with `slots(variable)`, each with
    its first value, and changes a variable with `step(variable, gradient, slots)`.
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._name = name
        self._slots: dict[int, tuple[VariableV2, dict[str, VariableV2]]] = {}

    # -- for subclasses ----------------------------------------------------------------------

    def first_slots(self, variable: VariableV2) -> dict[str, Any]:
        """Return the slots of a variable with their initial values."""
        return {}

    def prepare(self) -> None:
        """Make tensors of what all steps need."""

    def step(
        self, variable: VariableV2, gradient: TensorLike, slots: dict[str, VariableV2]
    ) -> None:
        """Update the variable and its slots."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it changes variables.")

    def finish(self) -> list[Any]:
        """Run updates after all variables were updated; return the variables changed."""
        return []

    # -- using it ----------------------------------------------------------------------------

    def get_name(self) -> str:
        """Return the name of the optimizer."""
        return self._name

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """Return an operation that makes one step towards a smaller loss."""
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if all(gradient is None for gradient, _ in pairs):
            raise ValueError(
                f"No gradients for any variable: {[v.name for _, v in pairs]} and the loss {loss} "
                "are not connected by differentiable operations."
            )
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """Return pairs of a gradient and its variable. Eagerly, the loss is a function."""
        if callable(loss):
            with GradientTape() as tape:
                value = loss()
            variables = list(tape.watched_variables() if var_list is None else var_list)
            return list(zip(tape.gradient(value, variables, grad_loss), variables))
        if dispatch.current_graph() is None:
            raise RuntimeError(
                "compute_gradients needs a function that computes the loss when called eagerly, "
                "received a tensor: pass `lambda: loss(...)`."
            )
        variables = list(trainable_variables() if var_list is None else var_list)
        if not variables:
            raise ValueError("No variables to optimize.")
        return list(zip(gradients(loss, variables, grad_loss), variables))

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Return an operation that changes the variables by their gradients."""
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise ValueError(f"No gradients provided for any variable: {list(grads_and_vars)}.")
        slots = [self._slots_of(variable) for _, variable in pairs]
        with name_scope(name or self._name):
            self.prepare()
            done = []
            for (gradient, variable), slot_values in zip(pairs, slots):
                self.step(variable, _dense(gradient, variable), slot_values)
                done.append(_last_node())
            done = [node for node in done if node is not None]
            with control_dependencies(done):
                done += [_operation(changed) for changed in self.finish()]
                if global_step is not None:
                    done.append(_operation(global_step.assign_add(1)))
            return group(*[node for node in done if node is not None])

    # -- slots -------------------------------------------------------------------------------

    def get_slot(self, var: Any, name: str) -> Any:
        """Return the slot of a variable by name, or None."""
        entry = self._slots.get(id(var))
        return None if entry is None else entry[1].get(name)

    def get_slot_names(self) -> list[str]:
        """Return the names of the slots of variables."""
        return sorted({name for _, slot_values in self._slots.values() for name in slot_values})

    def variables(self) -> list[Any]:
        """Return all variables of the optimizer."""
        return [slot for _, slot_values in self._slots.values() for slot in slot_values.values()]

    def _slots_of(self, variable: VariableV2) -> dict[str, VariableV2]:
        entry = self._slots.get(id(variable))
        if entry is None:
            created = {
                name: Variable(
                    value,
                    trainable=False,
                    collections=[GraphKeys.GLOBAL_VARIABLES],
                    name=f"{variable.name.partition(':')[0]}/{name}",
                    dtype=variable.dtype,
                )
                for name, value in self.first_slots(variable).items()
            }
            entry = self._slots[id(variable)] = (variable, created)
        return entry[1]


def _dense(gradient: TensorLike, variable: VariableV2) -> Any:
    if isinstance(gradient, IndexedSlices):
        return dispatch.convert(gradient, variable.dtype)
    return gradient


def _operation(changed: VariableV2) -> Any:
    """Return the operation that changed a variable, in a graph that is no function's."""
    return None if changed._declared is None else changed.op


def _last_node() -> Any:
    """Return the operation that was added last, in a graph."""
    graph = dispatch.current_graph()
    return None if graph is None else graph.nodes[-1]
