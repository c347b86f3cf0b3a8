"""`tf.explain.memory`: what is alive, by size: tensors, variables and executables."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from tapeflow._src.core.lazy import loaded
from tapeflow._src.core.source import Location, is_library_file
from tapeflow._src.core.units import size_text
from tapeflow._src.eager.packed_tensor import EAGER_TYPES, PackedTensor
from tapeflow._src.eager.variable import Variable
from tapeflow._src.kernels.strings.packed import PackedStrings

_XLA = "tapeflow._src.executors.xla"


@dataclass(frozen=True)
class MemoryEntry:
    """Something that is alive.

    Attributes:
        kind: "tensor", "variable" or "executable".
        name: The name of a variable or function; "" for tensors.
        description: dtype and shape, or what the memory is for.
        bytes: Its size.
        location: The line that created it, while `tracemalloc` traces; otherwise None.
    """

    kind: str
    name: str
    description: str
    bytes: int
    location: Location | None = None

    def __str__(self) -> str:
        where = f"  {self.location.short()}" if self.location else ""
        name = f" {self.name}" if self.name else ""
        return f"{size_text(self.bytes):>10}  {self.kind}{name}  {self.description}{where}"


@dataclass(frozen=True)
class MemoryExplanation:
    """Live arrays, the largest first; `total` is the sum of all sizes in bytes."""

    entries: tuple[MemoryEntry, ...]
    total: int
    limit: int

    def of(self, kind: str) -> tuple[MemoryEntry, ...]:
        """Return the entries of one kind.

        Args:
            kind: "tensor", "variable" or "executable".

        Returns:
            The entries, the largest first.
        """
        return tuple(entry for entry in self.entries if entry.kind == kind)

    def __str__(self) -> str:
        counts = {kind: self.of(kind) for kind in ("tensor", "variable", "executable")}
        head = ", ".join(
            f"{len(entries)} {kind}s of {size_text(sum(e.bytes for e in entries))}"
            for kind, entries in counts.items()
        )
        lines = [head, *map(str, self.entries[: self.limit])]
        left_out = len(self.entries) - self.limit
        return "\n".join(lines + ([f"... and {left_out} smaller ones"] if left_out > 0 else []))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def memory(limit: int = 20) -> MemoryExplanation:
    """Show the tensors, variables and executables that are alive, by size.

    Memory that several tensors share is counted once. The line that created a tensor is shown if
    `tracemalloc.start(25)` was called before.

    Args:
        limit: How many of the largest the text shows.

    Returns:
        A `MemoryExplanation`, which prints as text.

    Example:
        >>> weights = tf.Variable(tf.zeros([100, 100]), name="weights")
        >>> entries = tf.explain.memory().of("variable")
        >>> [(e.name, e.bytes) for e in entries if e.name == "weights"]
        [('weights', 40000)]
    """
    seen: set[int] = set()
    entries = [*_variables(seen), *_tensors(seen), *_executables()]
    entries.sort(key=lambda entry: -entry.bytes)
    return MemoryExplanation(tuple(entries), sum(entry.bytes for entry in entries), limit)


def _variables(seen: set[int]) -> Iterator[MemoryEntry]:
    for variable in list(filter(_is_variable, gc.get_objects())):
        array = getattr(variable.__dict__.get("_cell"), "array", None)
        if array is not None and _is_new(array, seen):
            name = variable.name.removesuffix(":0")
            yield MemoryEntry("variable", name, _described(array), _size(array), _line_of(array))


def _is_variable(value: Any) -> bool:
    return issubclass(type(value), Variable)


def _tensors(seen: set[int]) -> Iterator[MemoryEntry]:
    for tensor in [each for each in gc.get_objects() if type(each) in EAGER_TYPES]:
        array = tensor._packed if type(tensor) is PackedTensor else tensor._array
        if isinstance(array, (np.ndarray, PackedStrings)) and _is_new(array, seen):
            yield MemoryEntry("tensor", "", _described(array), _size(array), _line_of(array))


def _executables() -> Iterator[MemoryEntry]:
    xla = loaded(_XLA)
    if xla is not None:
        for executable in [e for e in gc.get_objects() if issubclass(type(e), xla.Executable)]:
            text = "results and temporaries of a call"
            yield MemoryEntry("executable", executable.name, text, executable.memory)


def _owner(array: Any) -> Any:
    """Return the array whose memory this one views."""
    while isinstance(getattr(array, "base", None), np.ndarray):
        array = array.base
    return array


def _is_new(array: Any, seen: set[int]) -> bool:
    owner = id(_owner(array))
    if owner in seen:
        return False
    seen.add(owner)
    return True


def _size(array: Any) -> int:
    return int(_owner(array).nbytes)


def _described(array: Any) -> str:
    return f"{array.dtype}{list(array.shape)}"


def _line_of(array: Any) -> Location | None:
    """Return the innermost line of the user's code that allocated an array."""
    trace = tracemalloc.get_object_traceback(_owner(array)) if tracemalloc.is_tracing() else None
    for frame in reversed(trace or ()):
        is_system = frame.filename.startswith("<") or "numpy" in frame.filename
        if not is_library_file(frame.filename) and not is_system:
            return Location(frame.filename, frame.lineno, "")
    return None
