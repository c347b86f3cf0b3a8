"""Packed strings in interpreted graphs: which values are packed, and which kernels take them.

A value of many strings is an array of objects or packed ones. Kernels that take packed strings
receive them as they are, others as arrays; an array that a kernel packs is packed where it enters
the graph or where it is computed, once for all its readers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import resource, string, variant
from tapeflow._src.core.registry import Op
from tapeflow._src.core.traits import FORWARDS, PACKS
from tapeflow._src.eager.mode import check
from tapeflow._src.eager.packed_tensor import run_packed
from tapeflow._src.graph.body import Body, bodies_of
from tapeflow._src.graph.operation import Operation
from tapeflow._src.kernels.strings.packed import MANY, PackedStrings, pack

Kernel = Callable[..., Any]
_OBJECT = np.dtype(object)
_ndarray = np.ndarray
_HANDLES = (resource, variant)


def tensors_to_pack(body: Body) -> set[int]:
    """Return the tensors of strings, by identity, that ops read for which packing them pays.

    What enters a loop is packed before it, not in every iteration.
    """
    packed: set[int] = set()
    _add_tensors_to_pack(body, packed)
    return packed


def _add_tensors_to_pack(body: Body, packed: set[int]) -> None:
    for node in reversed(body.nodes()):
        for inner in bodies_of(node):
            _add_tensors_to_pack(inner, packed)
        op = node.definition
        if op.is_loop:
            for inner in (node.attrs["cond"], node.attrs["body"]):
                pairs = zip(node.inputs, inner.inputs, strict=True)
                packed.update(id(tensor) for tensor, inside in pairs if id(inside) in packed)
        elif FORWARDS in op.traits:
            pairs = zip(node.inputs, node.outputs)
            packed.update(id(tensor) for tensor, result in pairs if id(result) in packed)
        elif PACKS in op.traits:
            packed.update(id(tensor) for tensor in node.inputs if tensor.dtype is string)


def takes_or_returns_strings(body: Body) -> bool:
    """Whether strings enter or leave a body."""
    tensors = (*body.inputs, *body.outputs)
    return any(tensor is not None and tensor.dtype is string for tensor in tensors)


def string_kernel(node: Operation, kernel: Kernel, checked: bool) -> Kernel:
    """Return a kernel of an operation that takes packed strings where its operands may be so.

    checked: whether the op's shape rule precedes the kernel.
    """
    op = node.definition
    if op.takes_packed and _begins_with_strings(node):
        return _taking_packed(op, kernel, checked)
    return _unpacking(kernel) if any(map(_may_be_packed, node.inputs)) else kernel


def _begins_with_strings(node: Operation) -> bool:
    """Whether the first operand that is no handle may be many strings, or becomes strings."""
    for tensor in node.inputs:
        if tensor.dtype not in _HANDLES:
            several = len(node.inputs) > 1 and tensor.dtype is string
            return node.definition.creates_strings or several or _may_be_packed(tensor)
    return False


def _may_be_packed(tensor: Any) -> bool:
    if tensor.dtype is not string:
        return False
    shape = tensor.static_shape
    return shape is None or None in shape or prod(shape) >= MANY


@cache
def _taking_packed(op: Op, kernel: Kernel, checked: bool) -> Kernel:
    packs = PACKS in op.traits

    def run(xp: Any, *values: Any, **attrs: Any) -> Any:
        packed = op.creates_strings and values[0].size >= MANY
        operands: list[Any] = []
        for value in values:
            if type(value) is list:
                value = [_operand(item, packs) for item in value]
                packed = packed or any(type(item) is PackedStrings for item in value)
            else:
                value = _operand(value, packs)
                packed = packed or type(value) is PackedStrings
            operands.append(value)
        if not packed:
            return kernel(xp, *values, **attrs)
        if checked:
            check(op, operands, {key: attrs[key] for key in op.attr_names})
        result = run_packed(op, operands, attrs)
        if result is NotImplemented:
            return kernel(xp, *map(as_objects, values), **attrs)
        return [_settled(each) for each in result] if type(result) in _SEVERAL else _settled(result)

    return run


_SEVERAL = (list, tuple)


def _operand(value: Any, packs: bool) -> Any:
    return packed_if_many(value) if packs else value


def _settled(result: Any) -> Any:
    """Return a result of strings as an array if they are few."""
    if type(result) is PackedStrings and result.size < MANY:
        return result.objects()
    return result


@cache
def _unpacking(kernel: Kernel) -> Kernel:
    def run(xp: Any, *values: Any, **attrs: Any) -> Any:
        return kernel(xp, *map(as_objects, values), **attrs)

    return run


def packing_results(op: Op, kernel: Kernel) -> Kernel:
    """Return a kernel whose results are packed if they are many strings."""
    if op.single_output:
        return lambda xp, *values, **attrs: packed_if_many(kernel(xp, *values, **attrs))

    def run(xp: Any, *values: Any, **attrs: Any) -> Any:
        return [packed_if_many(result) for result in kernel(xp, *values, **attrs)]

    return run


def packed_if_many(value: Any) -> Any:
    """Return an array of many strings in packed form, and any other value as it is."""
    if type(value) is _ndarray and value.dtype is _OBJECT and value.size >= MANY:
        return pack(value)
    return value


def as_objects(value: Any) -> Any:
    """Return packed strings as an array of objects, also in a list; other values as they are."""
    if type(value) is PackedStrings:
        return value.as_array()
    if type(value) is list:
        return [item.as_array() if type(item) is PackedStrings else item for item in value]
    return value
