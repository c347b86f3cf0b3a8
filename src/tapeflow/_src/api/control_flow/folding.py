"""`tf.scan`, `tf.foldl` and `tf.foldr`: accumulate a function over elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.api.control_flow.deferring import deferring
from tapeflow._src.api.control_flow.looping import while_loop
from tapeflow._src.api.control_flow.rows import as_elements, count_of, rows_of
from tapeflow._src.composite.tensor_array import TensorArray
from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.types import Identifier, TensorLike
from tapeflow._src.ops.array.shape import scalar_int


class _Elements:
    """The elements of a fold, traversed forward or backward."""

    def __init__(self, fn: Any, elems: Any, reverse: bool) -> None:
        if not callable(fn):
            raise TypeError(f"fn must be callable, received {fn!r}.")
        self._structure = as_elements(elems)
        tensors = nest.flatten(self._structure)
        self.count, self.static = count_of(tensors)
        self.size = self.count if self.static is None else self.static
        self._rows = [rows_of(t, self.count, self.static) for t in tensors]
        self._reverse = reverse

    def element_index(self, step: Any) -> Any:
        """Return the index of the element that is read in a step."""
        return self.count - 1 - step if self._reverse else step

    def read(self, index: Any) -> Any:
        return nest.pack_sequence_as(self._structure, [row.read(index) for row in self._rows])

    def start(self, initializer: Any) -> tuple[Any, Any]:
        """Return the number of elements consumed at the start, and the initial accumulator."""
        if initializer is None:
            return scalar_int(1), self.read(self.element_index(scalar_int(0)))
        return scalar_int(0), nest.map_structure(dispatch.convert, initializer)


@deferring("elems", 1)
@scoped("scan")
def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Identifier | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Apply `fn(accumulator, element)` to each element in turn and stack the results.

    Args:
        fn: A function of the previous result and the next element.
        elems: A tensor, or a structure of tensors, whose first axis is traversed.
        initializer: The initial accumulator; by default the first element (or last, if `reverse`),
            which is then not passed to `fn`.
        parallel_iterations: Ignored.
        back_prop: Whether gradients are computed.
        swap_memory: Ignored.
        infer_shape: Whether results must have one static shape.
        reverse: Whether to start at the last element.
        name: Name of the op in a graph.

    Returns:
        The results of all steps, stacked.

    Example:

        >>> tf.scan(lambda total, x: total + x, tf.constant([1, 2, 3])).numpy().tolist()
        [1, 3, 6]
    """
    elements = _Elements(fn, elems, reverse)
    done, state = elements.start(initializer)

    def body(step: Any, state: Any, arrays: Any) -> Any:
        index = elements.element_index(step)
        result = fn(state, elements.read(index))
        nest.assert_same_structure(state, result)
        result = nest.map_structure(dispatch.convert, result)
        return step + 1, result, _written(arrays, index, result)

    arrays = _arrays_for(state, elements.size, infer_shape)
    if initializer is None:
        arrays = _written(arrays, elements.element_index(scalar_int(0)), state)
    _, state, arrays = while_loop(
        lambda step, *rest: step < elements.count,
        body,
        (done, state, arrays),
        parallel_iterations=parallel_iterations,
        back_prop=back_prop,
        swap_memory=swap_memory,
    )
    return nest.pack_sequence_as(state, [array.stack() for array in arrays])


def _arrays_for(state: Any, size: Any, infer_shape: bool) -> list[TensorArray]:
    """Create an array for the results of each leaf of the accumulator."""
    return [
        TensorArray(
            t.dtype,
            size,
            infer_shape=infer_shape,
            element_shape=t.shape if infer_shape else None,
        )
        for t in nest.flatten(state)
    ]


def _written(arrays: list[TensorArray], index: Any, value: TensorLike) -> list[TensorArray]:
    """Write the leaves of a result to the arrays."""
    return [a.write(index, v) for a, v in zip(arrays, nest.flatten(value), strict=True)]


def _fold(
    fn: Callable[[Any, Any], Any],
    elements: _Elements,
    initializer: Any,
    parallel_iterations: int,
    back_prop: bool,
) -> Any:
    done, first = elements.start(initializer)

    def body(step: Any, state: Any) -> Any:
        result = fn(state, elements.read(elements.element_index(step)))
        return step + 1, result

    _, state = while_loop(
        lambda step, state: step < elements.count,
        body,
        (done, first),
        parallel_iterations=parallel_iterations,
        back_prop=back_prop,
    )
    return state


@deferring("elems", 1)
@scoped("foldl")
def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Identifier | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Apply `fn(accumulator, element)` from the first element to the last.

    Args:
        fn: A function of the previous result and the next element.
        elems: A tensor, or a structure of tensors, whose first axis is traversed.
        initializer: The initial accumulator; by default the first element, which is then not passed
            to `fn`.
        parallel_iterations: Ignored.
        back_prop: Whether gradients are computed.
        swap_memory: Ignored.
        name: Name of the op in a graph.

    Returns:
        The last result.

    Example:

        >>> tf.foldl(lambda total, x: total * 10 + x, tf.constant([1, 2, 3])).numpy()
        np.int32(123)
    """
    elements = _Elements(fn, elems, reverse=False)
    return _fold(fn, elements, initializer, parallel_iterations, back_prop)


@deferring("elems", 1)
@scoped("foldr")
def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Identifier | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Apply `fn(accumulator, element)` from the last element to the first.

    Args:
        fn: A function of the previous result and the next element.
        elems: A tensor, or a structure of tensors, whose first axis is traversed.
        initializer: The initial accumulator; by default the last element, which is then not passed
            to `fn`.
        parallel_iterations: Ignored.
        back_prop: Whether gradients are computed.
        swap_memory: Ignored.
        name: Name of the op in a graph.

    Returns:
        The last result.

    Example:

        >>> tf.foldr(lambda total, x: total * 10 + x, tf.constant([1, 2, 3])).numpy()
        np.int32(321)
    """
    elements = _Elements(fn, elems, reverse=True)
    return _fold(fn, elements, initializer, parallel_iterations, back_prop)
