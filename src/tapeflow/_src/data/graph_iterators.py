"""Iterators of plain graphs: each session has its own position in the dataset.

`tf.compat.v1.data` offers them. The handle of such an iterator is a resource of the session, which
passes it to all runs; what starts it is an operation of the graph.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.scopes import executing_eagerly
from tapeflow._src.core import dtypes
from tapeflow._src.core.infer import fixed
from tapeflow._src.core.registry import Resource, Variant, op
from tapeflow._src.data.iterator import OwnedIterator, Walk, make_iterator
from tapeflow._src.data.recipe import DatasetLike, described
from tapeflow._src.data.stage import HOST
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.subgraphs import current_graph


@op("IteratorV2", infer=fixed((), dtypes.resource), grad=None, host=HOST, effect="io")
def iterator_v2(xp, *, output_types, output_shapes, shared_name="", container=""):
    """Return the handle of an iterator that an initializer starts."""
    return Walk()


iterator_v2.owned_by_sessions = True


@op("_StartedIterator", infer=fixed((), dtypes.resource), grad=None, host=HOST, effect="io")
def started_iterator(xp, dataset: Variant, iterator: Resource):
    """Return an iterator that the first run starts at the first element of a dataset."""
    if not iterator.started:
        iterator.start(dataset)
    return iterator


class GraphIterator(OwnedIterator):
    """An iterator of a graph that `initializer` starts, as often as it is run."""

    def __init__(self, dataset: DatasetLike, shared_name: str | None) -> None:
        handle = iterator_v2(**described(dataset._layout), shared_name=shared_name or "")
        super().__init__(handle, dataset._layout)
        make_iterator(dataset._variant_tensor, handle)
        self._initializer = current_graph().nodes[-1]

    @property
    def initializer(self) -> Operation:
        """The operation that starts the iterator at the first element."""
        return self._initializer


def make_initializable_iterator(dataset: DatasetLike, shared_name: str | None = None) -> Any:
    """Return an iterator over a dataset for sessions, which run its `initializer` first.

    Args:
        dataset: What to iterate over.
        shared_name: The name of the resource in the graph.

    Raises:
        RuntimeError: ops run eagerly here.
    """
    if executing_eagerly():
        raise RuntimeError(
            "make_initializable_iterator is for graphs that sessions run; here ops run eagerly. "
            "Use `iter(dataset)`, or a `for` loop."
        )
    return GraphIterator(dataset, shared_name)


def make_one_shot_iterator(dataset: DatasetLike) -> Any:
    """Return an iterator over a dataset that needs no initializer and is not started again."""
    if executing_eagerly() or current_graph().building_function:
        return iter(dataset)  # type: ignore[call-overload]
    layout = dataset._layout
    handle = started_iterator(dataset._variant_tensor, iterator_v2(**described(layout)))
    return OwnedIterator(handle, layout)
