"""`map`: apply a function to each element; in threads, if that pays."""

from __future__ import annotations

import weakref
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from tapeflow._src.core.errors import invalid
from tapeflow._src.core.registry import Index, ManyFree, Variant
from tapeflow._src.data.arguments import AUTOTUNE, int64
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.functions import Call, Function, traced_on_elements
from tapeflow._src.data.recipe import DatasetLike, Recipe, described
from tapeflow._src.data.stage import Cursor, Element, Stage, unstacked
from tapeflow._src.data.thread_pays import Pace, workers


class Map(Stage):
    """A function of the elements of a stage, run by `parallel` threads if it is slow."""

    def __init__(self, source: Stage, call: Call, parallel: int = 1) -> None:
        self._source = source
        self._call = call
        self._parallel = parallel

    def cursor(self) -> Cursor:
        if self._parallel == 1:
            return _MapCursor(self._source.cursor(), self._call)
        return _ParallelCursor(self._source.cursor(), self._call, self._parallel)

    def cardinality(self) -> int:
        return self._source.cardinality()


class _MapCursor(Cursor):
    """Maps elements one by one, or many at once where that computes the same."""

    __slots__ = ("_call", "_count", "_source", "_unmapped")

    def __init__(self, source: Cursor, call: Call) -> None:
        self._source = source
        self._call = call
        # Elements after one that failed, which were read with it.
        self._unmapped: deque[Element] = deque()
        self._count = 0  # elements that were mapped

    def __next__(self) -> Element:
        return self._computed(self._next_unmapped(), self._counted())

    def _counted(self) -> int:
        """Return the index of the next element."""
        self._count += 1
        return self._count - 1

    def _computed(self, element: Element, index: int) -> Element:
        try:
            return self._call(element)
        except Exception as error:
            self._call.locate(error, index)
            raise

    def _next_unmapped(self) -> Element:
        return self._unmapped.popleft() if self._unmapped else next(self._source)

    def rows(self, count: int) -> Element | None:
        if self._unmapped or not self._call.is_vectorizable:
            return super().rows(count)
        rows = self._source.rows(count)
        if rows is None:
            return None
        try:
            results = self._call.on_rows(rows)
        except Exception:
            # Element by element, so that the error comes at its own one and is about it alone.
            self._unmapped.extend(unstacked(rows))
            return super().rows(count)
        self._count += rows[0].shape[0]
        return results

    def get_state(self) -> Any:
        return self._source.get_state(), list(self._unmapped), self._count

    def set_state(self, state: Any) -> None:
        position, unmapped, self._count = state
        self._source.set_state(position)
        self._unmapped = deque(unmapped)


class _ParallelCursor(_MapCursor):
    """Ordered elements, the next few of which are computed ahead once they prove to be slow."""

    def __init__(self, source: Cursor, call: Call, parallel: int) -> None:
        super().__init__(source, call)
        self._parallel = workers(parallel)
        self._pace = Pace()
        self._pool: ThreadPoolExecutor | None = None
        self._pending: deque[Future[Element]] = deque()

    def __next__(self) -> Element:
        if self._pool is None and not self._pending:
            element = self._next_unmapped()
            with self._pace:
                result = self._computed(element, self._counted())
            if self._pace.slow:
                self._pool = ThreadPoolExecutor(self._parallel, "tapeflow_map")
                weakref.finalize(self, self._pool.shutdown, wait=False, cancel_futures=True)
            return result
        self._fill()
        if not self._pending:
            raise StopIteration
        return self._pending.popleft().result()

    def rows(self, count: int) -> Element | None:
        if self._pool is None and not self._pending:
            return super().rows(count)
        return Cursor.rows(self, count)

    def _fill(self) -> None:
        """Keep all threads busy."""
        if self._pool is None:
            return
        while len(self._pending) < self._parallel:
            try:
                element = self._next_unmapped()
            except StopIteration:
                return
            except Exception as error:  # it is raised after the elements before it
                self._pending.append(_completed(error))
            else:
                self._pending.append(self._submitted(self._pool, element))

    def _submitted(self, pool: ThreadPoolExecutor, element: Element) -> Future[Element]:
        try:
            return pool.submit(self._computed, element, self._counted())
        except RuntimeError:
            # Python is about to exit and starts nothing more: this thread is a daemon.
            return _completed(self._computed(element, self._counted()))

    def get_state(self) -> Any:
        outcomes = [future.exception() or future.result() for future in self._pending]
        return super().get_state(), outcomes

    def set_state(self, state: Any) -> None:
        position, outcomes = state
        super().set_state(position)
        self._pending = deque([_completed(outcome) for outcome in outcomes])


def _completed(outcome: Element | Exception) -> Future[Element]:
    """Return a future with an element, or with the error of computing it."""
    future: Future[Element] = Future()
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
    return future


@dataset_op("MapDataset")
def map_dataset(
    xp,
    input_dataset: Variant,
    other_arguments: ManyFree,
    *,
    f,
    output_types,
    output_shapes,
    use_inter_op_parallelism=True,
    preserve_cardinality=False,
    force_synchronous=False,
    metadata="",
):
    """Return a dataset of what a function makes of each element."""
    return Map(input_dataset, Call(f, other_arguments))


@dataset_op("ParallelMapDatasetV2")
def parallel_map_dataset_v2(
    xp,
    input_dataset: Variant,
    other_arguments: ManyFree,
    num_parallel_calls: Index,
    *,
    f,
    output_types,
    output_shapes,
    use_inter_op_parallelism=True,
    deterministic="default",
    preserve_cardinality=False,
    use_unbounded_threadpool=False,
    metadata="",
):
    """Like `MapDataset`, with several elements computed at once."""
    parallel = int(num_parallel_calls)
    if parallel < 1 and parallel != AUTOTUNE:
        raise invalid("num_parallel_calls must be greater than zero.")
    return Map(input_dataset, Call(f, other_arguments), parallel)


def map_(
    dataset: DatasetLike,
    map_func: Function,
    num_parallel_calls: Any,
    deterministic: bool | None,
    name: str | None,
) -> Recipe:
    """Apply `map_func` to each element."""
    function = traced_on_elements(map_func, dataset._layout, "map")
    if not function.body.outputs:
        raise invalid(f"A function passed to Dataset.map() must return a tensor: {map_func}.")
    attributes = {"f": function.body, "preserve_cardinality": True, **described(function.layout)}
    if num_parallel_calls is None:
        variant = map_dataset(dataset._variant_tensor, function.captured, **attributes, name=name)
        return Recipe("_MapDataset", variant, function.layout.spec)
    variant = parallel_map_dataset_v2(
        dataset._variant_tensor,
        function.captured,
        int64(num_parallel_calls),
        deterministic=in_order(deterministic),
        **attributes,
        name=name,
    )
    return Recipe("_ParallelMapDataset", variant, function.layout.spec)


def in_order(deterministic: bool | None) -> str:
    """Return the `deterministic` attribute of ops; elements are always in order here."""
    return "default" if deterministic is None else str(bool(deterministic)).lower()
