"""A graph as readable Python: straight-line code, with `if` and `while` where it branches.

The text is not an illustration: the interpreter runs it. Each operation is one call of its kernel,
values are dropped after their last use, and every line maps to its operation.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.registry import Op
from tapeflow._src.core.traits import CONDITIONAL, LOOP, SWITCH
from tapeflow._src.graph.body import Body, attributes
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.graph.undefined_outputs import absent

_LITERALS = (bool, int, float, str, type(None))
_INDENT = "    "


class Rendered:
    """The text of a function, the values it refers to, and the operation of each line."""

    def __init__(
        self,
        name: str,
        text: str,
        names: dict[str, Any],
        nodes: dict[int, Operation],
        variables: dict[int, str],
    ) -> None:
        self.name = name
        self.text = text
        self.names = names
        self.nodes = nodes
        # The Python name of each tensor, by its identity.
        self.variables = variables


def render(
    body: Body,
    *,
    kernel: Callable[[Operation], Any],
    draw: Callable[[Operation], Any],
    used_until: Mapping[int, Sequence[SymbolicTensor]],
    loop: Callable[[Operation], Any] | None = None,
) -> Rendered:
    """Render `body` as Python text.

    kernel: what runs an operation. draw: for a random operation, the function of its arguments that
    returns where in its stream a call starts. used_until: tensors beside the inputs of an
    operation, by its identity, that must not be dropped before it has run. loop: for a loop that is
    not inside another, what its iterations are handed to from time to time.
    """
    return _Renderer(kernel, draw, loop).function(body, used_until)


class _Renderer:
    def __init__(
        self,
        kernel: Callable[[Operation], Any],
        draw: Callable[[Operation], Any],
        loop: Callable[[Operation], Any] | None,
    ) -> None:
        self._kernel = kernel
        self._draw = draw
        self._loop = loop
        self._lines: list[str] = []
        self._nodes: dict[int, Operation] = {}
        # External values that the text refers to: kernels, constants, attributes.
        self._names: dict[str, Any] = {}
        self._kernels: dict[Any, str] = {}
        self._used: set[str] = {"xp", "as_array", "absent", "map", "_"}
        # The Python name of each tensor.
        self._names_by_id: dict[int, str] = {}

    # -- names -------------------------------------------------------------------------------

    def _fresh(self, hint: str) -> str:
        """Return an unused Python name like `hint`."""
        base = re.sub(r"\W+", "_", hint, flags=re.ASCII).strip("_") or "v"
        if base[0].isdigit() or keyword.iskeyword(base):
            base = "_" + base
        name, number = base, 0
        while name in self._used:
            number += 1
            name = f"{base}_{number}"
        self._used.add(name)
        return name

    def _refer(self, hint: str, value: Any) -> str:
        """Return a name for an external value."""
        name = self._fresh(hint)
        self._names[name] = value
        return name

    def _kernel_name(self, node: Operation) -> str:
        """Return the name of an operation's kernel: the op's, unless this one has its own."""
        kernel = self._kernel(node)
        name = self._kernels.get(kernel)
        if name is None:
            name = self._kernels[kernel] = self._refer(node.type, kernel)
        return name

    def _name(self, tensor: SymbolicTensor | None) -> str:
        return "absent" if tensor is None else self._names_by_id[id(tensor)]

    def _define(self, node: Operation) -> list[str]:
        names = []
        for i, tensor in enumerate(node.outputs):
            hint = node.name if i == 0 else f"{node.name}_out{i}"
            self._names_by_id[id(tensor)] = self._fresh(hint)
            names.append(self._names_by_id[id(tensor)])
        return names

    # -- text --------------------------------------------------------------------------------

    def _line(self, depth: int, text: str, node: Operation | None = None) -> None:
        self._lines.append(_INDENT * depth + text)
        if node is not None:
            self._nodes[len(self._lines)] = node

    def function(self, body: Body, used_until: Mapping[int, Sequence[SymbolicTensor]]) -> Rendered:
        name = self._fresh(body.name)
        parameters = []
        for tensor in body.inputs:
            self._names_by_id[id(tensor)] = self._fresh(tensor.op.name)
            parameters.append(self._names_by_id[id(tensor)])
        self._line(0, f"def {name}({', '.join(parameters)}):")
        nodes = body.nodes()
        self._write(nodes, 1, _last_uses(nodes, body.outputs, used_until))
        self._line(1, f"return ({''.join(f'{self._name(t)}, ' for t in body.outputs)})")
        return Rendered(
            name, "\n".join(self._lines) + "\n", self._names, self._nodes, self._names_by_id
        )

    def _write(
        self, nodes: Iterable[Operation], depth: int, last_uses: dict[int, list[SymbolicTensor]]
    ) -> None:
        for node in nodes:
            structure = node.definition.structure
            if structure is not None:
                _STRUCTURES[structure](self, node, depth)
            elif node.definition.is_constant:
                self._names_by_id[id(node.outputs[0])] = self._constant(node)
            elif not node.definition.is_argument:
                self._call(node, depth)
            elif id(node.outputs[0]) not in self._names_by_id:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"The placeholder {node.name!r} is no input of the function, so it has no "
                    f"value. Only the inputs of a function are placeholders in it.",
                )
            dead = [self._names_by_id[id(t)] for t in last_uses.get(id(node), ())]
            dead = [n for n in dict.fromkeys(dead) if n not in self._names]
            if dead:
                self._line(depth, f"del {', '.join(dead)}")

    def _constant(self, node: Operation) -> str:
        return self._refer(node.name, node.attrs["value"])

    def _call(self, node: Operation, depth: int) -> None:
        op = node.definition
        arguments = ["xp"]
        for operand in node.operands:
            if type(operand) is tuple:
                arguments.append(f"[{', '.join(map(self._name, operand))}]")
            else:
                arguments.append(self._name(operand))
        inputs = arguments[1:]
        for key, value in attributes(node).items():
            arguments.append(f"{key}={self._attribute(op, key, value)}")
        if op.effect == "random":
            draw = self._refer(f"draw_{node.name}", self._draw(node))
            arguments.append(f"counter={draw}({', '.join(inputs)})")
        call = f"{self._kernel_name(node)}({', '.join(arguments)})"
        where = f"  # {_location(node)}" if node.source is not None else ""
        if not node.outputs:
            self._line(depth, call + where, node)
            return
        names = self._define(node)
        if op.single_output:
            if not node.outputs[0].static_shape:
                call = f"as_array({call})"
            self._line(depth, f"{names[0]} = {call}{where}", node)
        else:
            if not all(t.static_shape for t in node.outputs):
                call = f"map(as_array, {call})"
            self._line(depth, f"{', '.join(names)}, = {call}{where}", node)

    def _attribute(self, op: Op, key: str, value: Any) -> str:
        if type(value) in _LITERALS and value == value and abs_finite(value):
            return repr(value)
        if type(value) in (tuple, list) and all(
            type(v) in _LITERALS and abs_finite(v) for v in value
        ):
            return repr(value)
        return self._refer(f"{op.name}_{key}", value)

    # -- control flow ------------------------------------------------------------------------

    def _bind(self, body: Body, values: list[str]) -> None:
        """Bind the inputs of a body to the names of the values passed to it."""
        for tensor, name in zip(body.inputs, values, strict=True):
            self._names_by_id[id(tensor)] = name

    def _block(self, node: Operation, body: Body, values: list[str], depth: int) -> None:
        """Write the operations of a branch, whose results get the names of the node's outputs."""
        start = len(self._lines)
        results = [self._name(t) for t in node.outputs]
        self._bind(body, values)
        nodes = body.nodes()
        self._write(nodes, depth, {})
        sources = [
            self._refer("absent", absent(result)) if t is None else self._name(t)
            for t, result in zip(body.outputs, node.outputs, strict=True)
        ]
        if results:
            self._line(depth, f"{', '.join(results)}, = {', '.join(sources)},")
        if len(self._lines) == start:
            self._line(depth, "pass")

    def if_(self, node: Operation, depth: int) -> None:
        """Write a branch that is taken if the first operand holds."""
        cond, *inputs = node.inputs
        values = [self._name(t) for t in inputs]
        self._define(node)
        self._line(depth, f"if {self._name(cond)}:  # {_location(node)}", node)
        self._block(node, node.attrs["then_branch"], values, depth + 1)
        self._line(depth, "else:")
        self._block(node, node.attrs["else_branch"], values, depth + 1)

    def case(self, node: Operation, depth: int) -> None:
        """Write the branch selected by the first operand; the last one if it is out of range."""
        index, *inputs = node.inputs
        values = [self._name(t) for t in inputs]
        self._define(node)
        branches = node.attrs["branches"]
        for i, branch in enumerate(branches[:-1]):
            word = "if" if i == 0 else "elif"
            self._line(depth, f"{word} {self._name(index)} == {i}:  # {_location(node)}", node)
            self._block(node, branch, values, depth + 1)
        if len(branches) > 1:
            self._line(depth, "else:")
        else:
            self._line(depth, "if True:")
        self._block(node, branches[-1], values, depth + 1)

    def while_(self, node: Operation, depth: int) -> None:
        """Write a loop: its operands are the initial loop variables."""
        body = node.attrs["body"]
        self._define(node)
        initial = [self._name(t) for t in node.inputs]
        varies = [out is not source for out, source in zip(body.outputs, body.inputs, strict=True)]
        for tensor, first, moves in zip(node.outputs, initial, varies, strict=True):
            if not moves:  # what the loop only reads needs no name of its own
                self._names_by_id[id(tensor)] = first
        current = [self._names_by_id[id(t)] for t in node.outputs]
        moving = [n for n, moves in zip(current, varies, strict=True) if moves]
        if moving:
            first_values = [v for v, moves in zip(initial, varies, strict=True) if moves]
            self._line(depth, f"{', '.join(moving)}, = {', '.join(first_values)},")
        watched, self._loop = self._loop, None
        if watched is None:
            self._line(depth, f"while True:  # {_location(node)}", node)
            self._iteration(node, current, moving, depth + 1)
        else:
            self._stretches(node, current, moving, depth, self._refer("loop", watched(node)))
        self._loop = watched

    def _iteration(
        self, node: Operation, current: list[str], moving: list[str], depth: int
    ) -> None:
        """Write an iteration, which leaves the loop if the condition does not hold."""
        cond, body = node.attrs["cond"], node.attrs["body"]
        self._bind(cond, current)
        self._write(cond.nodes(), depth, {})
        self._line(depth, f"if not {self._name(cond.outputs[0])}: break")
        self._bind(body, current)
        self._write(body.nodes(), depth, {})
        if moving:
            pairs = zip(body.outputs, body.inputs, strict=True)
            following = [self._name(out) for out, source in pairs if out is not source]
            self._line(depth, f"{', '.join(moving)}, = {', '.join(following)},")

    def _stretches(
        self, node: Operation, current: list[str], moving: list[str], depth: int, loop: str
    ) -> None:
        """Write a loop in stretches of iterations, between which others may run some of them."""
        run, moved, each = self._fresh("run"), self._fresh("moved"), self._fresh("each")
        self._line(depth, f"{run} = {loop}.enter()")
        self._line(depth, f"while True:  # {_location(node)}", node)
        self._line(depth + 1, f"{moved} = {run}.move({', '.join(current)})")
        if moving:
            targets = [n if n in moving else "_" for n in current]
            self._line(depth + 1, f"if {moved} is not None: {', '.join(targets)}, = {moved}")
        self._line(depth + 1, f"for {each} in {run}.stretch():")
        self._iteration(node, current, moving, depth + 2)
        self._line(depth + 1, "else: continue")
        self._line(depth + 1, "break")


