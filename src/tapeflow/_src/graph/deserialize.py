"""GraphDef messages as operations of a graph, functions of their library as bodies.

The nodes of a message may be in any order; they are added in topological order of data and control
inputs, so that program order is the order of effects again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tapeflow._src.core import dispatch, protos
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.dtypes import resource as resource_dtype
from tapeflow._src.core.errors import ResourceExhaustedError
from tapeflow._src.core.protos.values import shape_from_proto
from tapeflow._src.core.version import GRAPH_DEF_VERSION
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.graph import FuncGraph, Graph
from tapeflow._src.graph.mode import TracingMode
from tapeflow._src.graph.names import ROOT_NAME
from tapeflow._src.graph.node_defs import outputs_of, signature
from tapeflow._src.graph.node_imports import add
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.safe_mode import Guard
from tapeflow._src.graph.tensor import SymbolicTensor

FUNCTION_CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall"})


class Imported:
    """The import of a node: an operation, or the results of a function inlined in its place."""

    __slots__ = ("is_call", "named", "operations", "outputs")

    def __init__(
        self,
        outputs: tuple[SymbolicTensor, ...],
        operations: tuple[Operation, ...],
        by_name: Mapping[str, tuple[SymbolicTensor, ...]],
        is_call: bool = False,
    ) -> None:
        self.outputs = outputs
        # For a call, the operations that have to run although no output needs them.
        self.operations = operations
        self.is_call = is_call
        # By output name, as nodes of functions refer to them.
        self.named = by_name


def import_nodes(
    graph: Graph,
    message: Any,
    scope: str,
    replaced: Mapping[str, SymbolicTensor],
    guard: Guard,
) -> dict[str, Imported]:
    """Add the nodes of a GraphDef to `graph` under `scope`, and return what each became.

    replaced: tensors that replace some of the message's, by `node:index`. guard: called with the
    nodes that access files or Python functions.
    """
    if message.versions.min_consumer > GRAPH_DEF_VERSION:
        raise ValueError(
            f"GraphDef min consumer version {message.versions.min_consumer} above current version "
            f"{GRAPH_DEF_VERSION}. The graph was written by a newer TensorFlow."
        )
    if message.versions.producer < 0:
        raise ValueError(
            f"GraphDef producer version {message.versions.producer} below min producer 0. "
            f"Please regenerate your graph."
        )
    importer = Importer(graph, Library(message.library.function, guard=guard))
    with dispatch.use_mode(TracingMode(graph)):
        done = importer.run(message.node, scope, replaced)
    for node in message.node:
        if "_class" in node.attr:
            _colocate(node, scope, done)
    return done


_LOCATION = "loc:@"


def _colocate(node: Any, scope: str, done: Mapping[str, Imported]) -> None:
    """Translate the colocation groups of a node to the names of operations in this graph.

    A colocated node is on the device of its group, not on one of its own.
    """
    if len(done[node.name].operations) != 1:
        return
    operation = done[node.name].operations[0]
    groups: list[bytes] = []
    others: list[Operation] = []
    for group in node.attr["_class"].list.s:
        name = group.decode()
        if name.startswith(_LOCATION):
            target = name.removeprefix(_LOCATION)
            if target not in done:
                raise ValueError(
                    f"Node {node.name!r} expects to be colocated with unknown node {target!r}"
                )
            operations = done[target].operations
            others += operations if target != node.name else ()
            name = _LOCATION + (operations[0].name if len(operations) == 1 else scope + target)
        groups.append(name.encode())
    operation.notes = {**(operation.notes or {}), "_class": (groups, "list(string)")}
    if others:
        operation.device = next((other.device for other in others if other.device), "")


# Called for a node with a custom gradient: with the gradient's name, the operation, and a lookup of
# tensors by their names in the graph.
Mark = Callable[[str, Operation, Callable[[str], SymbolicTensor]], None]


# Limits for one import: functions are inlined where they are called, so a file of a few kilobytes
# could otherwise expand to any number of operations.
MOST_NODES = 1_000_000
MOST_NESTED = 48


class Library:
    """The functions of one file, and the state of its import."""

    def __init__(
        self, functions: Iterable[Any], mark: Mark | None = None, guard: Guard | None = None
    ) -> None:
        self.functions = {f.signature.name: f for f in functions}
        self.mark = mark
        self.guard = Guard(safe=False) if guard is None else guard
        # The stack of functions that are being imported.
        self.calls: list[str] = []
        self.nodes = 0

    def function(self, name: str, node: str) -> Any:
        """Return the function that `node` refers to by this name."""
        if name not in self.functions:
            raise ValueError(f"Node {node!r} calls {name!r}, which is not in the graph's library.")
        return self.functions[name]

    @contextmanager
    def entered(self, name: str) -> Iterator[None]:
        """Enter the import of a function; ValueError for infinite recursion."""
        if name in self.calls:
            cycle = " -> ".join([*self.calls[self.calls.index(name) :], name])
            raise ValueError(
                f"The graph's library has functions that call themselves: {cycle}. Recursion has "
                f"no form in a graph; use a loop (tf.while_loop)."
            )
        if len(self.calls) >= MOST_NESTED:
            raise ResourceExhaustedError(
                None,
                None,
                f"The functions of the graph's library are nested more than {MOST_NESTED} deep, "
                f"from {self.calls[0]!r} to {name!r}.",
            )
        self.calls.append(name)
        try:
            yield
        finally:
            self.calls.pop()

    def count_node(self) -> None:
        """Count one more imported node."""
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise ResourceExhaustedError(
                None,
                None,
                f"The graph has more than {MOST_NODES:,} operations when its functions stand where "
                f"they are called.",
            )


class Importer:
    """Adds nodes to one graph; knows the functions that they may call."""

    def __init__(self, graph: Graph, library: Library) -> None:
        self._graph = graph
        self._library = library

    def run(
        self,
        nodes: Iterable[Any],
        scope: str,
        arguments: Mapping[str, SymbolicTensor],
        bindings: Mapping[str, Any] | None = None,
    ) -> dict[str, Imported]:
        """Add the nodes. `arguments` holds tensors by the names that the nodes refer to.

        bindings: the attributes of the call of the function that the nodes belong to.
        """
        done: dict[str, Imported] = {}
        state = dispatch.state
        outer, state.name_scope = state.name_scope, scope
        try:
            for node in in_order(nodes, arguments):
                self._library.count_node()
                done[node.name] = self._node(bound(node, bindings or {}), done, arguments)
        finally:
            state.name_scope = outer
        return done

    def _node(
        self, node: Any, done: dict[str, Imported], arguments: Mapping[str, SymbolicTensor]
    ) -> Imported:
        names = [name for name in node.input if not name.startswith("^")]
        inputs = [t for name in names for t in resolve_all(name, node.name, done, arguments)]
        before = [name[1:] for name in node.input if name.startswith("^")]
        waits = [o for name in before if name in done for o in done[name].operations]
        library = self._library
        with self._graph.control_dependencies(waits):
            if node.op in FUNCTION_CALLS:
                called = node.attr["f"].func
                return self._call(node, called.name, inputs, called.attr)
            if node.op in library.functions:
                return self._call(node, node.op, inputs, node.attr)
            operation = self._operation(node, inputs)
        if library.mark is not None and "_gradient_op_type" in node.attr:
            gradient = node.attr["_gradient_op_type"].s.decode(errors="replace")
            library.mark(
                gradient, operation, lambda name: _resolve(name, node.name, done, arguments)
            )
        groups = outputs_of(operation, op_signature := signature(operation))
        by_name = {a.name: group for a, group in zip(op_signature.outputs, groups, strict=True)}
        return Imported(operation.outputs, (operation,), by_name)

    def _operation(self, node: Any, inputs: list[SymbolicTensor]) -> Operation:
        """Add a node that is no call; inputs or attributes that its op refuses raise ValueError."""
        library = self._library

        def check(op: Any, attrs: dict[str, Any], operands: Sequence[Any]) -> None:
            library.guard.check(node, op, attrs, operands, "".join(library.calls[-1:]))

        def body(function: Any, passes_inputs: bool) -> Body:
            return self.body(function, inputs, passes_inputs)

        try:
            return add(self._graph, node, inputs, body, check)
        except MemoryError as error:
            raise ResourceExhaustedError(None, None, f"{_label(node)}: {error}") from error
        except (TypeError, LookupError, AttributeError, ArithmeticError) as error:
            raise ValueError(
                f"{_label(node)} cannot be imported: its inputs or attributes are not what the op "
                f"takes. {error}"
            ) from error

    def _call(
        self, node: Any, name: str, inputs: list[SymbolicTensor], bindings: Mapping[str, Any]
    ) -> Imported:
        """Inline a function in place of a call of it."""
        function = self._library.function(name, node.name)
        arguments = _arguments(function, node.name, inputs, bindings)
        scope = f"{dispatch.state.name_scope}{node.name}/"
        with self._library.entered(name):
            done = self.run(function.node_def, scope, arguments, bindings)
        groups = _groups(function, done, arguments)
        outputs = tuple(t for group in groups.values() for t in group)
        waits: list[Operation] = []
        for waited in function.control_ret.values():
            if waited not in done:
                raise ValueError(f"Function {name!r} waits for the unknown node {waited!r}.")
            waits += done[waited].operations
        return Imported(outputs, tuple(waits), {"output": outputs, **groups}, is_call=True)

    def body(self, called: Any, inputs: list[SymbolicTensor], passes_inputs: bool) -> Body:
        """Import a function (a NameAttrList) that a node with these inputs holds.

        passes_inputs: whether the node passes its inputs on, except those that select among its
        functions, which come first.
        """
        name = called.name
        function = self._library.function(name, name)
        graph = FuncGraph(name, outer=self._graph, part=True)
        arguments = function.signature.input_arg
        outside: list[Any] = [None] * (len(arguments) - len(inputs)) + inputs
        outside = outside[len(outside) - len(arguments) :]
        by_name: dict[str, SymbolicTensor] = {}
        with graph.as_default(), self._library.entered(name):
            for index, (argument, outer) in enumerate(zip(arguments, outside, strict=True)):
                dtype = as_dtype(argument.type) if argument.type or outer is None else outer.dtype
                if outer is None or dtype is not outer.dtype:
                    if passes_inputs:
                        raise ValueError(
                            f"The input {argument.name!r} of the function {name!r} is "
                            f"{dtype.name}, but the node that holds it passes "
                            f"{'no input' if outer is None else outer.dtype.name}."
                        )
                    outer = None
                tensor = graph.argument(dtype, _dims(function, index, outer), argument.name)
                if dtype is resource_dtype and outer is not None:
                    tensor.static_value = outer.static_value  # type: ignore[misc]
                by_name[argument.name] = tensor
            done = Importer(graph, self._library).run(function.node_def, "", by_name, called.attr)
            graph.outputs = results(function, done, by_name)
        return Body(graph)


def _label(node: Any) -> str:
    return f"Node {node.name!r} ({node.op})"


def bound(node: Any, bindings: Mapping[str, Any]) -> Any:
    """Return the node with the open attributes of its function replaced by those of the call."""
    open_ = [
        name for name, value in node.attr.items() if value.WhichOneof("value") == _PLACEHOLDER_ATTR
    ]
    if not open_:
        return node
    copy = protos.NodeDef()
    copy.CopyFrom(node)
    for name in open_:
        parameter = node.attr[name].placeholder
        if parameter not in bindings:
            raise ValueError(
                f"{_label(node)}: the attribute {name!r} is that of the function's parameter "
                f"{parameter!r}, which the call does not pass."
            )
        copy.attr[name].CopyFrom(bindings[parameter])
    return copy


_PLACEHOLDER_ATTR = "placeholder"


def _arguments(
    function: Any, node: str, inputs: Sequence[SymbolicTensor], bindings: Mapping[str, Any]
) -> dict[str, SymbolicTensor]:
    """Return the inputs of a call by the names that the nodes of the function refer to."""
    by_name: dict[str, SymbolicTensor] = {}
    start = 0
    for argument in function.signature.input_arg:
        if argument.number_attr or argument.type_list_attr:
            count = _length(argument, bindings)
            by_name.update(
                {f"{argument.name}:{i}": t for i, t in enumerate(inputs[start:][:count])}
            )
            start += count
        else:
            if start < len(inputs):
                by_name[argument.name] = inputs[start]
                dtype = argument.type
                if dtype and as_dtype(dtype) is not inputs[start].dtype:
                    raise ValueError(
                        f"Node {node!r} passes {inputs[start].dtype.name} for the input "
                        f"{argument.name!r} of {function.signature.name!r}, which is "
                        f"{as_dtype(dtype).name}."
                    )
            start += 1
    if start != len(inputs):
        raise ValueError(
            f"Node {node!r} calls {function.signature.name!r}, which takes {start} inputs, with "
            f"{len(inputs)}."
        )
    return by_name


def _length(argument: Any, bindings: Mapping[str, Any]) -> int:
    """Return the number of tensors of a list input in this call."""
    attribute = argument.number_attr or argument.type_list_attr
    if attribute not in bindings:
        raise ValueError(f"The call does not say {attribute!r}, the length of {argument.name!r}.")
    value = bindings[attribute]
    count: int = value.i if argument.number_attr else len(value.list.type)
    if count < 0:
        raise ValueError(f"The length {attribute!r} of {argument.name!r} is negative: {count}.")
    return count


def _dims(function: Any, index: int, outer: SymbolicTensor | None) -> Any:
    """Return the static shape of a function's argument."""
    if outer is not None and outer.dtype is resource_dtype:
        return outer.static_shape
    shapes = function.arg_attr[index].attr["_output_shapes"].list.shape
    return shape_from_proto(shapes[0]) if shapes else None


