"""`Session`: runs parts of a graph, and holds the values of its variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapeflow._src.api.config.devices import list_logical_devices
from tapeflow._src.core import default_session
from tapeflow._src.core.errors import UnimplementedError
from tapeflow._src.core.resource import Cell
from tapeflow._src.graph.body import attributes
from tapeflow._src.graph.graph import Graph
from tapeflow._src.graph.operation import Operation
from tapeflow._src.ops.graph.nodes import var_handle
from tapeflow._src.ops.state.variables import current
from tapeflow._src.sessions.default_graph import default_graph
from tapeflow._src.sessions.feeds import fed_arrays
from tapeflow._src.sessions.fetches import Fetches
from tapeflow._src.sessions.program import Prepared, prepare


class _BaseSession:
    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        if target:
            raise UnimplementedError(
                None, None, f"Sessions run in this process: there is no target {target!r}."
            )
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f"graph must be a tf.Graph, received {type(graph).__name__!r}")
        self._graph = default_graph() if graph is None else graph
        self._config = config
        self._closed = False
        self._resources: dict[int, Any] = {}
        # By the identities of fetches and feeds, which the graph keeps alive.
        self._prepared: dict[Any, Prepared] = {}

    # -- what it is --------------------------------------------------------------------------

    @property
    def graph(self) -> Graph:
        """The graph that is run."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as a message."""
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> str:
        """Where the session runs: here."""
        return ""

    def list_devices(self) -> list[Any]:
        """Return the devices there are."""
        return list_logical_devices()

    # -- running -----------------------------------------------------------------------------

    def run(
        self,
        fetches: Any,
        feed_dict: Any = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        """Return the values of `fetches`, in their structure, with tensors replaced by `feed_dict`.

        Only what `fetches` depend on runs. The result of an operation is None.
        """
        self._check_open()
        _check_options(options, run_metadata)
        fed = fed_arrays(self._graph, feed_dict)
        structure = Fetches(self._graph, fetches)
        return structure.packed(self._values(structure, fed))

    def value_of(self, variable: Operation) -> np.ndarray:
        """Return the value that this session has of the variable of a `VarHandleOp`."""
        return current(self._resource(variable))

    def resource_of(self, handle: Operation) -> Any:
        """Return the resource that this session has behind a handle, such as an iterator."""
        while not handle.definition.owned_by_sessions and handle.inputs:
            handle = handle.inputs[-1].op
        return self._resource(handle)

    def make_callable(
        self, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """Return a function of values for `feed_list` that runs `fetches`."""
        keys = list(feed_list or ())
        structure = Fetches(self._graph, fetches)

        def call(*values: Any) -> Any:
            self._check_open()
            if len(values) != len(keys):
                raise ValueError(f"Expected {len(keys)} feeds, got {len(values)}.")
            fed = fed_arrays(self._graph, dict(zip(keys, values)))
            return structure.packed(self._values(structure, fed))

        return call

    def _make_callable_from_options(self, callable_options: Any) -> Callable[..., list[Any]]:
        """Return a function of values for the feeds that a CallableOptions message names.

        A connection replaces a tensor by another one of the graph: that is computed first, and
        then fed for both, so that it is computed once.
        """
        _check_options(callable_options.run_options, None)
        keys, fetches = list(callable_options.feed), list(callable_options.fetch)
        connections = [(c.from_tensor, c.to_tensor) for c in callable_options.tensor_connection]
        sources = self.make_callable([source for source, _ in connections], keys)
        fed = [*keys, *dict.fromkeys(name for pair in connections for name in pair)]
        run = self.make_callable([fetches, list(callable_options.target)], fed)

        def call(*values: Any, run_metadata: Any = None) -> list[Any]:
            _check_options(None, run_metadata)
            if not connections:
                return list(run(*values)[0])
            computed = zip(connections, sources(*values))
            by_name = {name: value for pair, value in computed for name in pair}
            return list(run(*values, *(by_name[name] for name in fed[len(keys) :]))[0])

        return call

    def partial_run(self, handle: Any, fetches: Any, feed_dict: Any = None) -> Any:
        """Raise: not available."""
        raise UnimplementedError(
            None, None, "Graphs are not run in several steps: run the fetches in one call."
        )

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> Any:
        """Raise: not available."""
        raise UnimplementedError(
            None, None, "Graphs are not run in several steps: run the fetches in one call."
        )

    def close(self) -> None:
        """Forget the variables; nothing runs any more."""
        self._closed = True
        self._resources.clear()
        self._prepared.clear()

    def as_default(self) -> Any:
        """Return a context in which `tensor.eval()` and `operation.run()` use this session."""
        return _as_default(self)

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if not self._graph.nodes:
            raise RuntimeError(
                "The graph of the session is empty: create operations in `with "
                "graph.as_default():` before run()."
            )

    def _values(self, structure: Fetches, fed: list[tuple[Any, np.ndarray]]) -> list[Any]:
        tensors = [tensor for tensor, _ in fed]
        key = (
            tuple(map(id, structure.tensors)),
            tuple(map(id, structure.operations)),
            tuple(map(id, tensors)),
        )
        prepared = self._prepared.get(key)
        if prepared is None:
            prepared = prepare(self._graph, structure.tensors, structure.operations, tensors)
            self._prepared[key] = prepared
        arrays = [array for _, array in fed]
        results = prepared.program([*arrays, *map(self._resource, prepared.resources)])
        return [_returned(array) for array in results]

    def _resource(self, node: Operation) -> Any:
        """Return this session's resource behind a handle, such as the cell of a variable."""
        if node.definition.is_constant:
            return node.attrs["value"]
        resource = self._resources.get(id(node))
        if resource is None:
            resource = self._resources[id(node)] = _created(node)
        return resource


def _created(node: Operation) -> Any:
    attrs = attributes(node)
    if node.definition is var_handle:
        return Cell(None, attrs["dtype"], node.outputs[0].static_shape, attrs["shared_name"])
    return node.definition.body(None, **attrs)


class Session(_BaseSession):
    """Runs operations of a graph, and evaluates tensors. As a context it is the default session,
    and its graph the default graph."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._contexts: list[Any] = []

    def __enter__(self) -> Session:
        within = self._graph.as_default()
        within.__enter__()
        self._contexts.append(within)
        default_session.push(self)
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        default_session.pop(self)
        self._contexts.pop().__exit__(kind, error, traceback)
        self.close()

    @staticmethod
    def reset(target: str, containers: Any = None, config: Any = None) -> None:
        """Raise: there are no remote sessions."""
        raise UnimplementedError(
            None, None, f"Sessions run in this process: there is no target {target!r} to reset."
        )


class InteractiveSession(_BaseSession):
    """A session that is the default one from its creation until it is closed."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        default_session.push(self)
        self._within = None if graph is None else graph.as_default()
        if self._within is not None:
            self._within.__enter__()

    def close(self) -> None:
        """Forget the variables; nothing runs any more."""
        if not self._closed:
            default_session.pop(self)
            if self._within is not None:
                self._within.__exit__(None, None, None)
        super().close()


@contextmanager
def _as_default(session: _BaseSession) -> Iterator[Any]:
    default_session.push(session)
    try:
        yield session
    finally:
        default_session.pop(session)


def _returned(array: Any) -> Any:
    """Return an array of the caller's own; NumPy's scalar, or bytes, for a scalar tensor."""
    if isinstance(array, Cell):
        raise TypeError("The handle of a variable has no value to fetch: fetch the variable.")
    return array[()] if array.ndim == 0 else array.copy()


def _check_options(options: Any, run_metadata: Any) -> None:
    if options is not None and options.ByteSize():
        raise UnimplementedError(
            None, None, f"Session.run does not know these options: {options}. Leave them out."
        )
    if run_metadata is not None:
        raise UnimplementedError(
            None, None, "Session.run collects no metadata: use the profiler. Leave it out."
        )
