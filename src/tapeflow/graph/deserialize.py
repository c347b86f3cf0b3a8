"""GraphDef messages as operations of a graph, functions of their library as bodies.

The nodes of a message may stand in any order; they are added so that each follows what it takes
and what it waits for, which makes program order the order of effects again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tapeflow.core import dispatch
from tapeflow.core.dtypes import as_dtype
from tapeflow.core.dtypes import resource as resource_dtype
from tapeflow.core.protos.values import shape_from_proto
from tapeflow.graph.body import Body
from tapeflow.graph.graph import FuncGraph, Graph
from tapeflow.graph.mode import TracingMode
from tapeflow.graph.names import ROOT_NAME
from tapeflow.graph.node_defs import outputs_of, signature
from tapeflow.graph.node_imports import add
from tapeflow.graph.operation import Operation
from tapeflow.graph.serialize import GRAPH_DEF_VERSION
from tapeflow.graph.tensor import SymbolicTensor

_CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall"})


class Imported:
    """What became of a node: an operation, or the results of a function called in its place."""

    __slots__ = ("named", "operations", "outputs")

    def __init__(
        self,
        outputs: tuple[SymbolicTensor, ...],
        operations: tuple[Operation, ...],
        named: Mapping[str, tuple[SymbolicTensor, ...]],
    ) -> None:
        self.outputs = outputs
        self.operations = operations
        # By the name of the output, as the nodes of functions refer to them.
        self.named = named


def import_nodes(
    graph: Graph, message: Any, scope: str, replaced: Mapping[str, SymbolicTensor]
) -> dict[str, Imported]:
    """Add the nodes of a GraphDef to `graph`, named under `scope`, and say what became of each.

    replaced: tensors that stand in for some of the message's, by `node:index`.
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
    importer = Importer(graph, message.library.function)
    with dispatch.use_mode(TracingMode(graph)):
        done = importer.run(message.node, scope, replaced)
    for node in message.node:
        if "_class" in node.attr:
            _colocate(node, scope, done)
    return done


_LOCATION = "loc:@"


