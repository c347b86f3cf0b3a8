"""`wrap_function`: the code of a graph as a function, of which parts can be cut out.

What a wrapped function runs is what its results need, as a session does: an assignment that nothing
waits for is left out. `prune` makes a function of any tensors of the graph, from any others.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tapeflow._src.compat.v1.variable_store import VariableStore, use_store
from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.spec import TensorSpec, TypeSpec
from tapeflow._src.eager.creators import variable_creator_scope
from tapeflow._src.function.concrete import ConcreteFunction
from tapeflow._src.function.decorator import function
from tapeflow._src.graph.body import attributes
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor


class WrappedFunction(ConcreteFunction):
    """A function of a graph, or of a part of one."""

    # Variables created while tracing live as long as the function does.
    _made: tuple[Any, ...] = ()

    def prune(
        self, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None
    ) -> WrappedFunction:
        """Return the function that computes `fetches`, tensors and operations of the graph, from
        `feeds`.

        It takes one argument for each tensor of `feeds`, by position or by the name of its
        operation. Fetches may be nested; an operation runs, and returns None.
        input_signature: the types of the arguments, if they are to be narrower than those of the
        feeds.
        """
        feed_tensors = [self.graph.as_graph_element(t) for t in _leaves(self.graph, feeds)]
        if not all(isinstance(tensor, SymbolicTensor) for tensor in feed_tensors):
            raise ValueError(f"`feeds` must consist of tensors, received {feed_tensors}.")
        captured = {id(inner) for inner in self.graph.internal_captures}
        fed = [tensor for tensor in feed_tensors if id(tensor._origin) not in captured]
        part = _part(self.graph, fed, fetches, name or "pruned", input_signature)
        return _wrapped(part, self._made, {})


def prune_by_name(
    wrapped: WrappedFunction,
    names: Sequence[str],
    feeds: Sequence[SymbolicTensor],
    fetches: Any,
    name: str,
) -> WrappedFunction:
    """Like `WrappedFunction.prune`, with names of its own for the arguments."""
    part = _part(wrapped.graph, feeds, fetches, name, None, names)
    return _wrapped(part, wrapped._made, {})


def wrap_function(
    fn: Callable[..., Any], signature: Iterable[Any], name: str | None = None
) -> WrappedFunction:
    """Trace `fn` once, and make a function of its graph.

    signature: the arguments of `fn`, a `tf.TensorSpec` for each tensor; the function takes these.
    Variables of `fn` are created once. What it does without a result waiting for it is not
    done.
    """
    arguments = list(signature)
    fed_positions = [index for index, argument in enumerate(arguments) if _is_described(argument)]
    variables: list[Any] = []

    def traced(*args: Any) -> Any:
        # A function that creates variables is traced again with them.
        again = iter(tuple(variables))

        def creator(next_creator: Callable[..., Any], **options: Any) -> Any:
            variable = next(again, None)
            if variable is None:
                variable = next_creator(**options)
                variables.append(variable)
            return variable

        values = list(arguments)
        for index, value in zip(fed_positions, args, strict=True):
            values[index] = value
        with variable_creator_scope(creator), use_store(VariableStore(), fresh_scopes=True):
            return fn(*values)

    names = _parameters(fn, len(arguments))
    called_so: str = name or getattr(fn, "__name__", None) or "wrapped"
    whole = _Traced(traced, called_so, [names[index] for index in fed_positions]).trace(
        arguments[index] for index in fed_positions
    )
    graph = whole.graph
    part = _part(graph, graph.arguments, whole.structured_outputs, graph.name, None)
    called = {key: getattr(part, key) for key in ("_callee", "_captures", "_pack")}
    return _wrapped(whole, variables, called)


def _wrapped(concrete: Any, variables: Iterable[Any], called: dict[str, Any]) -> WrappedFunction:
    wrapped = object.__new__(WrappedFunction)
    wrapped.__dict__.update({**concrete.__dict__, **called, "_made": tuple(variables)})
    return wrapped


def _is_described(argument: Any) -> bool:
    return any(isinstance(leaf, TypeSpec) for leaf in nest.flatten(argument))


def _parameters(fn: Callable[..., Any], number: int) -> list[str]:
    """Return the names that `fn` has for its first arguments, or some that it could have."""
    parameter_names = [
        p.name for p in inspect.signature(fn).parameters.values() if p.kind in _POSITIONAL
    ]
    return [parameter_names[i] if i < len(parameter_names) else f"arg{i}" for i in range(number)]


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class _Traced:
    """A Python function to be traced, with other names for itself and for its parameters.

    No code of the user's: that it is traced anew for each graph is no cause for a warning.
    """

    def __init__(
        self, python_function: Callable[..., Any], name: str, parameters: Sequence[str]
    ) -> None:
        plain = [re.sub(r"\W", "_", parameter) for parameter in parameters]
        self.__name__ = re.sub(r"\W", "_", name)
        self.__signature__ = inspect.Signature(
            [inspect.Parameter(each, _POSITIONAL[1]) for each in plain]
        )
        self._python_function = python_function

    def __call__(self, *args: Any) -> Any:
        return self._python_function(*args)

    def trace(self, arguments: Iterable[Any]) -> ConcreteFunction:
        """Return the function for arguments that these specs describe."""
        concrete: ConcreteFunction = function(self, autograph=False).get_concrete_function(
            *arguments
        )
        return concrete


def _leaves(graph: FuncGraph, structure: Any) -> list[Any]:
    """Return the tensors in a structure; taking composites apart may add some to their graph."""
    with graph.as_default():
        return nest.flatten(structure, expand_composites=True)


def _described(leaf: Any) -> Any:
    """Return the spec of a composite; tensors and names as they are."""
    return leaf if isinstance(leaf, SymbolicTensor) else getattr(leaf, "_type_spec", leaf)


def _part(
    graph: FuncGraph,
    fed: Sequence[SymbolicTensor],
    fetched: Any,
    name: str,
    signature: Any,
    names: Sequence[str] | None = None,
) -> ConcreteFunction:
    """Return the function that computes the fetches of `graph` from the feeds.

    names: those of the arguments, if they are not those of the operations that are fed.
    """
    names = [tensor.op.name for tensor in fed] if names is None else names
    leaves = _leaves(graph, fetched)
    elements = [None if leaf is None else graph.as_graph_element(leaf) for leaf in leaves]
    structure = nest.map_structure(_described, fetched)

    def traced(*tensors: Any) -> Any:
        copy = _Copy(graph, dict(zip((id(t._origin) for t in fed), tensors, strict=True)))
        copy.add([element for element in elements if element is not None])
        results = [copy.tensor(e) if isinstance(e, SymbolicTensor) else None for e in elements]
        return nest.pack_sequence_as(structure, results, expand_composites=True)

    specs = [
        TensorSpec(t.shape, t.dtype, spec_name) for t, spec_name in zip(fed, names, strict=True)
    ]
    chosen = specs if signature is None else nest.flatten(signature, expand_composites=True)
    return _Traced(traced, name, names).trace(chosen)


class _Copy:
    """Operations of a function's graph, copied into the one that is being traced."""

    def __init__(self, graph: FuncGraph, replacements: dict[int, Any]) -> None:
        self._graph = graph
        self._captures = {id(inner): outer for outer, inner in graph.captures.values()}
        self._tensors = {**self._captures, **replacements}
        self._nodes: dict[int, Operation] = {}

    def tensor(self, original: SymbolicTensor) -> Any:
        return self._tensors[id(original._origin)]

    def add(self, elements: Sequence[Any]) -> None:
        """Copy what these tensors and operations need."""
        needed = self._needed(elements)
        used = {id(t._origin) for node in needed for t in node.inputs}
        handles = {id(outer) for inner, outer in self._captures.items() if inner in used}
        for variable in self._graph.variables:
            if id(variable.handle) in handles:
                dispatch.variable_accessed(variable)
        for node in needed:
            self._add(node)

    def _needed(self, elements: Sequence[Any]) -> list[Operation]:
        needed: set[int] = set()

        def add_producers(tensors: Iterable[SymbolicTensor]) -> None:
            needed.update(id(t.op) for t in tensors if id(t._origin) not in self._tensors)

        add_producers(e for e in elements if isinstance(e, SymbolicTensor))
        needed.update(id(e) for e in elements if isinstance(e, Operation))
        handles: set[int] = set()
        nodes = []
        for node in reversed(self._graph.nodes):
            captured = {id(t._origin) for t in node.inputs} & self._captures.keys()
            # A read of a variable returns what was written to it before.
            writes = node.definition.effect == "writes" and id(node) not in self._graph.unordered
            if id(node) in needed or (writes and captured & handles):
                nodes.append(node)
                handles |= captured
                add_producers(node.inputs)
                needed.update(map(id, node.control_inputs))
        return nodes[::-1]

    def _add(self, node: Operation) -> None:
        if node.definition.is_argument:
            if id(node.outputs[0]) in self._tensors:
                return
            raise ValueError(
                f"What is fetched depends on the placeholder {node.name!r}, which is not among "
                f"the feeds."
            )
        mode = dispatch.state.mode
        waits = [self._nodes[id(n)] for n in node.control_inputs if id(n) in self._nodes]
        with mode.graph.control_dependencies(waits):
            copied = self._called(node, mode)
        self._nodes[id(node)] = copied
        for original, result in zip(node.outputs, copied.outputs, strict=True):
            self._tensors.setdefault(id(original), result)

    def _called(self, node: Operation, mode: Any) -> Operation:
        name = f"{node.name}/"
        if node.definition.is_constant:
            constant: Operation
            constant = mode.graph.constant(node.attrs["value"], node.attrs["dtype"], name).op
            return constant
        inputs = tuple(
            tuple(map(self.tensor, each)) if type(each) is tuple else self.tensor(each)
            for each in node.operands
        )
        mode.execute(node.definition, inputs, attributes(node), name)
        copied: Operation = mode.graph.nodes[-1]
        # Notes on the node stay: which stream a random operation draws from, for instance.
        copied.attrs = node.attrs
        return copied
