"""`group_by_window`: collect elements by key and reduce each full group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.api.elements import Layout
from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import invalid
from tapeflow._src.core.registry import ManyFree, Variant
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data.arguments import INFINITE, UNKNOWN
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.functions import Call, Function, Traced, traced, traced_on_elements
from tapeflow._src.data.recipe import DatasetLike, Recipe, described
from tapeflow._src.data.sources import Elements
from tapeflow._src.data.stage import Cursor, Element, Stage, get_position, set_position

_A_KEY = TensorSpec([], dtypes.int64)


class GroupByWindow(Stage):
    """The elements of the datasets that `reduce` makes of a key and the group gathered for it."""

    def __init__(self, source: Stage, key: Call, reduce: Call, limit: Call) -> None:
        self._source = source
        self.key = key
        self.reduce = reduce
        self.limit = limit

    def cursor(self) -> Cursor:
        return _GroupCursor(self._source.cursor(), self)

    def cardinality(self) -> int:
        return INFINITE if self._source.cardinality() == INFINITE else UNKNOWN


class _GroupCursor(Cursor):
    def __init__(self, source: Cursor, stage: GroupByWindow) -> None:
        self._source = source
        self._stage = stage
        self._groups: dict[int, list[Element]] = {}
        self._sizes: dict[int, int] = {}
        # The group that is being read: its key and elements, its dataset, and a cursor of that.
        self._full: tuple[int, list[Element]] | None = None
        self._dataset: Stage | None = None
        self._cursor: Cursor | None = None

    def __next__(self) -> Element:
        while True:
            if self._cursor is not None:
                try:
                    return next(self._cursor)
                except StopIteration:
                    self._full = self._dataset = self._cursor = None
            self._open(*self._gather())

    def _gather(self) -> tuple[int, list[Element]]:
        """Return the next group: a full one or, at the end, any that is left."""
        for element in self._source:
            key = int(self._stage.key(element)[0])
            group = self._groups.setdefault(key, [])
            group.append(element)
            if key not in self._sizes:
                self._sizes[key] = self._size_for(key)
            if len(group) == self._sizes[key]:
                return key, self._groups.pop(key)
        if not self._groups:
            raise StopIteration
        key = min(self._groups)
        return key, self._groups.pop(key)

    def _size_for(self, key: int) -> int:
        size = int(self._stage.limit((np.array(key, np.int64),))[0])
        if size < 1:
            raise invalid(f"The window size for key {key} must be 1 or more. Received: {size}")
        return size

    def _open(self, key: int, group: list[Element]) -> None:
        self._full = key, group
        (self._dataset,) = self._stage.reduce((np.array(key, np.int64), Elements(group)))
        self._cursor = self._dataset.cursor()

    def get_state(self) -> Any:
        position = None
        if self._dataset is not None and self._cursor is not None:
            position = get_position(self._dataset, self._cursor)
        groups = {key: list(group) for key, group in self._groups.items()}
        return self._source.get_state(), groups, self._full, position

    def set_state(self, state: Any) -> None:
        position, groups, self._full, inner = state
        self._source.set_state(position)
        self._groups = {key: list(group) for key, group in groups.items()}
        self._sizes = {key: self._size_for(key) for key in self._groups}
        self._cursor = None
        if self._full is not None:
            self._open(*self._full)
            set_position(self._dataset, self._cursor, inner)  # type: ignore[arg-type]


@dataset_op("GroupByWindowDataset")
def group_by_window_dataset(
    xp,
    input_dataset: Variant,
    key_func_other_arguments: ManyFree,
    reduce_func_other_arguments: ManyFree,
    window_size_func_other_arguments: ManyFree,
    *,
    key_func,
    reduce_func,
    window_size_func,
    output_types,
    output_shapes,
    metadata="",
):
    """Return a dataset of what a function makes of groups of elements with the same key."""
    return GroupByWindow(
        input_dataset,
        Call(key_func, key_func_other_arguments),
        Call(reduce_func, reduce_func_other_arguments),
        Call(window_size_func, window_size_func_other_arguments),
    )


def group_by_window(
    dataset: DatasetLike,
    key_func: Function,
    reduce_func: Function,
    window_size_func: Callable[[Any], Any],
    group_spec: Any,
    name: str | None,
) -> Recipe:
    """Group elements by key and reduce each; `group_spec` is the spec of one group."""
    key = require_number(
        traced_on_elements(key_func, dataset._layout, "group_by_window", dtypes.int64), "key_func"
    )
    size = traced(window_size_func, [Layout(_A_KEY)], "group_by_window", dtypes.int64)
    require_number(size, "window_size_func")
    reduced = traced(reduce_func, [Layout(_A_KEY), Layout(group_spec)], "group_by_window")
    inner = getattr(reduced.layout.spec, "element_spec", None)
    if inner is None:
        raise TypeError(
            f"`reduce_func` must return a tf.data.Dataset. Received: {reduced.layout.spec}"
        )
    layout = Layout(inner)
    variant = group_by_window_dataset(
        dataset._variant_tensor,
        key.captured,
        reduced.captured,
        size.captured,
        key_func=key.body,
        reduce_func=reduced.body,
        window_size_func=size.body,
        **described(layout),
        name=name,
    )
    return Recipe("_GroupByWindowDataset", variant, layout.spec)


def require_number(function: Traced, what: str) -> Traced:
    """Raise unless a function returns a scalar int64."""
    spec = function.layout.spec
    if not isinstance(spec, TensorSpec) or not spec.is_compatible_with(_A_KEY):
        raise ValueError(f"`{what}` must return a scalar of dtype tf.int64. Received: {spec}")
    return function
