"""Lowering of functional control flow in a GraphDef to `Switch`, `Merge` and frames.

Runtimes without functions, and converters of frozen graphs, know only these. An operation that
holds bodies becomes the nodes of its bodies, each under a prefix of its own, and an `IdentityN` of
the operation's name: its consumers, and what waits for it, stay unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tapeflow._src.core import protos
from tapeflow._src.core.dtypes import DType, bool, int32
from tapeflow._src.graph.attr_values import write
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.names import Names
from tapeflow._src.graph.node_defs import NodeWriter
from tapeflow._src.graph.ordering import control_inputs, must_run
from tapeflow._src.graph.placeholders_of_branches import write_stand_in

if TYPE_CHECKING:
    from tapeflow._src.graph.operation import Operation
    from tapeflow._src.graph.tensor import SymbolicTensor


class _Results(NamedTuple):
    """The names of the outputs of a body, and of the nodes that must run in any case."""

    tensors: list[str]
    effects: list[str]


# From the names of the values, and of the pivot of the branch, to its results.
_Branch = Callable[[list[str], str], _Results]


class LoweringWriter:
    """Writes nodes as a `NodeWriter` does, those with bodies as the nodes of their bodies."""

    def __init__(
        self,
        messages: Any,
        name_of: Callable[[SymbolicTensor], str],
        waits: dict[int, list[Operation]],
        function_name: Callable[[Any, Operation], str],
    ) -> None:
        self._messages = messages
        self._name_of = name_of
        self._waits = waits
        self._function_name = function_name
        self._writer = NodeWriter(messages, name_of, waits, function_name)

    def write(self, node: Operation) -> None:
        """Add the NodeDefs of an operation."""
        if node.definition.is_conditional:
            names = [self._name_of(t) for t in node.operands[1]]
            then, otherwise = (self._branch(node, key) for key in ("then_branch", "else_branch"))
            pred = self._name_of(node.operands[0])
            results = self._chosen(node, pred, names, then, otherwise)
        elif node.definition.is_switch:
            results = self._case(node)
        elif node.definition.is_loop:
            results = self._loop(node)
        else:
            self._writer.write(node)
            return
        self._finish(node, results)

    def _add(
        self, name: str, op: str, inputs: Iterable[str], attrs: dict[str, tuple[Any, str]]
    ) -> str:
        message = self._messages.add(name=name, op=op)
        message.input.extend(inputs)
        for key, (value, kind) in attrs.items():
            write(message.attr[key], value, kind)
        return name

    def _finish(self, node: Operation, results: _Results) -> None:
        """Add the node that stands for the operation."""
        waits = [f"^{name}" for name in results.effects]
        if node.outputs:
            dtypes = [t.dtype for t in node.outputs]
            inputs = [*results.tensors, *waits]
            self._add(node.name, "IdentityN", inputs, {"T": (dtypes, "list(type)")})
        else:
            self._add(node.name, "NoOp", waits, {})

    def _inlined(
        self,
        body: Body,
        prefix: str,
        arguments: Sequence[str],
        pivot: str,
        expected: Sequence[SymbolicTensor],
    ) -> _Results:
        """Add the nodes of a body under a prefix.

        Args:
            body: What becomes part of this graph.
            prefix: The start of the names of its nodes.
            given: The names of the values of its inputs.
            pivot: What nodes that take nothing wait for: they run only where the body does.
            expected: Tensors like its outputs, of which it may lack some.
        """
        inputs = {t.op.name: name for t, name in zip(body.inputs, arguments, strict=True)}
        input_ids = {id(t.op) for t in body.inputs}
        nodes = [node for node in body.nodes() if id(node) not in input_ids]
        part = protos.GraphDef()
        inner = LoweringWriter(part.node, _tensor_name, control_inputs(nodes), self._function_name)
        for node in nodes:
            inner.write(node)
        names = Names()
        for message in part.node:
            names.unique(message.name)
        sources = [
            write_stand_in(part.node, expected[i], names).partition(":")[0]
            if t is None
            else _tensor_name(t)
            for i, t in enumerate(body.outputs)
        ]

        def moved(source: str) -> str:
            name = source.removeprefix("^")
            plain, _, index = name.partition(":")
            if plain in inputs:
                return inputs[plain]
            # Inputs of a placeholder are named as in functions: node, output, position.
            return f"{prefix}{plain}" + (f":{index}" if index.isdigit() else "")

        for message in part.node:
            self._move(message, f"{prefix}{message.name}", moved, inputs, pivot)
        effects = [f"{prefix}{node.name}" for node in must_run(nodes)]
        return _Results([moved(source) for source in sources], effects)

    def _move(
        self,
        message: Any,
        name: str,
        moved: Callable[[str], str],
        inputs: dict[str, str],
        pivot: str,
    ) -> None:
        """Add a node of a body under another name."""
        new = self._messages.add()
        new.CopyFrom(message)
        new.name = name
        if "frame_name" in new.attr:
            frame = new.attr["frame_name"].s.decode()
            write(new.attr["frame_name"], name.removesuffix(message.name) + frame, "string")
        del new.input[:]
        for source in message.input:
            if not source.startswith("^"):
                new.input.append(moved(source))
            elif source[1:] not in inputs:
                new.input.append(f"^{moved(source)}")
        if not new.input:
            new.input.append(f"^{pivot}")

    # -- branches ----------------------------------------------------------------------------

    def _branch(self, node: Operation, key: str, index: int | None = None) -> _Branch:
        body = node.attrs[key] if index is None else node.attrs[key][index]
        prefix = f"{node.name}/{key.removesuffix('_branch')}{'' if index is None else index}/"
        return lambda arguments, pivot: self._inlined(body, prefix, arguments, pivot, node.outputs)

    def _chosen(
        self,
        node: Operation,
        pred: str,
        arguments: list[str],
        then: _Branch,
        otherwise: _Branch,
        scope: str = "",
    ) -> _Results:
        """Add both branches, with switches on their inputs and merges of their results."""
        name = f"{node.name}/{scope}"
        choice = {"T": (bool, "type")}
        switch = self._add(f"{name}switch_pred", "Switch", [pred, pred], choice)
        pivots = [
            self._add(f"{name}pivot_{kind}", "Identity", [f"{switch}:{i}" if i else switch], choice)
            for i, kind in enumerate("ft")
        ]
        values = node.operands[1]
        for i, (source, tensor) in enumerate(zip(arguments, values, strict=True)):
            attrs = {"T": (tensor.dtype, "type")}
            self._add(f"{name}switch_{i}", "Switch", [source, pred], attrs)
        switched = [f"{name}switch_{i}" for i in range(len(arguments))]
        no = otherwise(switched, pivots[0])
        yes = then([f"{each}:1" for each in switched], pivots[1])
        tensors = [
            self._merge(f"{name}merge_{i}", pair, node.outputs[i].dtype)
            for i, pair in enumerate(zip(no.tensors, yes.tensors, strict=True))
        ]
        if not no.effects and not yes.effects:
            return _Results(tensors, [])
        ends = [
            self._add(
                f"{name}done_{kind}",
                "Identity",
                [pivot, *(f"^{n}" for n in results.effects)],
                choice,
            )
            for kind, pivot, results in zip("ft", pivots, (no, yes), strict=True)
        ]
        return _Results(tensors, [self._merge(f"{name}done", ends, bool)])

    def _merge(self, name: str, sources: Sequence[str], dtype: DType) -> str:
        attrs = {"T": (dtype, "type"), "N": (len(sources), "int")}
        return self._add(name, "Merge", sources, attrs)

    def _case(self, node: Operation) -> _Results:
        """Add one choice after the other; the last branch is taken if none of the others is."""
        index, last = self._name_of(node.operands[0]), len(node.attrs["branches"]) - 1

        def remaining_branches(first: int) -> _Branch:
            branch = self._branch(node, "branches", first)
            if first == last:
                return branch

            def choose(arguments: list[str], pivot: str) -> _Results:
                value = {"value": (np.array(first, np.int32), "tensor"), "dtype": (int32, "type")}
                number = self._add(
                    f"{node.name}/number_{first}", "Const", [f"^{pivot}"] if pivot else [], value
                )
                attrs = {"T": (int32, "type"), "incompatible_shape_error": (True, "bool")}
                pred = self._add(f"{node.name}/is_{first}", "Equal", [index, number], attrs)
                return self._chosen(
                    node, pred, arguments, branch, remaining_branches(first + 1), f"{first}/"
                )

            return choose

        return remaining_branches(0)([self._name_of(t) for t in node.operands[1]], "")

    # -- loops -------------------------------------------------------------------------------

    def _loop(self, node: Operation) -> _Results:
        """Add a frame in which condition and body run once per iteration."""
        name, values = node.name, node.operands[0]
        if not values:
            raise ValueError(
                f"The loop {name!r} carries no values, so it cannot be written without functions: "
                f"pass lower_control_flow=False."
            )
        types = [{"T": (t.dtype, "type")} for t in values]
        turns = node.attrs.get("parallel_iterations") or 10
        frame = {
            "frame_name": (name, "string"),
            "is_constant": (False, "bool"),
            "parallel_iterations": (turns, "int"),
        }
        merged = []
        for i, tensor in enumerate(values):
            source = self._name_of(tensor)
            enter = self._add(f"{name}/enter_{i}", "Enter", [source], {**types[i], **frame})
            ends = [enter, f"{name}/next_{i}"]
            merged.append(self._merge(f"{name}/merge_{i}", ends, tensor.dtype))
        cond, body = node.attrs["cond"], node.attrs["body"]
        condition = self._inlined(cond, f"{name}/cond/", merged, merged[0], cond.outputs)
        waits = [f"^{effect}" for effect in condition.effects]
        test = self._add(f"{name}/cond", "LoopCond", [*condition.tensors, *waits], {})
        inside, results = [], []
        for i, source in enumerate(merged):
            switch = self._add(f"{name}/switch_{i}", "Switch", [source, test], types[i])
            inside.append(self._add(f"{name}/turn_{i}", "Identity", [f"{switch}:1"], types[i]))
            results.append(self._add(f"{name}/exit_{i}", "Exit", [switch], types[i]))
        done = self._inlined(body, f"{name}/body/", inside, inside[0], node.outputs)
        waits = [f"^{effect}" for effect in done.effects]
        for i, source in enumerate(done.tensors):
            self._add(f"{name}/next_{i}", "NextIteration", [source, *waits], types[i])
        return _Results(results, [])


def _tensor_name(tensor: SymbolicTensor) -> str:
    return tensor.op.name if tensor.value_index == 0 else tensor.name
