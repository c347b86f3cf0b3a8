"""The state that control flow in compiled code carries: variables and random streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow._src.executors.xla_state import Box, random_nodes, stream_identity, written_inputs
from tapeflow._src.executors.xla_trace import Trace
from tapeflow._src.graph.body import Body


class Carried:
    """The state that the bodies of an operation change beside their results."""

    def __init__(self, trace: Trace, bodies: Sequence[Body], values: Sequence[Any]) -> None:
        self._streams = trace.streams
        indices = sorted(set().union(*map(written_inputs, bodies)))
        self._boxes: list[Box] = list({id(values[i]): values[i] for i in indices}.values())
        self._identities = list(
            dict.fromkeys(stream_identity(n) for body in bodies for n in random_nodes(body))
        )
        trace.streams.dynamic.update(self._identities)

    def now(self) -> tuple[Any, ...]:
        counters = self._streams.counters
        return (
            *(box.array for box in self._boxes),
            *(counters[identity] for identity in self._identities),
        )

    def put(self, values: Sequence[Any]) -> None:
        for box, array in zip(self._boxes, values):
            box.array = array
        for identity, counter in zip(self._identities, values[len(self._boxes) :]):
            self._streams.counters[identity] = counter
