"""`scan` and `reduce`: a stateful function of each element.

The shapes of the state are relaxed until the function returns a state like the one it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.api.elements import Layout, as_element, common_spec, described_specs
from tapeflow._src.core import nest
from tapeflow._src.core.registry import MANY_OUTPUTS, ManyFree, Variant, op
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.functions import Call, Function, Traced, traced
from tapeflow._src.data.recipe import DatasetLike, Recipe, described
from tapeflow._src.data.stage import HOST, Cursor, Element, Stage


class Scan(Stage):
    """The outputs of a function of a state and each element, and the state that it passes on."""

    def __init__(self, source: Stage, call: Call, state: Element) -> None:
        self._source = source
        self._call = call
        self._state = state

    def cursor(self) -> Cursor:
        return _ScanCursor(self._source.cursor(), self._call, self._state)

    def cardinality(self) -> int:
        return self._source.cardinality()


class _ScanCursor(Cursor):
    __slots__ = ("_call", "_count", "_source", "_state")

    def __init__(self, source: Cursor, call: Call, state: Element) -> None:
        self._source = source
        self._call = call
        self._state = state
        self._count = 0  # elements that were mapped

    def __next__(self) -> Element:
        count = len(self._state)
        element = next(self._source)
        self._count += 1
        try:
            results = self._call((*self._state, *element))
        except Exception as error:
            self._call.locate(error, self._count - 1)
            raise
        self._state = results[:count]
        return results[count:]

    def get_state(self) -> Any:
        return self._source.get_state(), self._state, self._count

    def set_state(self, state: Any) -> None:
        position, self._state, self._count = state
        self._source.set_state(position)


@dataset_op("ScanDataset")
def scan_dataset(
    xp,
    input_dataset: Variant,
    initial_state: ManyFree,
    other_arguments: ManyFree,
    *,
    f,
    output_types,
    output_shapes,
    preserve_cardinality=False,
    use_default_device=True,
    metadata="",
):
    """Return a dataset of what a function makes of a state and each element."""
    return Scan(input_dataset, Call(f, other_arguments), tuple(initial_state))


@op("ReduceDataset", outputs=MANY_OUTPUTS, grad=None, host=HOST, effect="io")
def reduce_dataset(
    xp,
    input_dataset: Variant,
    initial_state: ManyFree,
    other_arguments: ManyFree,
    *,
    f,
    output_types,
    output_shapes,
    use_inter_op_parallelism=True,
    metadata="",
):
    """Return the state after a function of it and each element in turn."""
    call = Call(f, other_arguments)
    state: Element = tuple(initial_state)
    for element in input_dataset.cursor():
        state = call((*state, *element))
    return state


@reduce_dataset.infer
def _(input_dataset, initial_state, other_arguments, *, output_types, output_shapes, **attrs):
    return described_specs(output_types, output_shapes)


# -- tracing ----------------------------------------------------------------------------------


def stable_state(
    trace: Callable[[Layout], Traced], state: Layout, state_of: Callable[[Any], Any], of: str
) -> tuple[Traced, Layout]:
    """Trace with relaxed state shapes until the returned state matches the one taken."""
    while True:
        function = trace(state)
        returned = state_of(function.layout.spec)
        _require_same(state.spec, returned, of)
        spec = common_spec(state.spec, returned)
        if spec == state.spec:
            return function, state
        state = Layout(spec)


def _require_same(expected: Any, received: Any, of: str) -> None:
    try:
        nest.assert_same_structure(expected, received)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"Invalid `{of}_func`. The structure of the new state must match that of the initial "
            f"state. Expected {expected}, got {received}."
        ) from error
    for a, b in zip(nest.flatten(expected), nest.flatten(received), strict=True):
        if isinstance(a, TensorSpec) and isinstance(b, TensorSpec) and a.dtype is not b.dtype:
            raise TypeError(
                f"`{of}_func` changes the dtype of the state from {a.dtype.name} to "
                f"{b.dtype.name}. Cast the new state with tf.cast."
            )
        if a.most_specific_common_supertype([b]) is None:
            raise TypeError(
                f"Invalid `{of}_func`. The new state must be like the initial state. Expected {a}, "
                f"got {b}."
            )


def _initial(state: Any, spec: Any) -> tuple[Layout, list[Any]]:
    """Return the layout of a state and its tensors."""
    element = as_element(state)
    layout = Layout.of(element)
    return Layout(layout.spec if spec is None else spec), layout.flatten(element)


def scan(
    dataset: DatasetLike,
    initial_state: Any,
    scan_func: Function,
    name: str | None,
    state_spec: Any = None,
) -> Recipe:
    """Map elements by a stateful function.

    Args:
        state_spec: The spec of all states, if less is known than of the first.
    """
    first, tensors = _initial(initial_state, state_spec)

    def trace(state: Layout) -> Traced:
        return traced(scan_func, [state, dataset._layout], "scan")

    function, _ = stable_state(trace, first, _scanned_state, "scan")
    layout = Layout(function.layout.spec[1])
    variant = scan_dataset(
        dataset._variant_tensor,
        tensors,
        function.captured,
        f=function.body,
        preserve_cardinality=True,
        **described(layout),
        name=name,
    )
    return Recipe("_ScanDataset", variant, layout.spec)


def _scanned_state(spec: Any) -> Any:
    if not isinstance(spec, Sequence) or len(spec) != 2:
        raise TypeError(
            f"`scan_func` must return two things, (new_state, output). Received: {spec}"
        )
    return spec[0]


def reduce(
    dataset: DatasetLike, initial_state: Any, reduce_func: Function, name: str | None
) -> Any:
    """Reduce the dataset by a function of the state and each element."""
    first, tensors = _initial(initial_state, None)

    def trace(state: Layout) -> Traced:
        return traced(reduce_func, [state, dataset._layout], "reduce")

    function, layout = stable_state(trace, first, lambda spec: spec, "reduce")
    results = reduce_dataset(
        dataset._variant_tensor,
        tensors,
        function.captured,
        f=function.body,
        **described(layout),
        name=name,
    )
    return layout.pack(results)
