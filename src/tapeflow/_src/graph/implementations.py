"""Functions that implement the same API, of which a graph runs the one for its device.

A function names its API by the attribute `api_implements`, and its device by
`api_preferred_device`. TensorFlow replaces a call if the graph holds the function of the device as
well, be it added after the call. Calls are inlined here, so an `IdentityN` of results and arguments
carries what is needed to replace them later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tapeflow._src.graph.body import Body
from tapeflow._src.ops.array.shape import identity_n

API = "api_implements"
DEVICE = "api_preferred_device"
# The device that graphs run on.
_HERE = "CPU"


class ReplaceableCall:
    """An inlined call, by the implementations of its API: the first values are its `results`.

    The values that follow are its arguments.
    """

    __slots__ = ("_implementations", "results")

    def __init__(self, implementations: Mapping[str, Body], results: int) -> None:
        self._implementations = implementations
        self.results = results

    def replacement(self, values: Sequence[Any]) -> Body | None:
        """Return the implementation for the device, if it fits these results and arguments."""
        body = self._implementations.get(_HERE)
        if body is None or body.graph.captures or body.has_effect:
            return None
        dtypes = [None if t is None else t.dtype for t in (*body.outputs, *body.inputs)]
        fits = len(body.outputs) == self.results and dtypes == [t.dtype for t in values]
        return body if fits else None


def add_implementation(graph: Any, attributes: Mapping[str, Any], body: Body) -> None:
    """Add a function to those that `graph` selects from."""
    graph.implementations.setdefault(attributes[API], {})[attributes.get(DEVICE, "")] = body


def mark_call(
    graph: Any, attributes: Mapping[str, Any], results: Sequence[Any], arguments: Sequence[Any]
) -> list[Any]:
    """Return the results of a call in `graph` that another implementation may replace."""
    if attributes.get(DEVICE) == _HERE or not results or any(t is None for t in results):
        return list(results)
    implementations = graph.implementations.setdefault(attributes[API], {})
    return mark(ReplaceableCall(implementations, len(results)), (*results, *arguments))


def mark(call: ReplaceableCall, values: Sequence[Any]) -> list[Any]:
    """Return the results among `values`, results and arguments of a replaceable call."""
    marked = identity_n(tuple(values))
    marked[0].op.attrs["_call"] = call
    return list(marked[: call.results])
