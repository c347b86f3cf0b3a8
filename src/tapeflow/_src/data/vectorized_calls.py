"""Functions of elements, run once for many of them.

A function whose operations are element-wise, or only rearrange elements, computes the same numbers
for the rows of a batch as for each row alone. It is traced a second time for a batch; what cannot
be proved to be of this kind runs element by element.
"""

from __future__ import annotations

from tapeflow._src.core import dispatch
from tapeflow._src.core.registry import Op
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.traits import (
    EXACT_IN_BATCHES,
    FORWARDS,
    MOVES,
    SHAPE_ONLY,
)
from tapeflow._src.gradients.replay import replay
from tapeflow._src.gradients.vectorize import Vectorizer
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.graph import FuncGraph

_EXACT = frozenset({EXACT_IN_BATCHES, FORWARDS, MOVES, SHAPE_ONLY})


class _NotVectorizable(Exception):
    """An operation would run once for each member after all."""


def is_vectorizable(body: Body, elements: int) -> bool:
    """Whether running `body` for many elements at once provably returns the same values.

    The first `elements` inputs are the components of an element.
    """
    return (
        elements > 0
        and not body.has_effect
        and all(_has_static_shape(tensor) for tensor in (*body.inputs, *body.outputs))
        and all(_computes_the_same(node.definition) for node in body.nodes())
    )


def _has_static_shape(tensor: object) -> bool:
    dims = getattr(tensor, "static_shape", None)
    return dims is not None and None not in dims


def _computes_the_same(op: Op) -> bool:
    if op.is_constant or op.is_argument:
        return True
    return op.effect is None and (op.is_elementwise or not _EXACT.isdisjoint(op.traits))


def vectorized(body: Body, elements: int, size: int) -> Body | None:
    """Return `body` for batches of `size`, or None if an operation has no rule for batches.

    The first `elements` inputs get the batch as their first axis; the others are shared.
    """
    graph = FuncGraph(f"{body.graph.name}_batch")
    with graph.as_default(), dispatch.use_recorders(()):
        inputs = [
            graph.argument(tensor.dtype, _dims(tensor, size if i < elements else None), "x")
            for i, tensor in enumerate(body.inputs)
        ]
        mode = Vectorizer(size, before_looping=_refuse)
        values = [mode.wrap(t) if i < elements else t for i, t in enumerate(inputs)]
        try:
            with dispatch.use_mode(mode):
                results = replay(body, values)
        except _NotVectorizable:
            return None
        outputs = tuple([graph.adopt(mode.unwrap(t)) for t in results])
    return Body(graph, outputs, tuple(inputs))


def _refuse(op: Op) -> None:
    raise _NotVectorizable(op.name)


def _dims(tensor: Tensor, size: int | None) -> tuple[int | None, ...]:
    """Return the static shape, behind the axis of a batch if there is one."""
    dims = tensor.static_shape or ()
    return dims if size is None else (size, *dims)
