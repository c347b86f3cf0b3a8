"""`group_by_reducer`: one result for all elements with the same key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tapeflow._src.api.elements import Layout
from tapeflow._src.core import dtypes
from tapeflow._src.core.registry import ManyFree, Variant
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.functions import Call, Traced, traced, traced_on_elements
from tapeflow._src.data.grouping import require_number
from tapeflow._src.data.recipe import DatasetLike, Recipe, described
from tapeflow._src.data.scan import stable_state
from tapeflow._src.data.stage import Cursor, Element, Stage

Function = Callable[..., Any]
_A_KEY = TensorSpec([], dtypes.int64)


class Reducer(NamedTuple):
    """Functions that reduce the elements of a key to one result.

    Args:
        init_func: Maps a key to the first state.
        reduce_func: Maps a state and an element to the next state.
        finalize_func: Maps the last state to the result.

    Example:
        >>> total = tf.data.experimental.Reducer(
        ...     init_func=lambda key: np.int64(0),
        ...     reduce_func=lambda state, x: state + x,
        ...     finalize_func=lambda state: state,
        ... )
        >>> by_parity = tf.data.experimental.group_by_reducer(lambda x: x % 2, total)
        >>> [int(x) for x in tf.data.Dataset.range(6).apply(by_parity)]
        [6, 9]
    """

    init_func: Function
    reduce_func: Function
    finalize_func: Function


class _Calls(NamedTuple):
    key: Call
    init: Call
    reduce: Call
    finalize: Call


class GroupByReducer(Stage):
    """The results of all keys, in the order of the keys."""

    def __init__(self, source: Stage, calls: _Calls) -> None:
        self._source = source
        self._calls = calls

    def cursor(self) -> Cursor:
        return _ReducerCursor(self._source, self._calls)


class _ReducerCursor(Cursor):
    def __init__(self, source: Stage, calls: _Calls) -> None:
        self._source = source.cursor()
        self._calls = calls
        self._states: list[Element] | None = None
        self._position = 0

    def __next__(self) -> Element:
        if self._states is None:
            self._states = self._reduced()
        if self._position >= len(self._states):
            raise StopIteration
        self._position += 1
        return self._calls.finalize(self._states[self._position - 1])

    def _reduced(self) -> list[Element]:
        """Read the source to its end; return the last state of each key."""
        states: dict[int, Element] = {}
        for element in self._source:
            key = int(self._calls.key(element)[0])
            if key not in states:
                states[key] = self._calls.init((np.array(key, np.int64),))
            states[key] = self._calls.reduce((*states[key], *element))
        return [states[key] for key in sorted(states)]

    def get_state(self) -> Any:
        return self._source.get_state(), self._states, self._position

    def set_state(self, state: Any) -> None:
        position, self._states, self._position = state
        self._source.set_state(position)


@dataset_op("GroupByReducerDataset")
def group_by_reducer_dataset(
    xp,
    input_dataset: Variant,
    key_func_other_arguments: ManyFree,
    init_func_other_arguments: ManyFree,
    reduce_func_other_arguments: ManyFree,
    finalize_func_other_arguments: ManyFree,
    *,
    key_func,
    init_func,
    reduce_func,
    finalize_func,
    output_types,
    output_shapes,
):
    """Return a dataset of the results of a reduction for each key."""
    calls = _Calls(
        Call(key_func, key_func_other_arguments),
        Call(init_func, init_func_other_arguments),
        Call(reduce_func, reduce_func_other_arguments),
        Call(finalize_func, finalize_func_other_arguments),
    )
    return GroupByReducer(input_dataset, calls)


def group_by_reducer(dataset: DatasetLike, key_func: Function, reducer: Any) -> Recipe:
    """Reduce the elements of each key to one result."""
    of = "group_by_reducer"
    key = require_number(traced_on_elements(key_func, dataset._layout, of), "key_func")
    init = traced(reducer.init_func, [Layout(_A_KEY)], of)

    def trace(state: Layout) -> Traced:
        return traced(reducer.reduce_func, [state, dataset._layout], of)

    reduce, state = stable_state(trace, init.layout, lambda spec: spec, "reduce")
    finalize = traced_on_elements(reducer.finalize_func, state, of)
    variant = group_by_reducer_dataset(
        dataset._variant_tensor,
        key.captured,
        init.captured,
        reduce.captured,
        finalize.captured,
        key_func=key.body,
        init_func=init.body,
        reduce_func=reduce.body,
        finalize_func=finalize.body,
        **described(finalize.layout),
    )
    return Recipe("_GroupByReducerDataset", variant, finalize.layout.spec)