_STRUCTURES: dict[str, Callable[[_Renderer, Operation, int], None]] = {
    CONDITIONAL: _Renderer.if_,
    SWITCH: _Renderer.case,
    LOOP: _Renderer.while_,
}


def abs_finite(value: Any) -> bool:
    """Whether `repr` of the value is Python for it: infinities and NaN have no literal."""
    return type(value) is not float or abs(value) < float("inf")


def _location(node: Operation) -> str:
    if node.source is None:
        return node.name
    where = node.source
    return f"{where.file.rpartition('/')[2]}:{where.line}"


def _last_uses(
    nodes: list[Operation],
    outputs: tuple[SymbolicTensor | None, ...],
    used_until: Mapping[int, Sequence[SymbolicTensor]],
) -> dict[int, list[SymbolicTensor]]:
    """Return which tensors are last used by which operation."""
    returned = {id(t) for t in outputs}
    last: dict[int, tuple[int, SymbolicTensor]] = {}
    for node in nodes:
        if node.definition.is_constant or node.definition.is_argument:
            continue
        for tensor in (*node.outputs, *node.inputs, *used_until.get(id(node), ())):
            last[id(tensor)] = (id(node), tensor)
    aliases = _loop_aliases(nodes)
    last_uses: dict[int, list[SymbolicTensor]] = {}
    for key, (node_id, tensor) in last.items():
        if key not in returned and key not in aliases:
            last_uses.setdefault(node_id, []).append(tensor)
    return last_uses


def _loop_aliases(nodes: list[Operation]) -> set[int]:
    """Return tensors that share a Python name with a loop invariant: they are not dropped early."""
    aliases: set[int] = set()
    for node in nodes:
        if node.definition.is_loop:
            body = node.attrs["body"]
            for before, out, inner, source in zip(
                node.inputs, node.outputs, body.inputs, body.outputs, strict=True
            ):
                if source is inner:
                    aliases.update((id(before), id(out)))
    return aliases