def _groups(
    function: Any, done: Mapping[str, Imported], arguments: Mapping[str, SymbolicTensor]
) -> dict[str, tuple[SymbolicTensor, ...]]:
    """Return the results of a function by output name; a list of tensors is one output."""
    name = function.signature.name
    groups = {}
    for output in function.signature.output_arg:
        if output.name not in function.ret:
            raise ValueError(f"Function {name!r} does not say what its output {output.name!r} is.")
        groups[output.name] = resolve_all(function.ret[output.name], name, done, arguments)
        if not (output.number_attr or output.type_list_attr) and len(groups[output.name]) != 1:
            raise ValueError(
                f"Function {name!r}: the output {output.name!r} is one tensor, but "
                f"{function.ret[output.name]!r} has {len(groups[output.name])}."
            )
    return groups


def results(
    function: Any, done: Mapping[str, Imported], arguments: Mapping[str, SymbolicTensor]
) -> list[SymbolicTensor]:
    """Return the results of a function."""
    return [t for group in _groups(function, done, arguments).values() for t in group]


def resolve_all(
    name: str, node: str, done: Mapping[str, Imported], arguments: Mapping[str, SymbolicTensor]
) -> tuple[SymbolicTensor, ...]:
    """Resolve a name in `node` to tensors: one, or all of `a:output` or of the input `a`."""
    source, *rest = name.split(":")
    if len(rest) == 1 and not rest[0].isdecimal() and source in done:
        if rest[0] not in done[source].named:
            raise _no_output(node, source, rest[0], done[source])
        return done[source].named[rest[0]]
    if not rest and source not in arguments and f"{source}:0" in arguments and source not in done:
        return tuple(t for key, t in arguments.items() if key.rpartition(":")[0] == source)
    return (_resolve(name, node, done, arguments),)


