"""`Operation`: a function of tensors, run now or recorded as part of a model.

A call with KerasTensors computes nothing: its results are inferred, and the call is recorded as
a `Node`, through which a model finds the way from its outputs back to its inputs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import tapeflow as tf
from tapeflow._src.internal.tracing import call_symbolically
from tapeflow._src.keras.argument_errors import config_needed
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.rematerialization import RematMode, get_current_remat_mode, rematerialized
from tapeflow._src.keras.scopes import calls
from tapeflow._src.keras.utils.naming import auto_name


class KerasHistory(NamedTuple):
    """Which output of which call of an operation a KerasTensor is."""

    operation: Any
    node_index: int
    tensor_index: int


class SymbolicArguments:
    """The arguments of a call, of which some are KerasTensors."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args = args
        self.kwargs = kwargs
        self._flat_arguments = tf.nest.flatten([args, kwargs])
        self.keras_tensors = [
            leaf for leaf in self._flat_arguments if isinstance(leaf, KerasTensor)
        ]
        single = len(args) == 1 and not kwargs and isinstance(args[0], KerasTensor)
        # The one argument, if it is a KerasTensor.
        self._single_positional_tensor = args[0] if single else None

    def convert(self, function: Callable[[Any], Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with a function applied to all leaves."""
        args, kwargs = tf.nest.map_structure(function, (self.args, self.kwargs))
        return args, kwargs

    def fill_in(self, values: dict[int, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with values in the place of KerasTensors, by the identity of these."""
        if self._single_positional_tensor is not None:
            return (values[id(self._single_positional_tensor)],), {}
        return self.convert(
            lambda leaf: values.get(id(leaf)) if isinstance(leaf, KerasTensor) else leaf
        )


class Node:
    """One call of an operation with KerasTensors."""

    def __init__(
        self,
        operation: Any,
        call_args: tuple[Any, ...] = (),
        call_kwargs: dict[str, Any] | None = None,
        outputs: Any = None,
    ) -> None:
        args, kwargs = tf.nest.map_structure(_plain, (call_args, call_kwargs or {}))
        self.operation = operation
        self.arguments = SymbolicArguments(*args, **kwargs)
        self.args = self.arguments.args
        self.kwargs = self.arguments.kwargs
        self.input_tensors = self.arguments.keras_tensors
        self.outputs = [] if outputs is None else tf.nest.flatten(outputs)
        for output in self.outputs:
            if not isinstance(output, KerasTensor):
                raise ValueError(
                    f"The outputs of {operation} in a model must be KerasTensors. Received: "
                    f"{output!r}"
                )
        index = len(operation._inbound_nodes)
        operation._inbound_nodes.append(self)
        for number, tensor in enumerate(self.outputs):
            tensor._keras_history = KerasHistory(operation, index, number)
        for tensor in self.input_tensors:
            if tensor._keras_history is not None:
                tensor._keras_history.operation._outbound_nodes.append(self)

    @property
    def is_input(self) -> bool:
        return not self.input_tensors

    @property
    def parent_nodes(self) -> list[Node]:
        """The calls that produced the inputs of this one."""
        nodes = []
        for tensor in self.input_tensors:
            history = tensor._keras_history
            if history is not None:
                nodes.append(history.operation._inbound_nodes[history.node_index])
        return nodes

    @property
    def output_tensors(self) -> list[KerasTensor]:
        """The KerasTensors that the call returned."""
        return self.outputs

    def __repr__(self) -> str:
        return f"<Node operation={self.operation}, id={id(self)}>"


def _plain(leaf: Any) -> Any:
    return leaf._plain if isinstance(leaf, KerasTensor) else leaf


def any_symbolic(*structures: Any) -> bool:
    """Whether there is a KerasTensor among the leaves."""
    return any(isinstance(leaf, KerasTensor) for leaf in tf.nest.flatten(structures))


def infer(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Compute the outputs of `function` for KerasTensors, as KerasTensors, by tracing it."""

    def traced(whole: Callable[..., Any], specs: list[Any]) -> None:
        # A partial function: that each layer is traced once is nothing to warn of.
        function = tf.function(functools.partial(whole), autograph=False)
        function.get_concrete_function(*specs)

    return _inferred(traced, function, args, kwargs)


def infer_stateless(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """As `infer`, of a function that makes no variables: its trace is not kept as a function."""
    leaves = tf.nest.flatten((args, kwargs))
    if any(callable(leaf) or _is_composite(leaf) for leaf in leaves):
        return infer(function, *args, **kwargs)

    def traced(whole: Callable[..., Any], specs: list[Any]) -> None:
        call_symbolically(tf.autograph.experimental.do_not_convert(whole), specs)

    return _inferred(traced, function, args, kwargs)


def _is_composite(leaf: Any) -> bool:
    return isinstance(leaf, KerasTensor) and bool(leaf.sparse or leaf.ragged)


def _inferred(
    trace: Callable[[Callable[..., Any], list[Any]], None],
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    leaves = tf.nest.flatten((args, kwargs))
    places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, KerasTensor)]
    specs = [_spec_of(leaves[place]) for place in places]
    structure: list[Any] = []

    def traced(*tensors: Any) -> Any:
        filled = list(leaves)
        for place, tensor in zip(places, tensors):
            filled[place] = tensor
        given, named = tf.nest.pack_sequence_as((args, kwargs), filled)
        outputs = function(*given, **named)
        structure[:] = [tf.nest.map_structure(_symbolic, outputs)]
        return [leaf for leaf in tf.nest.flatten(outputs) if isinstance(leaf, tf.Tensor)]

    outer, calls.symbolic = calls.symbolic, calls.symbolic or True
    try:
        trace(traced, specs)
    finally:
        calls.symbolic = outer
    return structure[0]


def _spec_of(tensor: KerasTensor) -> Any:
    if tensor.sparse:
        return tf.SparseTensorSpec(tensor.shape, tensor.dtype)
    if tensor.ragged:
        return tf.RaggedTensorSpec(tensor.shape, tensor.dtype)
    return tf.TensorSpec(tensor.shape, tensor.dtype)


def _symbolic(value: Any) -> Any:
    """Return the stand-in of a traced tensor outside its trace; other values unchanged."""
    if isinstance(value, (tf.Tensor, tf.SparseTensor, tf.RaggedTensor)):
        return KerasTensor(
            value.shape,
            dtype=value.dtype,
            sparse=isinstance(value, tf.SparseTensor),
            ragged=isinstance(value, tf.RaggedTensor),
        )
    if isinstance(value, tf.Variable):
        return KerasTensor(value.shape, dtype=value.dtype)
    return value


class Operation:
    """A named function on tensors that models can consist of.

    A call with tensors runs `call`; a call with KerasTensors records the operation as a part of a
    model. Layers are operations with variables.

    Args:
        name: Name of the operation, without `/`; None for one after its class.

    Raises:
        ValueError: The name is no string or contains a `/`.

    Example:
        >>> class Double(tf.keras.Operation):
        ...     def call(self, x):
        ...         return x * 2
        >>> Double()(tf.constant([1.0, 2.0])).numpy()
        array([2., 4.], dtype=float32)
        >>> Double()(tf.keras.Input((3,))).shape
        (None, 3)
    """

    _inbound_nodes: list[Node]
    _outbound_nodes: list[Node]

    # The results to compute again for gradients, if it was created in a `RematScope`.
    _remat_mode: RematMode | None = None
    # What the operation was made with.
    _tpf_init_args: tuple[tuple[Any, ...], dict[str, Any]]

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        instance = super().__new__(cls)
        object.__setattr__(instance, "_tpf_init_args", (args, kwargs))
        return instance

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = auto_name(type(self).__name__)
        if not isinstance(name, str) or "/" in name:
            raise ValueError(
                f"`name` must be a string without '/', which separates scopes. Received: "
                f"name={name!r}"
            )
        self.name = name
        self._inbound_nodes = []
        self._outbound_nodes = []
        if calls.remat:
            self._remat_mode = get_current_remat_mode()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if any_symbolic(args, kwargs):
            return self.symbolic_call(*args, **kwargs)
        if self._remat_mode is not None:
            return rematerialized(self, self.call)(*args, **kwargs)
        return self.call(*args, **kwargs)

    def symbolic_call(self, *args: Any, **kwargs: Any) -> Any:
        """Infer the results of a call with KerasTensors and record it as a part of a model.

        Args:
            *args: Positional arguments of `call`.
            **kwargs: Keyword arguments of `call`.

        Returns:
            A KerasTensor, or a structure of them.
        """
        if calls.captures is not None:
            args, kwargs = calls.captures.filled((args, kwargs))
            return self(*args, **kwargs)
        outputs = self.compute_output_spec(*args, **kwargs)
        Node(self, args, kwargs, outputs)
        return outputs

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the operation on tensors; every subclass defines it.

        Args:
            *args: Tensors and other arguments of a subclass.
            **kwargs: Keyword arguments of a subclass.

        Returns:
            A tensor, or a structure of tensors.

        Raises:
            NotImplementedError: The class does not define `call`.
        """
        raise NotImplementedError(f"{type(self).__name__} has no `call` method.")

    def _tpf_traced(self, *args: Any, **kwargs: Any) -> Any:
        """`call`, as it is traced."""
        return self.call(*args, **kwargs)

    def _tpf_infer(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Compute the outputs of `call` for KerasTensors."""
        return infer(function, *args, **kwargs)

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """Infer shape and dtype of the results of `call` for KerasTensors, by tracing it.

        Args:
            *args: Positional arguments of `call`, with KerasTensors for tensors.
            **kwargs: Keyword arguments of `call`.

        Returns:
            A KerasTensor, or a structure of them.

        Raises:
            ValueError: `call` failed on symbolic inputs.
        """
        try:
            return self._tpf_infer(self._tpf_traced, *args, **kwargs)
        except Exception as error:
            message = self._tpf_inference_message(error)
            raise type_of_inference_error(error)(message) from error

    def _tpf_inference_message(self, error: Exception) -> str:
        kind = type(self).__name__
        return (
            f"The output shape and dtype of {kind} '{self.name}' could not be inferred, because "
            f"`{kind}.call()` failed on symbolic inputs:\n\n{error}\n\nIf `call` is right, define "
            f"`{kind}.compute_output_shape(input_shape)`."
        )

    def get_config(self) -> dict[str, Any]:
        """Return the config that `from_config` creates the same operation from.

        A subclass that does not define it has the arguments of its constructor as config, if they
        are all plain values.

        Returns:
            A dict of constructor arguments.

        Raises:
            NotImplementedError: An argument has no JSON form, or was received through `*args`.
        """
        if type(self).get_config is not Operation.get_config:  # `super().get_config()`
            return {"name": self.name}
        constructor = inspect.signature(type(self).__init__)
        args, kwargs = self._tpf_init_args
        bound = constructor.bind(self, *args, **kwargs)
        bound.apply_defaults()
        arguments = bound.arguments
        kinds = {p.kind: key for key, p in constructor.parameters.items()}
        arguments |= arguments.pop(kinds.get(inspect.Parameter.VAR_KEYWORD, ""), {})
        if arguments.pop(kinds.get(inspect.Parameter.VAR_POSITIONAL, ""), ()):
            raise NotImplementedError(
                f"{type(self).__name__} must define `get_config()` to be saved: its `__init__()` "
                f"received arguments through `*args`, which have no names."
            )
        arguments.pop(next(iter(constructor.parameters)))
        named = "name" in arguments or inspect.Parameter.VAR_KEYWORD in kinds
        arguments.pop("name", None)
        return ({"name": self.name} if named else {}) | plain_arguments(self, arguments)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Create the operation that has this config.

        Args:
            config: Dict of constructor arguments, as `get_config` returned it.

        Returns:
            An operation of this class.

        Raises:
            TypeError: The constructor does not accept the config.
        """
        try:
            return cls(**config)
        except Exception as error:
            raise TypeError(
                f"`{cls.__name__}` cannot be created from its config: {error} Received: "
                f"config={config}. A class whose constructor expects other arguments than its "
                f"`get_config` returns defines `from_config`, too."
            ) from error

    def rematerialized_call(
        self, layer_call: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Callable[..., Any]:
        """Return a call whose intermediate results are computed again for gradients.

        This saves memory in exchange for time, as the `keras.RematScope` that the operation was
        created in demands.

        Args:
            layer_call: Function to wrap.
            *args: Ignored.
            **kwargs: Ignored.

        Returns:
            A function with the arguments and results of `layer_call`.
        """
        return rematerialized(self, layer_call)

    def _tpf_of_first_node(self, attribute: str, tensors: Callable[[Node], list[Any]]) -> Any:
        if not self._inbound_nodes:
            raise AttributeError(
                f"Layer '{self.name}' has no {attribute}: it has not been called on a KerasTensor. "
                f"Call it on `keras.Input(...)` first."
            )
        flat = tensors(self._inbound_nodes[0])
        return flat[0] if len(flat) == 1 else flat

    @property
    def input(self) -> Any:
        """The KerasTensors of the first call with such."""
        return self._tpf_of_first_node("input", lambda node: node.input_tensors)

    @property
    def output(self) -> Any:
        """The outputs of the first call with KerasTensors."""
        return self._tpf_of_first_node("output", lambda node: node.outputs)


def plain_arguments(operation: Operation, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a constructor, which must be plain values to be a config."""
    for name, argument in arguments.items():
        for value in tf.nest.flatten(argument):
            if not isinstance(value, (str, int, float, bool, type(None))):
                raise config_needed(type(operation), name, value)
    return dict(arguments)


def type_of_inference_error(error: Exception) -> type[Exception]:
    """The class under which an error of `call` is raised while its output is inferred."""
    return (
        type(error) if type(error) in (ValueError, TypeError, NotImplementedError) else ValueError
    )
