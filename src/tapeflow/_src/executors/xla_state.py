"""Stand-ins for variables and random streams while a graph is compiled.

Compiled code is pure: values go in, and their new values come out. Op bodies see a `Box` in place
of the variable's cell, and assign a new array to it.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import jax.numpy as jnp
import numpy as np

from tapeflow._src.core import dtypes, random_state
from tapeflow._src.graph.body import Body, attributes, bodies_of
from tapeflow._src.graph.operation import Operation


class Box:
    """A variable in compiled code: `array` is its value at this point of the program."""

    __slots__ = ("array", "name", "shape", "value_dtype")

    dtype = dtypes.resource
    ndim = 0

    def __init__(self, array: Any, cell: Any) -> None:
        self.array = array
        self.name = cell.name
        self.shape = cell.shape
        self.value_dtype = cell.value_dtype


def written_inputs(body: Body) -> set[int]:
    """Return the indices of the inputs of `body` that are variables it changes."""
    indices = {id(t): i for i, t in enumerate(body.inputs)}
    written: set[int] = set()
    for node in body.nodes():
        for tensor in _written_operands(node):
            if id(tensor) in indices:
                written.add(indices[id(tensor)])
    return written


def _written_operands(node: Operation) -> list[Any]:
    inner = bodies_of(node)
    if inner:
        operands = node.inputs[-len(inner[0].inputs) :] if inner[0].inputs else ()
        return [operands[index] for body in inner for index in written_inputs(body)]
    if node.definition.effect != "writes":
        return []
    return [t for t in node.inputs if t.dtype is dtypes.resource]


def random_nodes(body: Body) -> list[Operation]:
    """Return the random operations of `body`, including those inside branches and loops."""
    nodes = []
    for node in body.nodes():
        if node.definition.effect == "random":
            nodes.append(node)
        for inner in bodies_of(node):
            nodes += random_nodes(inner)
    return nodes


class Streams:
    """The stream of each random operation: counters, by the identity of their stream.

    `used` counts the blocks that a call always takes; `dynamic` are the streams for which only the
    call itself knows the count.
    """

    def __init__(self, counters: dict[Hashable, Any]) -> None:
        self.counters = counters
        self.used: dict[Hashable, int] = {}
        self.dynamic: set[Hashable] = set()

    def draw(self, node: Operation, arrays: list[Any]) -> Any:
        """Return the counter for one call, and advance the stream."""
        identity = stream_identity(node)
        blocks = random_state.blocks_used(node.definition, arrays, attributes(node))
        counter = self.counters[identity]
        self.counters[identity] = skip(counter, blocks)
        self.used[identity] = self.used.get(identity, 0) + blocks
        return counter


def stream_identity(node: Operation) -> Hashable:
    """Return the identity of a random operation's stream."""
    dtypes_in = tuple(t.dtype.np for t in node.inputs)
    stream = node.attrs.get("_stream")
    return random_state.identity(node.definition, dtypes_in, attributes(node), stream)


def skip(counter: Any, blocks: int) -> Any:
    """Advance a stream by so many blocks: a 128-bit addition in 32-bit words."""
    words = [counter[0], counter[1]]
    carry: Any = jnp.uint64(0)
    for i in range(4):
        total = counter[2 + i].astype(np.uint64) + np.uint64(blocks >> 32 * i & 0xFFFFFFFF) + carry
        words.append((total & np.uint64(0xFFFFFFFF)).astype(np.uint32))
        carry = total >> np.uint64(32)
    return jnp.stack(words)