def _no_output(node: str, source: str, output: str, imported: Imported) -> ValueError:
    names = ", ".join(imported.named) or "none"
    return ValueError(
        f"Node {node!r}: the node {source!r} has no output {output!r}; its outputs are: {names}."
    )


def _resolve(
    name: str, node: str, done: Mapping[str, Imported], arguments: Mapping[str, SymbolicTensor]
) -> SymbolicTensor:
    """Resolve a name in `node` to a tensor: `a`, `a:1`, or in functions `a:output:0`."""
    source, *rest = name.split(":")
    if len(rest) > 2 or (rest and not (rest[-1].isdecimal() and len(rest[-1]) < _DIGITS)):
        raise ValueError(f"Node {node!r}: {name!r} is not the name of a tensor.")
    index = int(rest[-1]) if rest else 0
    if len(rest) < 2:
        if f"{source}:{index}" in arguments:
            return arguments[f"{source}:{index}"]
        if source in arguments and index == 0:
            return arguments[source]
    if source not in done:
        raise ValueError(f"Node {node!r}: Unknown input node {name!r}")
    imported = done[source]
    if len(rest) == 2 and rest[0] not in imported.named:
        raise _no_output(node, source, rest[0], imported)
    outputs = imported.named[rest[0]] if len(rest) == 2 else imported.outputs
    if index >= len(outputs):
        raise ValueError(
            f"Node {node!r}: Connecting to invalid output {index} of source node {source} which "
            f"has {len(outputs)} outputs."
        )
    return outputs[index]


