"""Layouts of tensors on a mesh as parts of a graph.

They change where values lie, and no values: run by the interpreter, they return their input; in
compiled programs they constrain the partitioner.
"""

from __future__ import annotations

from tapeflow._src.core.infer import same_as
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.registry import Free, op
from tapeflow._src.core.tensor_layout import Layout
from tapeflow._src.core.traits import PLACES, TOTAL

_jax_sharding = LazyModule("tapeflow._src.backends.jax_sharding", "layouts on a mesh")


@op("Relayout", infer=same_as("input"), traits=(PLACES, TOTAL))
def relayout(xp, input, *, layout):
    """Return the input in a layout, described by a string."""
    return input


@relayout.kernel("jax")
def _(xp, input, *, layout):
    return _jax_sharding.constrained(input, Layout.from_string(layout))


@relayout.gradient
def _(dz, *, input, layout):
    return relayout_like(dz, input)


@op("RelayoutLike", infer=same_as("input"), traits=(PLACES, TOTAL))
def relayout_like(xp, input, layout_input: Free):
    """Return the first input in the layout of the second, which has the same rank."""
    return input


@relayout_like.kernel("jax")
def _(xp, input, layout_input):
    same = input.shape == layout_input.shape
    return _jax_sharding.alike(input, layout_input) if same else input


@relayout_like.gradient
def _(dz, *, input):
    return relayout_like(dz, input), None
