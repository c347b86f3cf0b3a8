"""Matrix products moved out of compiled loops whose number of iterations is static.

Three kinds of products need not run in each iteration:

* A product that is only added to a loop variable, such as the gradient of weights: its operands
  are stacked, and one product of the stacks, after the loop, is the sum of all of them.
* A product of an element of an invariant array or list with an invariant matrix, such as the
  projection of the inputs of a recurrent network: it is an element of one product before the loop.
* A product with an invariant matrix that is transposed: it is transposed once before the loop.

The large products are faster for each multiplication, and are divided among the cores.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from tapeflow._src.backends.jax_flags import require
from tapeflow._src.backends.jax_lists import DenseList
from tapeflow._src.backends.jax_products import transposed_once, transposed_product
from tapeflow._src.core import dtypes
from tapeflow._src.executors.xla_iterations import CourseOf
from tapeflow._src.executors.xla_trace import Trace, traced
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.ops.array.strided import strided_slice
from tapeflow._src.ops.linalg.matmul import mat_mul
from tapeflow._src.ops.lists.tensor_list import tensor_list_get_item
from tapeflow._src.ops.math.arithmetic import add_v2

_DTYPES = frozenset({dtypes.float32, dtypes.float64})
# The most bytes that the stacks of a loop, or the products before it, may take.
_MOST_BYTES = 64 << 20
# Longer loops are not simulated for this: an iteration takes about 50 µs.
_MOST_ITERATIONS = 4096
# `x[i]`: one index, nothing else.
_FIRST_ELEMENT = {
    "begin_mask": 0,
    "end_mask": 0,
    "ellipsis_mask": 0,
    "new_axis_mask": 0,
    "shrink_axis_mask": 1,
}
_ANY_SHAPE = np.array(-1, np.int32)


class Sum(NamedTuple):
    """A loop variable to which every iteration adds `rowsᵀ @ columns`."""

    variable: int
    rows: SymbolicTensor
    columns: SymbolicTensor


# -- sums of products --------------------------------------------------------------------------


class Stacks:
    """The stacked operands of the sums of a loop: one row for each iteration.

    Where an operand is an element of an invariant list, as in the loop of a gradient, and the
    iterations take one element after the other, the list is the stack.
    """

    def __init__(
        self, trace: Trace, node: Operation, values: Sequence[Any], course: CourseOf
    ) -> None:
        # Results that are checked are computed where they are written.
        self._sums = [] if trace.checked else _sums(node.attrs["cond"], node.attrs["body"])
        static = course(_MOST_ITERATIONS) if self._sums else None
        count = 0 if static is None else static.iterations
        operands = {id(t): t for each in self._sums for t in (each.rows, each.columns)}
        if count < 2 or count * sum(map(_bytes, operands.values())) > _MOST_BYTES:
            self._sums, operands = [], {}
        self._row, self._lists = _listed(node, operands.values(), values, course)
        self._tensors = [t for key, t in operands.items() if key not in self._lists]
        self._now: tuple[Any, ...] = ()
        self._first_row = () if self._row is not None or not operands else (jnp.int32(0),)
        if operands:
            stacks = [jnp.zeros((count, *_dims(t)), t.dtype.np) for t in self._tensors]
            self._now = (*self._first_row, *stacks)

    def body(self, body: Body) -> Body:
        """Return the body that leaves the sums alone, and has their operands as more outputs."""
        outputs = list(body.outputs)
        for each in self._sums:
            outputs[each.variable] = body.inputs[each.variable]
        row = () if self._row is None else (self._row,)
        return Body(body.graph, (*outputs, *row, *self._tensors), body.inputs, body.effects)

    def now(self) -> tuple[Any, ...]:
        """Return the stacks, and the number of the iteration unless the body computes rows."""
        return self._now

    def put(self, values: Sequence[Any]) -> None:
        self._now = tuple(values)

    def push(self, collected: Sequence[Any]) -> None:
        """Add the operands of one iteration: the outputs that `body` added."""
        if not self._sums:
            return
        if self._row is None:
            row, *stacks = self._now
            following: tuple[Any, ...] = (row + 1,)
        else:
            stacks, following = list(self._now), ()
            row, *collected = collected
        longer = [
            lax.dynamic_update_index_in_dim(stack, operand, row, 0)
            for stack, operand in zip(stacks, collected, strict=True)
        ]
        self._now = (*following, *longer)

    def totals(self, values: Sequence[Any]) -> dict[int, Any]:
        """Return the loop variables after the loop, from those before it."""
        stacks = dict(self._lists)
        stacks.update(zip(map(id, self._tensors), self._now[len(self._first_row) :]))

        def stacked(tensor: SymbolicTensor) -> Any:
            rows = stacks[id(tensor)]
            return rows.reshape(-1, rows.shape[-1])

        return {
            each.variable: values[each.variable]
            + transposed_product(stacked(each.rows), stacked(each.columns))
            for each in self._sums
        }


def _listed(
    node: Operation, operands: Iterable[SymbolicTensor], values: Sequence[Any], course: CourseOf
) -> tuple[SymbolicTensor | None, dict[int, Any]]:
    """Return the index of elements of lists, and the elements in all iterations by operand."""
    invariant = _invariants(node.attrs["body"], values)
    index: SymbolicTensor | None = None
    stacks: dict[int, Any] = {}
    for tensor in operands:
        reader = tensor.op
        rows = None if reader.definition is not tensor_list_get_item else _rows(reader, invariant)
        if rows is None or rows.item.shape != tensor.static_shape:
            continue
        if index is None and _counts(reader.inputs[1], course):
            index = reader.inputs[1]
        static = course()
        if reader.inputs[1] is index and static is not None and static.iterations <= rows.rows:
            # The loop no longer reads the list: this is the check that its elements exist.
            require(jnp.asarray(static.iterations <= rows.length), "an element is out of range")
            stacks[id(tensor)] = rows.items[: static.iterations]
    return index, stacks


def _counts(index: SymbolicTensor, course: CourseOf) -> bool:
    """Whether the values of an index are the numbers of the iterations, in any order."""
    values = course.values_of(index)
    return values is not None and sorted(map(int, values)) == list(range(len(values)))


def _sums(cond: Body, body: Body) -> list[Sum]:
    """Return the loop variables that are sums of products, and are not used otherwise."""
    nodes = body.nodes()
    uses = Counter(id(t) for node in nodes for t in node.inputs)
    uses.update(id(t) for t in body.outputs)
    condition = {id(t) for node in cond.nodes() for t in node.inputs}
    sums = []
    for index, (before, after) in enumerate(zip(body.inputs, body.outputs, strict=True)):
        if after is None or after is before or after.op.definition is not add_v2:
            continue
        product = _other(after.op.inputs, before)
        if product is None or id(cond.inputs[index]) in condition:
            continue
        if any(uses[id(t)] != 1 for t in (before, after, product)):
            continue
        operands = _stackable(product)
        if operands is not None and product.static_shape == before.static_shape:
            sums.append(Sum(index, *operands))
    return sums


def _other(pair: Sequence[SymbolicTensor], one: SymbolicTensor) -> SymbolicTensor | None:
    """Return the other one of two different tensors."""
    left, right = pair
    if (left is one) == (right is one):
        return None
    return right if left is one else left


def _stackable(product: SymbolicTensor) -> tuple[SymbolicTensor, SymbolicTensor] | None:
    """Return the operands of `aᵀ @ b`, if their shapes are static."""
    node = product.op
    if not _is_product(node) or not node.attrs["transpose_a"] or node.attrs["transpose_b"]:
        return None
    rows, columns = node.inputs
    return (rows, columns) if _is_static(rows) and _is_static(columns) else None


# -- products of invariants ----------------------------------------------------------------------


def hoist(trace: Trace, node: Operation, values: Sequence[Any], course: CourseOf) -> None:
    """Compute parts of products before the loop; the trace takes them from there."""
    if trace.checked:
        return
    body: Body = node.attrs["body"]
    invariant = _invariants(body, values)
    for each in body.nodes():
        if not _is_product(each):
            continue
        trace.hoisted.pop(id(each), None)
        matrix = invariant.get(id(each.inputs[1]))
        if matrix is None:
            continue
        element = each.inputs[0].op
        rows = None if each.attrs["transpose_a"] else _rows(element, invariant)
        factor = traced(matrix, each)
        factor = factor.T if each.attrs["transpose_b"] else factor
        if rows is not None and _pays(rows, factor, course):
            trace.hoisted[id(each)] = _element_of(trace, element, rows, factor)
        elif each.attrs["transpose_b"]:
            trace.hoisted[id(each)] = _with_factor(each, transposed_once(factor.T))


def _invariants(body: Body, values: Sequence[Any]) -> dict[int, Any]:
    """Return the values of loop invariants, by the input that stands for each."""
    triples = zip(body.inputs, body.outputs, values, strict=True)
    return {id(t): value for t, after, value in triples if t is after}


def _rows(node: Operation, invariant: Mapping[int, Any]) -> Any:
    """Return the array or list of which an operation takes one element, if it is invariant."""
    if node.definition is tensor_list_get_item:
        rows = invariant.get(id(node.inputs[0]))
        return rows if isinstance(rows, DenseList) and rows.rows else None
    if node.definition is not strided_slice or node.inputs[1].static_shape != (1,):
        return None
    if any(node.attrs[name] != mask for name, mask in _FIRST_ELEMENT.items()):
        return None
    return invariant.get(id(node.inputs[0]))


def _pays(rows: Any, factor: Any, course: CourseOf) -> bool:
    """Whether a loop takes as many elements as there are."""
    items = rows.items if isinstance(rows, DenseList) else rows
    size = math.prod(items.shape[:-1]) * factor.shape[1] * factor.dtype.itemsize
    if items.ndim != 3 or items.size == 0 or not 0 < size <= _MOST_BYTES:
        return False
    static = course(_MOST_ITERATIONS)
    return static is not None and static.iterations >= len(items)


def _element_of(trace: Trace, node: Operation, rows: Any, factor: Any) -> Callable[..., Any]:
    """Return what takes the element that `node` takes of `rows` from their product."""
    if isinstance(rows, DenseList):
        items = _product(rows.items, factor)
        products: Any = DenseList(rows.value_dtype, None, rows.length, items, rows.max_length)
    else:
        products = _product(traced(rows, node), factor)

    def element(of: Mapping[int, Any]) -> Sequence[Any]:
        operands = [products, *(of[id(t)] for t in node.inputs[1:])]
        if isinstance(products, DenseList):
            operands[2] = _ANY_SHAPE
        return trace.results(node, operands, of)

    return element


def _product(rows: Any, factor: Any) -> Any:
    """Compute the product of each of the rows, as one product of matrices."""
    flat = rows.reshape(-1, rows.shape[-1]) @ factor
    return flat.reshape(*rows.shape[:-1], -1)


def _with_factor(node: Operation, factor: Any) -> Callable[..., Any]:
    first, transposed = node.inputs[0], node.attrs["transpose_a"]

    def product(of: Mapping[int, Any]) -> Sequence[Any]:
        rows = traced(of[id(first)], node)
        return ((rows.T if transposed else rows) @ factor,)

    return product


# -- facts -------------------------------------------------------------------------------------


def _is_product(node: Operation) -> bool:
    return node.definition is mat_mul and node.outputs[0].dtype in _DTYPES


def _is_static(tensor: SymbolicTensor) -> bool:
    """Whether the shape is static, and there are elements."""
    return tensor.static_shape is not None and all(tensor.static_shape)


def _dims(tensor: SymbolicTensor) -> tuple[int, ...]:
    """Return the shape of a tensor for which `_is_static` holds."""
    return tuple(tensor.static_shape or ())  # type: ignore[arg-type]


def _bytes(tensor: SymbolicTensor) -> int:
    return math.prod(_dims(tensor)) * tensor.dtype.size
