"""Serializes a graph with `jax.export`: StableHLO that other runtimes of XLA can load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from tapeflow._src.backends import jax_onednn
from tapeflow._src.backends.jax_flags import collect_failures
from tapeflow._src.executors.xla_inputs import Layout
from tapeflow._src.executors.xla_state import Streams
from tapeflow._src.executors.xla_trace import LIST_ROWS, Trace, traced
from tapeflow._src.graph.body import Body


def serialize(body: Body, arrays: Sequence[Any], count: int) -> bytes:
    """Return a serialized function of the first `count` inputs; the others become constants.

    The package `flatbuffers` must be installed. Checks inside ops, such as those of indices, are
    not exported: StableHLO has no errors.

    Raises:
        ValueError: if the graph changes variables or draws from streams of random numbers.
    """
    layout = Layout(body, arrays)
    if layout.written or layout.streams:
        reason = "changes variables" if layout.written else "draws stateful random numbers"
        raise ValueError(
            f"{body.name!r} {reason}, which an exported function cannot: export a function that "
            f"computes its outputs from its inputs alone."
        )
    layout_values = layout.arguments(arrays)
    inputs = [k for k, i in enumerate(layout.plain) if i < count]

    def function(*passed: Any) -> tuple[Any, ...]:
        arguments = [jnp.asarray(value) for value in layout_values]
        for k, value in zip(inputs, passed, strict=True):
            arguments[k] = value
        values = layout.values(body, list(arrays), arguments)
        with collect_failures():
            outputs = Trace(Streams({}), LIST_ROWS).run(body, values)
        pairs = zip(body.outputs, outputs, strict=True)
        return tuple(_result(tensor, value) for tensor, value in pairs)

    with jax.enable_x64(True), np.errstate(all="ignore"), jax_onednn.avoided():
        specs = [
            jax.ShapeDtypeStruct(layout_values[k].shape, layout_values[k].dtype) for k in inputs
        ]
        return bytes(jax.export.export(jax.jit(function))(*specs).serialize())


def _result(tensor: Any, value: Any) -> Any:
    return jnp.asarray(value) if isinstance(value, np.ndarray) else traced(value, tensor.op)
