"""AutoGraph: `for` loops over datasets and iterators.

A loop over a dataset is a scan: its variables are the state, and the last state is the result. A
loop with `break`, or over an iterator, reads one element at a time.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.elements import Layout, spec_of
from tapeflow._src.api.optionals import Optional, optional_none
from tapeflow._src.autograph.operators.loop import Loop
from tapeflow._src.autograph.operators.staging import placeholder
from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.shape import TensorShape, as_dims
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.graph.control_flow import cond, while_loop
from tapeflow._src.ops.math.logical import logical_and


def _unknown(layout: Layout) -> Any:
    """Return a symbolic element of a layout, to trace one iteration with."""
    return layout.pack([placeholder(s.dtype, as_dims(s.shape)) for s in layout.tensors])


def over_dataset(dataset: Any, loop: Loop) -> None:
    """Trace a loop over the elements of a dataset."""
    layout = dataset._layout
    initial = loop.prepare(item=lambda: (_unknown(layout),))
    if loop.may_break or loop.maximum_iterations is not None:
        _take_one_by_one(iter(dataset), layout, initial, loop)
        return
    variables = _Variables(initial, loop.shape_invariants())

    def step(before: Any, element: Any) -> Any:
        after = loop.step(variables.packed(before), element, any_shape=True)
        flat = variables.flattened(after)
        return flat, flat

    states = dataset._scan(variables.first, step, variables.spec)
    final = states.reduce(variables.first, lambda old, new: new)
    loop.finish(variables.packed(final))


class _Variables:
    """The variables of a loop as a flat tuple of tensors, the state of a scan."""

    def __init__(self, initial: list[Any], invariants: list[Any] | None) -> None:
        self._like = initial
        # There is a state even if there are no variables.
        self.first = tuple(nest.flatten(initial, expand_composites=True)) or (_NOTHING,)
        self.spec = spec_of(self.first)
        if invariants is not None and len(initial) == len(self.first):
            self.spec = tuple([_relaxed(s, declared) for s, declared in zip(self.spec, invariants)])

    def packed(self, tensors: Any) -> list[Any]:
        """Pack flat tensors into the loop variables."""
        flat = list(tensors) if self._like else []
        packed: list[Any] = nest.pack_sequence_as(self._like, flat, expand_composites=True)
        return packed

    def flattened(self, variables: list[Any]) -> tuple[Any, ...]:
        """Flatten the loop variables after an iteration."""
        # An array has learned in the loop what shape its elements have.
        self._like = variables
        return tuple(nest.flatten(variables, expand_composites=True)) or (_NOTHING,)


_NOTHING = dispatch.base_mode().convert(0, None, None, None)


def _relaxed(leaf: Any, shape: Any) -> Any:
    return TensorSpec(shape, leaf.dtype) if isinstance(shape, TensorShape) else leaf


def over_iterator(iterator: Any, layout: Layout, loop: Loop) -> None:
    """Trace a loop over the remaining elements of an iterator."""
    initial = loop.prepare(item=lambda: (_unknown(layout),))
    _take_one_by_one(iterator, layout, initial, loop)


def _take_one_by_one(iterator: Any, layout: Layout, initial: list[Any], loop: Loop) -> None:
    spec = layout.spec

    def going(variant: Any, *leaves: Any) -> Any:
        there = Optional._of(variant, spec).has_value()
        on = loop.going(leaves)
        return there if on is None else logical_and(there, on)

    def step(variant: Any, *leaves: Any) -> list[Any]:
        after = loop.step(leaves, Optional._of(variant, spec).get_value())
        on = loop.going(after)
        # After `break` nothing more is taken from the iterator.
        if on is None:
            return [_following(iterator), *after]
        return [cond(on, lambda: _following(iterator), optional_none), *after]

    final = while_loop(
        going,
        step,
        [_following(iterator), *initial],
        shape_invariants=loop.shape_invariants(TensorShape([])),
        maximum_iterations=loop.maximum_iterations,
    )
    loop.finish(final[1:])


def _following(iterator: Any) -> Any:
    return iterator.get_next_as_optional()._variant_tensor


def next_or(iterator: Any, default: Any) -> Any:
    """Return the next element of an iterator, or `default` at the end."""
    element = iterator.get_next_as_optional()
    nest.assert_same_structure(iterator.element_spec, default)
    return cond(element.has_value(), element.get_value, lambda: default)
