"""A part of a graph as one operation, which executors compile as a whole."""

from __future__ import annotations

from tapeflow._src.core.errors import UnimplementedError
from tapeflow._src.core.registry import MANY_OUTPUTS, UNREGISTERED, ManyFree, op
from tapeflow._src.core.spec import Spec


@op("XlaLaunch", outputs=MANY_OUTPUTS, grad=UNREGISTERED)
def xla_launch(
    xp, constants: ManyFree, args: ManyFree, resources: ManyFree, *, Tresults=None, function
):
    """Return the results of a function of `args` and `resources`, compiled if that pays."""
    raise UnimplementedError(
        None, None, "XlaLaunch holds a function and runs only as a node of a graph, not by itself."
    )


@xla_launch.infer
def _(constants, args, resources, *, Tresults, function):
    return tuple(Spec(t.static_shape, t.dtype) for t in function.outputs)
