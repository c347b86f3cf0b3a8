"""The traces of one function, by the types they were traced for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from weakref import ref

from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.core.trace_type import TraceType
from tapeflow._src.function.function_type import FunctionType
from tapeflow._src.function.trace_types import Literal, Structure, Weakref


class TraceCache:
    """Finds the trace for a call: by its key at once, by its types in general.

    `by_key` maps keys (see `function.keys`) to what runs the trace. It is only a cache, and may be
    cleared at any time. Reading needs no lock; adding is left to one thread at a time.
    """

    # Enough for every length of a padded batch; an endless series of literals must not fill memory.
    KEYS = 4096

    def __init__(self) -> None:
        self._traces: dict[FunctionType, Any] = {}
        # Those that may serve arguments of other types than their own: usually few.
        self._wide: list[FunctionType] = []
        self.by_key: dict[tuple[Any, ...], Callable[[list[Any]], Any]] = {}

    def find(self, request: FunctionType) -> Any:
        """Return the most specific trace that serves arguments of these types, or None."""
        exact = self._traces.get(request)
        if exact is not None:
            return exact
        best: FunctionType | None = None
        for candidate in self._wide:
            if candidate.accepts(request) and (best is None or best.accepts(candidate)):
                best = candidate
        return None if best is None else self._traces.get(best)

    def generalized(self, request: FunctionType) -> FunctionType:
        """Return `request`, generalised to serve what earlier traces serve, where possible."""
        for cached in list(self._traces):
            request = request.common_with(cached) or request
        return request

    def add(self, made_for: FunctionType, trace: Any) -> None:
        """Store a trace for arguments of these types."""
        self._traces[made_for] = trace
        if not all(map(_serves_itself, made_for.types)):
            self._wide = [*self._wide, made_for]

    def remember(self, key: tuple[Any, ...], run: Callable[[list[Any]], Any]) -> None:
        """Map the key of a call to its trace."""
        if len(self.by_key) >= self.KEYS:
            self.by_key.clear()
        self.by_key[key] = run

    def on_death(self) -> Callable[[Any], None]:
        """Return a callback that drops a trace when an object dies that it was traced for."""
        weak = ref(self)

        def forget(reference: Any) -> None:
            cache = weak()
            if cache is not None:
                cache._forget_dead()

        return forget

    def _forget_dead(self) -> None:
        for made_for in list(self._traces):
            if any(map(_is_dead, made_for.types)):
                self._traces.pop(made_for, None)
        self._wide = [made_for for made_for in self._wide if made_for in self._traces]
        self.by_key = {}

    @property
    def types(self) -> list[FunctionType]:
        """The types of all traces, in order of tracing."""
        return list(self._traces)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._traces.values()))

    def __len__(self) -> int:
        return len(self._traces)


def _serves_itself(type_: TraceType) -> bool:
    """Whether no other type is a subtype of this one."""
    if isinstance(type_, Structure):
        return all(map(_serves_itself, type_.components))
    if type(type_) is TensorSpec:
        return type_.name is None and type_.shape.is_fully_defined()
    return isinstance(type_, (Literal, Weakref))


def _is_dead(type_: TraceType) -> bool:
    if isinstance(type_, Structure):
        return any(map(_is_dead, type_.components))
    return isinstance(type_, Weakref) and type_.dead