def _colocate(node: Any, scope: str, done: Mapping[str, Imported]) -> None:
    """Call the groups that a node is in by the names of their operations here.

    A node that is to be where others are is on their device, and not on one of its own.
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
            made = done[target].operations
            others += made if target != node.name else ()
            name = _LOCATION + (made[0].name if len(made) == 1 else scope + target)
        groups.append(name.encode())
    operation.notes = {**(operation.notes or {}), "_class": (groups, "list(string)")}
    if others:
        operation.device = next((other.device for other in others if other.device), "")


# Told of a node with a gradient of its own: the name of that, the operation, and how tensors are
# found by the names that they have in the graph.
Mark = Callable[[str, Operation, Callable[[str], SymbolicTensor]], None]


class Importer:
    """Adds nodes to one graph; knows the functions that they may call."""

    def __init__(self, graph: Graph, functions: Iterable[Any], mark: Mark | None = None) -> None:
        self._graph = graph
        self._functions = {f.signature.name: f for f in functions}
        self._mark = mark

    def run(
        self, nodes: Iterable[Any], scope: str, given: Mapping[str, SymbolicTensor]
    ) -> dict[str, Imported]:
        """Add the nodes. `given` holds tensors by the names that the nodes know them by."""
        done: dict[str, Imported] = {}
        state = dispatch.state
        outer, state.name_scope = state.name_scope, scope
        try:
            for node in in_order(nodes, given):
                done[node.name] = self._node(node, done, given)
        finally:
            state.name_scope = outer
        return done

    def _node(
        self, node: Any, done: dict[str, Imported], given: Mapping[str, SymbolicTensor]
    ) -> Imported:
        inputs = [_resolve(i, node.name, done, given) for i in node.input if i[0] != "^"]
        before = (done[i[1:]] for i in node.input if i[0] == "^" and i[1:] in done)
        waits = [operation for made in before for operation in made.operations]
        with self._graph.control_dependencies(waits):
            if node.op in _CALLS:
                return self._call(node, node.attr["f"].func.name, inputs)
            if node.op in self._functions:
                return self._call(node, node.op, inputs)
            operation = add(self._graph, node, inputs, lambda name: self.body(name, inputs))
        if self._mark is not None and "_gradient_op_type" in node.attr:
            gradient = node.attr["_gradient_op_type"].s.decode()
            self._mark(gradient, operation, lambda name: _resolve(name, node.name, done, given))
        groups = outputs_of(operation, known := signature(operation))
        named = {a.name: group for a, group in zip(known.outputs, groups, strict=True)}
        return Imported(operation.outputs, (operation,), named)

    def _call(self, node: Any, name: str, inputs: list[SymbolicTensor]) -> Imported:
        """Add what a function does in place of a call of it."""
        function = self._function(name, node.name)
        arguments = [argument.name for argument in function.signature.input_arg]
        if len(arguments) != len(inputs):
            raise ValueError(
                f"Node {node.name!r} calls {name!r}, which takes {len(arguments)} inputs, with "
                f"{len(inputs)}."
            )
        given = dict(zip(arguments, inputs))
        scope = f"{dispatch.state.name_scope}{node.name}/"
        done = self.run(function.node_def, scope, given)
        outputs = tuple(results(function, done, given))
        waits = tuple(o for name in function.control_ret.values() for o in done[name].operations)
        return Imported(outputs, waits, {"output": outputs})

    def body(self, name: str, inputs: list[SymbolicTensor]) -> Body:
        """A function as a branch or loop body of a node with these inputs."""
        function = self._function(name, name)
        graph = FuncGraph(name, outer=self._graph, part=True)
        importer = Importer(graph, self._functions.values(), self._mark)
        arguments = function.signature.input_arg
        # Before what the functions take stands what chooses among them.
        outside = inputs[len(inputs) - len(arguments) :]
        given: dict[str, SymbolicTensor] = {}
        with graph.as_default():
            for place, (argument, outer) in enumerate(zip(arguments, outside, strict=True)):
                dims = _dims(function, place, outer)
                tensor = graph.argument(as_dtype(argument.type), dims, argument.name)
                if outer.dtype is resource_dtype:
                    tensor._static = outer._static  # type: ignore[misc]
                given[argument.name] = tensor
            done = importer.run(function.node_def, "", given)
            graph.outputs = results(function, done, given)
        return Body(graph)

    def _function(self, name: str, node: str) -> Any:
        if name not in self._functions:
            raise ValueError(f"Node {node!r} calls {name!r}, which is not in the graph's library.")
        return self._functions[name]


def _dims(function: Any, place: int, outer: SymbolicTensor) -> Any:
    """What is known of the shape of a function's argument."""
    if outer.dtype is resource_dtype:
        return outer._dims
    shapes = function.arg_attr[place].attr["_output_shapes"].list.shape
    return shape_from_proto(shapes[0]) if shapes else None


def results(
    function: Any, done: Mapping[str, Imported], given: Mapping[str, SymbolicTensor]
) -> list[SymbolicTensor]:
    """What a function returns."""
    return [
        _resolve(function.ret[output.name], function.signature.name, done, given)
        for output in function.signature.output_arg
    ]


def _resolve(
    name: str, node: str, done: Mapping[str, Imported], given: Mapping[str, SymbolicTensor]
) -> SymbolicTensor:
    """The tensor that `node` calls by this name: `a`, `a:1`, or in functions `a:output:0`."""
    source, *rest = name.split(":")
    index = int(rest[-1]) if rest else 0
    if len(rest) < 2:
        for key in (f"{source}:{index}", source):
            if key in given:
                return given[key]
    if source not in done:
        raise ValueError(f"Node {node!r}: Unknown input node {name!r}")
    made = done[source]
    outputs = made.named.get(rest[0], ()) if len(rest) == 2 else made.outputs
    if index >= len(outputs):
        raise ValueError(
            f"Node {node!r}: Connecting to invalid output {index} of source node {source} which "
            f"has {len(outputs)} outputs."
        )
    return outputs[index]


def in_order(nodes: Iterable[Any], given: Mapping[str, Any]) -> list[Any]:
    """The nodes, each after those it needs, else as they stand; ValueError if they go in circles.

    given: names that need no node.
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
            needed = next(_missing(node, by_name, ordered, given), None)
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
    node: Any, by_name: Mapping[str, Any], ordered: Mapping[str, Any], given: Mapping[str, Any]
) -> Iterator[str]:
    """The nodes that must come before this one, and have not."""
    if node.name in ordered:
        return
    for name in node.input:
        source, colon, _ = name.lstrip("^").partition(":")
        if source in ordered or source in given or (name if colon else f"{name}:0") in given:
            continue
        if source not in by_name:
            raise ValueError(f"Node {node.name!r}: Unknown input node {name!r}")
        yield source
