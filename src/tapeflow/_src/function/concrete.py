"""`ConcreteFunction`: one graph, traced from a Python function for arguments of certain types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from itertools import count
from typing import Any

from tapeflow._src.core import dispatch, nest, probes
from tapeflow._src.core.dtypes import resource
from tapeflow._src.core.html import collapsed
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.trackable import Trackable
from tapeflow._src.function.atomic import Atomic
from tapeflow._src.function.calling import Callee, ReplaceableCallee
from tapeflow._src.function.signature import ShapeMismatch
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.graph.implementations import API, add_implementation
from tapeflow._src.graph.notebook import graph_html
from tapeflow._src.graph.serialize import function_with_callees

_numbers = count()


class ConcreteFunction(Trackable):
    """A traced function.

    `signature` binds a call with Python arguments to the graph's inputs: `signature.flatten(args,
    kwargs)` returns the flat list of tensors, or raises. It may be None, if only `call_flat` is
    used.
    """

    def __init__(
        self,
        graph: FuncGraph,
        variables: Sequence[Any] = (),
        signature: Any = None,
        jit_compile: bool | None = None,
        attributes: dict[str, Any] | None = None,
    ) -> None:
        self.graph = graph
        self.signature = signature
        self.attributes = graph.function_attributes = attributes or {}
        self.name = f"__inference_{graph.name}_{next(_numbers)}"
        for variable in variables:
            graph.watch_variable(variable)
        callee = ReplaceableCallee if API in self.attributes else Callee
        self._callee = callee(graph, lambda: self.variables, jit_compile)
        self._captures = list(graph.external_captures)
        self._pack = _packer(graph.structured_outputs)

    def __copy__(self) -> ConcreteFunction:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def __reduce__(self) -> Any:
        # Deep copies also come here.
        raise TypeError(
            f"cannot pickle the ConcreteFunction {self.name}: a graph has no pickled form. Save it "
            f"with tf.saved_model.save, or pickle the Python function and trace it again."
        )

    # -- calling -----------------------------------------------------------------------------

    def call_flat(self, tensors: Sequence[Any]) -> Any:
        """Return the result for these tensors, one for each tensor in the arguments."""
        return self._pack(self._callee([*tensors, *self._captures]))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        tensors = self.signature.flatten(args, kwargs)
        if type(tensors) is ShapeMismatch:
            return self._pack(self._callee.one_by_one([*tensors, *self._captures]))
        return self.call_flat(tensors)

    @property
    def inference_fn(self) -> Atomic:
        """The graph as a function that takes its captures as arguments."""
        callee, pack = self._callee, self._pack
        return Atomic(
            self.signature, len(self._captures), lambda tensors: pack(callee(tensors)), self.name
        )

    # -- properties --------------------------------------------------------------------------

    @property
    def inputs(self) -> list[Any]:
        """The tensors of the graph that stand for arguments and captures."""
        return self.graph.inputs

    @property
    def outputs(self) -> list[Any]:
        """The tensors of the graph that are returned."""
        return self.graph.outputs

    @property
    def captured_inputs(self) -> list[Any]:
        """The external tensors that the function uses."""
        return list(self._captures)

    @property
    def function_type(self) -> Any:
        """The parameters, their types, and the type of the result."""
        return self.signature.function_type

    @property
    def function_def(self) -> Any:
        """The function as a FunctionDef message."""
        return function_with_callees(Body(self.graph), self.name)[0]

    def add_to_graph(self, g: Any = None, overwrite: bool = False) -> None:
        """Add the function to the library of a graph, the current one if None."""
        graph = dispatch.current_graph() if g is None else g
        if graph is None:
            return  # Eagerly, functions are called without being looked up.
        if API in self.attributes:
            add_implementation(graph, self.attributes, self._callee.body)
        for function in function_with_callees(Body(self.graph), self.name):
            name = function.signature.name
            if overwrite or name not in graph.functions:
                graph.functions[name] = function

    def add_gradient_functions_to_graph(self, g: Any = None) -> None:
        """Add the function to the library of a graph; readers derive gradients from it."""
        self.add_to_graph(g)

    @property
    def structured_input_signature(self) -> Any:
        """The arguments, with a spec for each tensor: positional ones, then keyword ones."""
        return self.graph.structured_input_signature

    @property
    def _arg_keywords(self) -> list[str]:
        """The names under which tensors can be passed."""
        return self.signature.flat_names

    @property
    def _num_positional_args(self) -> int:
        return len(self.signature.flat_names)

    @property
    def structured_outputs(self) -> Any:
        """The structure that the function returns, with tensors of the graph."""
        return self.graph.structured_outputs

    @property
    def output_dtypes(self) -> Any:
        return nest.map_structure(lambda t: None if t is None else t.dtype, self.structured_outputs)

    @property
    def output_shapes(self) -> Any:
        return nest.map_structure(lambda t: None if t is None else t.shape, self.structured_outputs)

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that the function reads."""
        return self.graph.variables

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        return self.graph.trainable_variables

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Return the types of arguments, result and captures as text; one line unless `verbose`."""
        if not verbose:
            return str(self.function_type)
        return self.function_type.pretty([(id(t), _spec(t)) for t in self._captures])

    def __repr__(self) -> str:
        if self.signature is None:
            return f"<ConcreteFunction {self.name} at 0x{id(self):X}>"
        return f"<ConcreteFunction {self.function_type} at 0x{id(self):X}>"

    def __str__(self) -> str:
        return (
            repr(self)
            if self.signature is None
            else (f"ConcreteFunction {self.pretty_printed_signature()}")
        )

    def _repr_html_(self) -> str:
        code = collapsed("as Python", self.to_python())
        return f"<p><code>{escape(str(self))}</code></p>{code}{graph_html(self.graph)}"

    def to_python(self) -> str:
        """Return the graph as Python source: the text that the interpreter runs."""
        return self._callee.program.interpreter.text


probes.register(
    ConcreteFunction, "__call__", "function", lambda self, *args, **kwargs: self.graph.name
)


def _spec(tensor: Any) -> TensorSpec:
    # The handle of a variable is a scalar, whatever the shape of the variable.
    shape = () if tensor.dtype is resource else tensor.shape
    return TensorSpec(shape, tensor.dtype)


def _packer(structure: Any) -> Callable[[list[Any]], Any]:
    """Return the function that packs flat outputs into the structure that is returned."""
    if structure is None:
        return lambda values: None
    if isinstance(structure, Tensor):
        return lambda values: values[0]
    flat = nest.flatten(structure, expand_composites=True)
    if type(structure) is tuple and all(isinstance(t, Tensor) for t in structure):
        return tuple
    present = [t is not None for t in flat]

    def pack(values: list[Any]) -> Any:
        remaining = iter(values)
        filled = [next(remaining) if is_tensor else None for is_tensor in present]
        return nest.pack_sequence_as(structure, filled, expand_composites=True)

    return pack
