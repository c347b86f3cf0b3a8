"""The parts of an object in a SavedModel: children as in checkpoints, functions, captures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tapeflow._src.api.lookup.tables import LookupTable
from tapeflow._src.api.structure_protos import can_encode
from tapeflow._src.checkpoint.assets import Asset, AssetPath
from tapeflow._src.checkpoint.object_graph import Node
from tapeflow._src.checkpoint.resources import TrackableResource, resource_children
from tapeflow._src.checkpoint.tables import table_children
from tapeflow._src.core.log import logger
from tapeflow._src.core.replicas import as_in_file, values_of_others
from tapeflow._src.core.resource import Cell
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.trackable import SAVED_MODEL, children_of, register_function_type
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.variable import Variable
from tapeflow._src.function.concrete import ConcreteFunction
from tapeflow._src.function.polymorphic import Function
from tapeflow._src.saved_model.model_functions import captures_of, output_specs


@dataclass(frozen=True)
class Layout:
    """How a library that writes SavedModels of its own describes its objects."""

    # The children of an object by name.
    children_of: Callable[[Any], dict[str, Any]]
    # The kind of an object that is neither a container nor a function; None for no special one.
    identifier: Callable[[Any], str | None]
    # Further files of the model by name, from all objects in order.
    files: Callable[[list[Node]], dict[str, bytes]]


register_function_type(Function)
register_function_type(ConcreteFunction)


def model_children(value: Any, cache: dict[Any, Any] | None = None) -> dict[str, Any]:
    """Return the children of a value in a SavedModel, by name.

    cache: what classes of libraries share during one save.
    """
    match value:
        case Function():
            return {f"trace_{i}": trace for i, trace in enumerate(_traces(value))}
        case ConcreteFunction():
            named = ((f"capture_{i}", t) for i, t in enumerate(captures_of(value)))
            return {name: _constant(t) for name, t in named if _has_value(t)}
        case LookupTable():
            return table_children(value)
        case TrackableResource():
            return resource_children(value)
        case _:
            return children_of(value, SAVED_MODEL, cache={} if cache is None else cache)


def _has_value(tensor: Any) -> bool:
    return bool(tensor.dtype.is_numpy_compatible)


def _constant(tensor: TensorLike) -> Any:
    return tensor.asset if isinstance(tensor, AssetPath) else tensor


def _traces(function: Function) -> list[ConcreteFunction]:
    """Return the traces of a function that a file can hold: arguments are tensors
    and plain values.
    """
    if function.input_signature is not None:
        function.get_concrete_function()
    traces = []
    for concrete in _without_replicas(function):
        if can_encode([concrete.structured_input_signature, output_specs(concrete)]):
            traces.append(concrete)
        else:
            logger.warning(
                "A trace of %s is left out of the SavedModel, as its arguments or results cannot "
                "be written: %s",
                function.name,
                concrete.function_type,
            )
    return traces


def _without_replicas(function: Function) -> list[ConcreteFunction]:
    """Return the traces of a function, traced again where they depend on replicas."""
    traces = function._list_all_concrete_functions()
    signatures = function.signatures_in_replicas()
    if not signatures and not any(map(_uses_other_replicas, traces)):
        return traces
    signatures += [trace.structured_input_signature for trace in traces]
    traced: list[ConcreteFunction] = []
    for args, kwargs in signatures:
        try:
            with as_in_file():
                traced.append(function.get_concrete_function(*args, **kwargs))
        except Exception as error:
            logger.warning(
                "A trace of %s is left out of the SavedModel: the function was called in replicas "
                "of a strategy, and cannot be traced outside of them: %s",
                function.name,
                error,
            )
    return list(dict.fromkeys(traced))


def _uses_other_replicas(concrete: ConcreteFunction) -> bool:
    cells = (t._array for t in concrete.captured_inputs if not _has_value(t))
    return any(isinstance(cell, Cell) and cell in values_of_others for cell in cells)


class Places:
    """The numbers of the objects that functions take from outside."""

    def __init__(self, nodes: list[Node]) -> None:
        self._of: dict[int, int] = {}
        for number, node in enumerate(nodes):
            value = node.value
            if isinstance(value, Variable):
                self._of[id(value._cell)] = number
            elif isinstance(value, Asset):
                self._of[id(value.asset_path)] = number
            elif isinstance(value, Tensor):
                self._of[id(value)] = number
            elif hasattr(value, "resource_handle"):
                self._of[id(value.resource_handle._array)] = number

    def has(self, tensor: Any) -> bool:
        """Whether a captured tensor stands for an object."""
        return id(tensor if _has_value(tensor) else tensor._array) in self._of

    def of(self, tensor: Any, concrete: ConcreteFunction) -> int:
        """Return the number of what a captured tensor stands for."""
        number = self._of.get(id(tensor if _has_value(tensor) else tensor._array))
        if number is None:
            raise AssertionError(
                f"The function {concrete.name} captures {tensor!r}, which is 'untracked': it "
                "belongs to no attribute of the object that is saved. Assign the variable or "
                "resource to an attribute, such as self.v = tf.Variable(...)."
            )
        return number
