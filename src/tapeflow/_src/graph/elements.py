"""The part of `Graph` that finds operations and tensors by name, and holds collections."""

from __future__ import annotations

import re
from typing import Any

from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor


class Elements:
    """Finds the elements of a graph."""

    nodes: list[Operation]
    calls: dict[str, tuple[SymbolicTensor, ...]]
    _by_name: dict[str, Operation]
    _collections: dict[Any, list[Any]]

    def _named(self) -> dict[str, Operation]:
        raise NotImplementedError(f"{type(self).__name__} does not name its operations.")

    # -- by name -----------------------------------------------------------------------------

    def get_operation_by_name(self, name: str) -> Operation:
        """Return the operation of that name.

        Raises:
            TypeError: If the name is no string.
            KeyError: If there is no such operation.

        Example:
            >>> graph = tf.Graph()
            >>> with graph.as_default():
            ...     one = tf.constant(1, name="one")
            >>> graph.get_operation_by_name("one").type
            'Const'
        """
        if not isinstance(name, str):
            raise TypeError(f"An operation name must be a string, received {type(name).__name__}.")
        node = self._named().get(name)
        if node is None:
            if ":" in name:
                raise ValueError(
                    f"{name!r} is the name of a Tensor, not of an Operation: use "
                    "get_tensor_by_name, or leave out the colon."
                )
            if name in self.calls:
                raise KeyError(
                    f"Operation {name!r} not found in the graph: it calls a function, whose "
                    f"operations were imported in its place. Its outputs are tensors of this "
                    f"graph, e.g. '{name}:0'."
                )
            raise KeyError(
                f"Operation {name!r} not found in the graph, which has {len(self.nodes)} "
                f"operations: {', '.join(list(self._by_name)[:10])} …"
            )
        return node

    def get_tensor_by_name(self, name: str) -> SymbolicTensor:
        """Return the tensor of that name: `operation:index`.

        Raises:
            TypeError: If the name is no string.
            KeyError: If there is no such tensor.

        Example:
            >>> graph = tf.Graph()
            >>> with graph.as_default():
            ...     one = tf.constant(1, name="one")
            >>> graph.get_tensor_by_name("one:0").dtype
            tf.int32
        """
        if not isinstance(name, str):
            raise TypeError(f"A tensor name must be a string, received {type(name).__name__}.")
        node_name, colon, index = name.rpartition(":")
        if not colon or not index.isdigit():
            raise ValueError(
                f"{name!r} is no tensor name: expected 'operation:index', for example '{name}:0' "
                "for the first output."
            )
        node = self._named().get(node_name)
        outputs = self.calls.get(node_name) if node is None else node.outputs
        if outputs is None or int(index) >= len(outputs):
            what = "the operation" if outputs is None else "the output"
            raise KeyError(f"Tensor {name!r} not found in the graph: {what} does not exist.")
        return outputs[int(index)]

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """Return the tensor or operation that `obj` is or names.

        Args:
            obj: A tensor, an operation, a name, or an object that stands for one.
            allow_tensor: Whether it may be a tensor.
            allow_operation: Whether it may be an operation.
        """
        if hasattr(obj, "_as_graph_element"):
            obj = obj._as_graph_element()
        if isinstance(obj, str):
            if allow_tensor and (":" in obj or not allow_operation):
                return self.get_tensor_by_name(obj)
            return self.get_operation_by_name(obj)
        if (allow_tensor and isinstance(obj, SymbolicTensor)) or (
            allow_operation and isinstance(obj, Operation)
        ):
            if obj.graph is not self:
                raise ValueError(f"{obj!r} belongs to another graph, not an element of this one.")
            return obj
        kinds = ("Tensor",) * allow_tensor + ("Operation",) * allow_operation
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {' or '.join(kinds)}.")

    # -- collections -------------------------------------------------------------------------

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Append `value` to the collection `name`.

        Args:
            value: Any value.

        Example:
            >>> graph = tf.Graph()
            >>> graph.add_to_collection("losses", 1.0)
            >>> graph.get_collection("losses")
            [1.0]
        """
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Append `value` to each of the collections `names`.

        Args:
            names: Names of collections.
            value: Any value.
        """
        for name in {names} if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """Return a copy of the collection `name`.

        Args:
            scope: A pattern that the names of items must begin with.
        """
        values = list(self._collections.get(name, ()))
        if scope is None:
            return values
        return [v for v in values if re.match(scope, getattr(v, "name", None) or "\n")]

    def get_collection_ref(self, name: Any) -> list[Any]:
        """Return the list itself of the collection `name`."""
        return self._collections.setdefault(name, [])

    def get_all_collection_keys(self) -> list[Any]:
        """Return the names of the non-empty collections."""
        return [key for key in self._collections if isinstance(key, str)]

    def clear_collection(self, name: Any) -> None:
        """Clear the collection `name`."""
        self._collections.pop(name, None)
