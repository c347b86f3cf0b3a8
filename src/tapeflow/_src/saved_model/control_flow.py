"""Branches and loops as TensorFlow writes them, so that it can differentiate them, too.

It changes the functions of each branch and loop in place when it does, so none may be shared. And
it counts turns in two values that every loop carries: its gradient of a `While` takes the first
input for the count and the second for its limit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.graph.attr_values import write
from tapeflow._src.graph.names import Names

_LOOPS = ("While", "StatelessWhile")
_HOLDERS = (*_LOOPS, "If", "StatelessIf", "Case", "StatelessCase")
_INT = dtypes.int32.as_datatype_enum
_COUNT, _LIMIT = "while_loop_counter", "while_maximum_iterations"
_ADDED = 2
_SHAPES = ("output_shapes", "_output_shapes")


def unshare(library: Any) -> None:
    """Give each branch and loop of a FunctionDefLibrary functions of its own."""
    functions = library.function
    by_name = {function.signature.name: function for function in functions}
    used: set[str] = set()
    at = 0
    # Copies are added at the end, where their own branches and loops have their turn.
    while at < len(functions):
        for node in functions[at].node_def:
            for reference in _functions_of(node):
                if reference.name in used:
                    copy = functions.add()
                    copy.CopyFrom(by_name[reference.name])
                    copy.signature.name = f"{reference.name}_{len(functions)}"
                    by_name[copy.signature.name] = copy
                    reference.name = copy.signature.name
                used.add(reference.name)
        at += 1


def _functions_of(node: Any) -> list[Any]:
    if node.op not in _HOLDERS:
        return []
    values = node.attr.values()
    single = [value.func for value in values if value.WhichOneof("value") == "func"]
    return [*single, *(f for value in values for f in value.list.func)]


def add_counters(library: Any) -> None:
    """Add a count and its limit to all loops of a FunctionDefLibrary, which share no functions."""
    by_name = {function.signature.name: function for function in library.function}
    for function in library.function:
        loops = [node for node in function.node_def if node.op in _LOOPS]
        names = _taken(function)
        for node in loops:
            for attr, carries in (("cond", False), ("body", True)):
                _count_in(by_name[node.attr[attr].func.name], carries)
            _count_from(function, node, names)
        _shift(function, {node.name for node in loops})


def _taken(function: Any) -> Names:
    names = Names()
    for taken in (*function.signature.input_arg, *function.node_def):
        names.unique(taken.name)
    return names


def _count_from(function: Any, loop: Any, names: Names) -> None:
    """Let a loop start with a count of 0, and with -1 for no limit."""
    starts = []
    for name, value in ((_COUNT, 0), (_LIMIT, -1)):
        start = function.node_def.add(name=names.unique(f"{loop.name}/{name}"), op="Const")
        write(start.attr["value"], np.array(value, np.int32), "tensor")
        write(start.attr["dtype"], dtypes.int32, "type")
        starts.append(f"{start.name}:output:0")
    inputs = list(loop.input)
    del loop.input[:]
    loop.input.extend([*starts, *inputs])
    types = list(loop.attr["T"].list.type)
    del loop.attr["T"].list.type[:]
    loop.attr["T"].list.type.extend([_INT, _INT, *types])
    for attr in _SHAPES:
        if attr in loop.attr:
            shapes = loop.attr[attr].list.shape
            others = [_copied(shape) for shape in shapes]
            del shapes[:]
            write(loop.attr[attr], [()] * _ADDED, "list(shape)")
            shapes.extend(others)
    read_only = loop.attr["_read_only_resource_inputs"].list.i
    places = [index + _ADDED for index in read_only]
    del read_only[:]
    read_only.extend(places)


def _count_in(function: Any, carries: bool) -> None:
    """Give the count and its limit to a function of a loop; the body gives them back."""
    names = _taken(function)
    added = [names.unique(_COUNT), names.unique(_LIMIT)]
    _prepend(function.signature.input_arg, added)
    notes = {index: _copied(attrs) for index, attrs in function.arg_attr.items()}
    function.arg_attr.clear()
    for index, attrs in notes.items():
        function.arg_attr[index + _ADDED].CopyFrom(attrs)
    for index in range(_ADDED):
        write(function.arg_attr[index].attr["_output_shapes"], [()], "list(shape)")
    if carries:
        one = function.node_def.add(name=names.unique("one_turn"), op="Const")
        write(one.attr["value"], np.array(1, np.int32), "tensor")
        write(one.attr["dtype"], dtypes.int32, "type")
        more = function.node_def.add(name=names.unique("next_turn"), op="AddV2")
        more.input.extend([added[0], f"{one.name}:output:0"])
        write(more.attr["T"], dtypes.int32, "type")
        results = [f"{name}_next" for name in added]
        _prepend(function.signature.output_arg, results)
        function.ret[results[0]] = f"{more.name}:z:0"
        function.ret[results[1]] = added[1]


def _prepend(arguments: Any, names: Iterable[str]) -> None:
    """Put integer arguments before the others."""
    others = [_copied(argument) for argument in arguments]
    del arguments[:]
    for name in names:
        arguments.add(name=name, type=_INT)
    arguments.extend(others)


def _copied(message: Any) -> Any:
    """Return a message that stays when the one that it is part of changes."""
    copy = type(message)()
    copy.CopyFrom(message)
    return copy


def _shift(function: Any, loops: set[str]) -> None:
    """Return the results of loops have moved: name their new places."""

    def moved(name: str) -> str:
        node, *rest = name.split(":")
        if node not in loops or len(rest) != 2:
            return name
        return f"{node}:{rest[0]}:{int(rest[1]) + _ADDED}"

    for node in function.node_def:
        inputs = [moved(name) for name in node.input]
        if inputs != list(node.input):
            del node.input[:]
            node.input.extend(inputs)
    for name, source in list(function.ret.items()):
        function.ret[name] = moved(source)
