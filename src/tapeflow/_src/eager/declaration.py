"""Variables of a graph: operations for the handle, the initial value, and reading.

Such a variable has no value by itself. Each session that runs the graph has one, once it has run
the initializer. The graph is known here only through the mode.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.ops.graph.nodes import var_handle
from tapeflow._src.ops.state import variables as state


@contextmanager
def declaring(name: str) -> Iterator[tuple[str, Any]]:
    """Yield the full name of a new variable, and its graph; operations are named after it."""
    now = dispatch.state
    graph, outer = now.mode.graph, now.name_scope
    full = graph.names.unique(outer + name)
    now.name_scope = f"{full}/"
    try:
        # The initial value does not wait for the control dependencies of the variable.
        with graph.control_dependencies(None):
            yield full, graph
    finally:
        now.name_scope = outer


def initial_tensor(initial_value: Any, dtype: DTypeLike) -> Any:
    """Return the initial value, as a tensor of the graph."""
    graph = dispatch.state.mode.graph
    with graph.name_scope("Initializer"):
        value = initial_value() if callable(initial_value) else initial_value
        return graph.adopt(dispatch.convert(value, dtype, None, "initial_value"))


def handle_of(full_name: str, dtype: DType, dims: Any) -> Any:
    """Return the operation that stands for the variable."""
    attrs = {"shared_name": full_name, "debug_name": full_name}
    return var_handle(dtype=dtype, shape=dims, **attrs, name=f"{full_name}/")


class Declaration:
    """The operations of a variable in a graph, possibly after an assignment."""

    def __init__(self, graph: Any, handle: Any, value: Any, dtype: DType) -> None:
        self.graph = graph
        self.initial_value = value
        self._read = (handle, dtype)
        state.var_is_initialized(handle, name="IsInitialized/VarIsInitializedOp")
        state.assign_variable(handle, value, name="Assign")
        self.initializer = graph.nodes[-1]
        self.operation = handle.op
        self.changed = False
        self._value = state.read_variable(handle, dtype=dtype, name="Read/ReadVariableOp")

    @classmethod
    def of_nodes(
        cls, graph: Any, handle: Any, initial_value: Any, initializer: Any, value: Any
    ) -> Declaration:
        """Return the declaration of operations already in the graph, as after an import."""
        declaration = cls.__new__(cls)
        declaration.graph = graph
        declaration.initial_value = initial_value
        declaration._read = (handle, value.dtype)
        declaration.initializer = initializer
        declaration.operation = handle.op
        declaration.changed = False
        declaration._value = value
        return declaration

    @property
    def value(self) -> Any:
        """The value as it is fetched: after the assignment, if there is one."""
        if self._value is None:
            handle, dtype = self._read
            with self.graph.as_default(), self.graph.control_dependencies([self.operation]):
                self._value = state.read_variable(handle, dtype=dtype)
        return self._value

    def is_being_built(self) -> bool:
        """Whether operations are added to the variable's graph, and not to one of a function."""
        return dispatch.current_graph() is self.graph

    def after_last_node(self) -> Declaration:
        """Return the same after the latest assignment."""
        later = Declaration.__new__(Declaration)
        later.__dict__ = {**self.__dict__, "_value": None, "changed": True}
        later.operation = self.graph.nodes[-1]
        return later
