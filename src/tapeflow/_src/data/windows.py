"""`window`: datasets of the elements that stand next to each other."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import Any

from tapeflow._src.api.elements import Layout
from tapeflow._src.core import nest
from tapeflow._src.core.errors import invalid
from tapeflow._src.core.registry import Bool, Index, Variant
from tapeflow._src.data.arguments import boolean, int64
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.recipe import DatasetLike, Recipe, described
from tapeflow._src.data.sources import Elements
from tapeflow._src.data.stage import Cursor, Element, Stage


class Window(Stage):
    """Windows of `size` elements that stand `stride` apart; each begins `shift` after the last.

    Each component of a window is a dataset of its own.
    """

    def __init__(self, source: Stage, size: int, shift: int, stride: int, drop: bool) -> None:
        for value, what in ((size, "size"), (shift, "shift"), (stride, "stride")):
            if value < 1:
                raise invalid(f"Window {what} must be greater than zero.")
        self._source = source
        self.length = size
        self.shift = shift
        self.stride = stride
        self.drop = drop

    def cursor(self) -> Cursor:
        return _WindowCursor(self._source.cursor(), self)

    def cardinality(self) -> int:
        count = self._source.cardinality()
        if count < 0:
            return count
        if not self.drop:
            return -(-count // self.shift)
        span = (self.length - 1) * self.stride + 1
        return 0 if count < span else (count - span) // self.shift + 1


class _WindowCursor(Cursor):
    def __init__(self, source: Cursor, window: Window) -> None:
        self._source = source
        self._window = window
        self._buffer: deque[Element] = deque()
        self._ahead = 0  # elements to be passed over before the next window begins

    def __next__(self) -> Element:
        window = self._window
        self._source.skip(self._ahead)
        span = (window.length - 1) * window.stride + 1
        self._buffer.extend(islice(self._source, span - len(self._buffer)))
        elements = list(self._buffer)[:: window.stride]
        if not elements or (window.drop and len(elements) < window.length):
            raise StopIteration
        self._ahead = max(0, window.shift - len(self._buffer))
        for _ in range(min(window.shift, len(self._buffer))):
            self._buffer.popleft()
        return tuple([Elements([(array,) for array in arrays]) for arrays in zip(*elements)])

    def get_state(self) -> Any:
        return self._source.get_state(), list(self._buffer), self._ahead

    def set_state(self, state: Any) -> None:
        position, buffer, self._ahead = state
        self._source.set_state(position)
        self._buffer = deque(buffer)


@dataset_op("WindowDataset")
def window_dataset(
    xp,
    input_dataset: Variant,
    size: Index,
    shift: Index,
    stride: Index,
    drop_remainder: Bool,
    *,
    output_types,
    output_shapes,
    metadata="",
):
    """Return a dataset of windows."""
    return Window(input_dataset, int(size), int(shift), int(stride), bool(drop_remainder))


def window(
    dataset: DatasetLike,
    size: Any,
    shift: Any,
    stride: Any,
    drop_remainder: Any,
    spec: Any,
    name: str | None,
) -> Recipe:
    """Windows of elements; `spec` is that of one window."""
    if len(dataset._layout.tensors) != len(nest.flatten(spec)):
        raise NotImplementedError(
            f"Dataset.window: each part of an element must be one tensor, ragged or not, to become "
            f"a dataset. Received elements of {dataset._layout.spec}. Use batch() instead."
        )
    variant = window_dataset(
        dataset._variant_tensor,
        int64(size),
        int64(size if shift is None else shift),
        int64(stride),
        boolean(drop_remainder),
        **described(Layout(spec)),
        name=name,
    )
    return Recipe("_WindowDataset", variant, spec)
