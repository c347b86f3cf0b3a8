"""`Function`: the operations between KerasTensors as one operation, without state of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.models.graph import Graph, Step, inferred
from tapeflow._src.keras.operation import Operation


class Function(Operation):
    """Computes `outputs` from `inputs`, as a model does.

    Args:
        inputs: A structure of KerasTensors.
        outputs: A structure of KerasTensors that are computed from `inputs`.

    >>> x = tf.keras.KerasTensor((None, 2))
    >>> double = tf.keras.Function(x, x * 2)
    >>> double(np.array([[1.0, 3.0]])).numpy().tolist()
    [[2.0, 6.0]]

    Raises:
        ValueError: An argument is empty or has values that are no KerasTensors.
    """

    def __init__(self, inputs: Any, outputs: Any, name: str | None = None) -> None:
        super().__init__(name)
        for argument, structure in (("inputs", inputs), ("outputs", outputs)):
            leaves = tf.nest.flatten(structure)
            if not leaves:
                raise ValueError(f"`{argument}` must not be empty. Received: {structure}")
            if unlike := [leaf for leaf in leaves if not isinstance(leaf, KerasTensor)]:
                raise ValueError(f"All `{argument}` must be KerasTensors. Received: {unlike[0]!r}")
        self._inputs_struct = tf.nest.map_structure(_plain, inputs)
        self._outputs_struct = tf.nest.map_structure(_plain, outputs)
        self._inputs = tf.nest.flatten(self._inputs_struct)
        self._outputs = tf.nest.flatten(self._outputs_struct)
        graph = Graph(self._inputs, self._outputs)
        self._operations = graph.operations
        self._steps = [Step(node) for node in graph.nodes if not node.is_input]

    @property
    def operations(self) -> list[Any]:
        """The operations between inputs and outputs, in the order of their calls."""
        return list(self._operations)

    @property
    def inputs(self) -> list[KerasTensor]:
        """The KerasTensors that the function begins with."""
        return list(self._inputs)

    @property
    def outputs(self) -> list[KerasTensor]:
        """The KerasTensors that the function ends with."""
        return list(self._outputs)

    def call(self, inputs: Any) -> Any:
        """Compute the outputs for these inputs.

        Args:
            inputs: Tensors in the structure of the function's inputs.

        Returns:
            Tensors in the structure of the function's outputs.

        Raises:
            ValueError: The inputs have another structure or shape.
        """
        return self._run(self._checked(inputs), None)

    def compute_output_spec(self, inputs: Any) -> Any:
        """Infer the outputs for KerasTensors.

        Args:
            inputs: KerasTensors in the structure of the function's inputs.

        Returns:
            KerasTensors in the structure of the function's outputs.
        """
        return self._run(self._checked(inputs), inferred)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Infer the shapes of the outputs.

        Args:
            input_shape: Shape of the input, or a list of shapes for several.

        Returns:
            Shapes in the structure of the function's outputs.
        """
        shapes = [input_shape] if len(self._inputs) == 1 else list(input_shape)
        specs = [
            KerasTensor(shape, dtype=tensor.dtype) for shape, tensor in zip(shapes, self._inputs)
        ]
        outputs = self._run(specs, inferred)
        return tf.nest.map_structure(lambda output: output.shape, outputs)

    def _run(self, values: list[Any], call: Callable[..., Any] | None) -> Any:
        computed = {id(tensor): value for tensor, value in zip(self._inputs, values)}
        for step in self._steps:
            step.run(computed, call)
        return tf.nest.map_structure(lambda tensor: computed[id(tensor)], self._outputs_struct)

    def _checked(self, inputs: Any) -> list[Any]:
        """The leaves of the inputs, as tensors of the right dtypes."""
        try:
            tf.nest.assert_same_structure(inputs, self._inputs_struct)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{self.name} expected inputs of the structure {self._inputs_struct}. Received an "
                f"invalid input structure: {inputs}"
            ) from error
        values = []
        for value, tensor in zip(tf.nest.flatten(inputs), self._inputs):
            if not isinstance(value, KerasTensor):
                value = tf.cast(value, tensor.dtype)
            if not tf.TensorShape(tensor.shape).is_compatible_with(value.shape):
                raise ValueError(
                    f"{self.name} received incompatible inputs: expected shape {tensor.shape} for "
                    f"{tensor.name}. Received: shape {tuple(value.shape)}"
                )
            values.append(value)
        return values


def _plain(tensor: KerasTensor) -> KerasTensor:
    return tensor._plain
