"""TensorFlow's functions applied to KerasTensors: their ops become operations of a model.

Where a function of `tf` is given a KerasTensor it gets an `OpTensor`: a tensor without a value, as
in a graph. An op that is given one asks it for the result (`Dispatchable`), and it notes the call
as an operation. Functions of tensors alone never come by here.
"""

from __future__ import annotations

import inspect
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.dispatch import Dispatchable, not_a_tensor, only_computes
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.operation import Node, Operation, infer
from tapeflow._src.keras.scopes import calls
from tapeflow._src.keras.utils.naming import auto_name


class OpTensor(KerasTensor, tf.Tensor, Dispatchable):  # type: ignore[misc]
    """A KerasTensor as functions of `tf` take it: its shape and dtype are those of tensors."""

    def __init__(self, tensor: KerasTensor) -> None:
        self.__dict__.update(tensor.__dict__)
        self._tensor = tensor

    @property
    def _plain(self) -> KerasTensor:
        return self._tensor

    @property
    def shape(self) -> Any:
        return tf.TensorShape(self._shape)

    @property
    def dtype(self) -> Any:
        return tf.as_dtype(self._dtype)

    @property
    def static_shape(self) -> tuple[int | None, ...]:
        return self._shape

    def get_shape(self) -> Any:
        """The shape."""
        return self.shape

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return self

    # -- as an input of ops --------------------------------------------------------------------

    @property
    def _array(self) -> Any:
        raise not_a_tensor(self)

    def _call_op(
        self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None
    ) -> Any:
        return called(op, inputs, attrs)


def called(op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """Infer the result of an op with KerasTensors, recorded as an operation."""
    operation = TFOpLambda(op.name, attrs)
    if calls.captures is not None:
        return operation.call(*calls.captures.filled(inputs))
    inputs = tf.nest.map_structure(_plain, inputs)
    outputs = _inferred(operation, inputs)
    if outputs is None:
        raise ValueError(
            f"{op.name} returns nothing, so it cannot be part of a model: call it in the `call` of "
            f"a layer."
        )
    Node(operation, inputs, {}, outputs)
    return tuple(map(OpTensor, outputs)) if isinstance(outputs, list) else OpTensor(outputs)


def _inferred(operation: Operation, inputs: tuple[Any, ...]) -> Any:
    """Infer the results of an operation for KerasTensors.

    Sizes such as `tf.shape(x)[0]` are computed in the same trace, where it is known how much of
    them is: `tf.reshape(x, [tf.shape(x)[0], 12])` has 12 columns.
    """
    tensors = [leaf for leaf in tf.nest.flatten(inputs) if isinstance(leaf, KerasTensor)]
    sources: dict[int, KerasTensor] = {}
    waiting = list(tensors)
    seen: set[int] = set()
    while waiting:
        tensor = waiting.pop()
        node = _size_node(tensor)
        if node is None:
            sources[id(tensor)] = tensor
        elif id(node) not in seen:
            seen.add(id(node))
            waiting += node.input_tensors

    def replayed(*values: Any) -> Any:
        results = dict(zip(sources, values))

        def value_of(leaf: Any) -> Any:
            if not isinstance(leaf, KerasTensor) or id(leaf) in results:
                return results.get(id(leaf), leaf)
            history: Any = leaf._keras_history
            node = history.operation._inbound_nodes[history.node_index]
            args = tf.nest.map_structure(value_of, node.args)
            results[id(leaf)] = tf.nest.flatten(node.operation.call(*args))[history.tensor_index]
            return results[id(leaf)]

        return operation.call(*tf.nest.map_structure(value_of, inputs))

    return infer(replayed, *sources.values())


def _size_node(tensor: KerasTensor) -> Node | None:
    """The call that computes a size or a list of sizes; None if `tensor` is nothing like that."""
    history = tensor._keras_history
    if "int" not in tensor._dtype or len(tensor._shape) > 1 or history is None:
        return None
    operation = history.operation
    if isinstance(operation, tf.keras.Layer):
        return None
    node = operation._inbound_nodes[history.node_index]
    return None if node.is_input or node.kwargs else node


def _plain(leaf: Any) -> Any:
    return leaf._plain if isinstance(leaf, KerasTensor) else leaf


class TFOpLambda(Operation):
    """A call of an op of TensorFlow, such as `Mean`, with its attributes."""

    def __init__(self, op: str, attributes: dict[str, Any], name: str | None = None) -> None:
        super().__init__(auto_name(op) if name is None else name)
        self._op = op
        self._attributes = dict(attributes)
        self._function = getattr(tf.raw_ops, op)
        self._parameters = list(inspect.signature(self._function).parameters)

    def call(self, *inputs: Any) -> Any:
        arguments = dict(zip(self._parameters, inputs))
        outputs = self._function(**arguments, **self._attributes)
        return list(outputs) if isinstance(outputs, (tuple, list)) else outputs

    def get_config(self) -> dict[str, Any]:
        return {"op": self._op, "attributes": self._attributes, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> TFOpLambda:
        """The operation of a config; the op must be one that only computes."""
        op = config.get("op")
        if not isinstance(op, str) or not only_computes(op):
            raise ValueError(
                f"Expected the name of an op that only computes, and reaches no files, variables "
                f"or Python functions. Received: op={op!r}"
            )
        return cls(**config)