# No node has so many outputs that an index needs more digits than this.
_DIGITS = 12


def in_order(nodes: Iterable[Any], arguments: Mapping[str, Any]) -> list[Any]:
    """Return the nodes in topological order, otherwise unchanged; ValueError for cycles.

    arguments: names that need no node.
    """
    by_name: dict[str, Any] = {}
    for node in nodes:
        if not ROOT_NAME.fullmatch(node.name):
            raise ValueError(f"Node {node.name!r}: Node name contains invalid characters")
        if node.name in by_name:
            raise ValueError(f"Node {node.name!r} is not unique")
        by_name[node.name] = node
    ordered: dict[str, Any] = {}
    for start in by_name:
        path = [start]
        on_path = {start}
        while path:
            node = by_name[path[-1]]
            needed = next(_missing(node, by_name, ordered, arguments), None)
            if needed is None:
                ordered[node.name] = node
                on_path.discard(path.pop())
            elif needed in on_path:
                raise ValueError(f"{len(by_name) - len(ordered)} nodes in a cycle")
            else:
                path.append(needed)
                on_path.add(needed)
    return list(ordered.values())


def _missing(
    node: Any, by_name: Mapping[str, Any], ordered: Mapping[str, Any], arguments: Mapping[str, Any]
) -> Iterator[str]:
    """Return the nodes that must precede this one and are not yet in order."""
    if node.name in ordered:
        return
    for name in node.input:
        source, colon, _ = name.lstrip("^").partition(":")
        if (
            source in ordered
            or source in arguments
            or (name if colon else f"{name}:0") in arguments
        ):
            continue
        if source not in by_name:
            raise ValueError(f"Node {node.name!r}: Unknown input node {name!r}")
        yield source
