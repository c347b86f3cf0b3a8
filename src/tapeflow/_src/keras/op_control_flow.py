"""`tf.cond`, `tf.map_fn`, `tf.scan` and their kin on KerasTensors: operations of a model.

The functions that are passed to them run when the model does, on tensors. A KerasTensor that such
a function takes from around it is an input of the operation, too: where it is used, it stands for
the value that the operation was called with (`calls.captures`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.op_tensors import OpTensor
from tapeflow._src.keras.operation import Node, Operation, infer
from tapeflow._src.keras.scopes import calls
from tapeflow._src.keras.utils.naming import auto_name


class Captures:
    """The values of KerasTensors while functions that use them run."""

    def __init__(self, tensors: list[KerasTensor], values: Any) -> None:
        self._values = {id(tensor): value for tensor, value in zip(tensors, values)}
        # The first KerasTensor that had no value.
        self.missing: KerasTensor | None = None

    def value_of(self, tensor: KerasTensor) -> Any:
        """The value of a KerasTensor; LookupError if it is no input of the operation yet."""
        tensor = tensor._plain
        if id(tensor) not in self._values:
            self.missing = tensor
            raise LookupError(f"{tensor} has no value here.")
        return self._values[id(tensor)]

    def filled(self, structure: Any) -> Any:
        """A structure with values in the place of KerasTensors."""
        return tf.nest.map_structure(
            lambda leaf: self.value_of(leaf) if isinstance(leaf, KerasTensor) else leaf, structure
        )


class TFControlFlow(Operation):
    """A call of a function of `tf` that calls other functions.

    Args:
        function: the function.
        arguments: what it is called with, KerasTensors and functions among it.
        tensors: the KerasTensors among the arguments and in the functions, whose values are the
            inputs of the operation.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: tuple[tuple[Any, ...], dict[str, Any]],
        tensors: list[KerasTensor],
        name: str | None = None,
    ) -> None:
        super().__init__(auto_name(function.__name__) if name is None else name)
        self._function = function
        self._arguments = arguments
        self._tensors = list(tensors)

    def call(self, *values: Any) -> Any:
        with self._captured(values) as captures:
            args, kwargs = captures.filled(self._arguments)
            # A branch may return a KerasTensor as it is.
            return captures.filled(self._function(*args, **kwargs))

    @contextmanager
    def _captured(self, values: Any) -> Iterator[Captures]:
        outer, calls.captures = calls.captures, Captures(self._tensors, values)
        self.last_captures = calls.captures
        try:
            yield calls.captures
        finally:
            calls.captures = outer

    last_captures: Captures | None = None

    def get_config(self) -> dict[str, Any]:
        raise NotImplementedError(
            f"'{self.name}' is a call of `tf.{self._function.__name__}` with functions, which "
            f"have no config. Put it into the `call` of a layer of your own to save or clone the "
            f"model; its weights can be saved."
        )


def deferred(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Infer the results of a `tf` function for KerasTensors, recorded as an operation."""
    if calls.captures is not None:
        args, kwargs = calls.captures.filled((args, kwargs))
        return function(*args, **kwargs)
    leaves = tf.nest.flatten((args, kwargs))
    tensors = [leaf._plain for leaf in leaves if isinstance(leaf, KerasTensor)]
    while True:
        operation = TFControlFlow(function, (args, kwargs), tensors)
        try:
            outputs = infer(functools.partial(_without_weights, operation), *tensors)
            break
        except Exception:
            captures = operation.last_captures
            if captures is None or captures.missing is None:
                raise
            tensors = [*tensors, captures.missing]
    Node(operation, tuple(tensors), {}, outputs)
    return tf.nest.map_structure(OpTensor, outputs)


def _without_weights(operation: TFControlFlow, *values: Any) -> Any:
    """The results of an operation; ValueError if layers with weights are called in it."""
    with tf.GradientTape() as tape:
        outputs = operation.call(*values)
    paths = [v.path for v in tape.watched_variables() if isinstance(v, tf.keras.Variable)]
    if paths:
        raise ValueError(
            f"Weights that a function uses inside '{operation.name}' would be no part of the "
            f"model. Received: {paths}. Call the layers before or after, or put all of it into "
            f"the `call` of a layer of its own."
        )
    return outputs
