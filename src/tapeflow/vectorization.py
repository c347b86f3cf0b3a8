"""`tf.vectorized_map`: a function of one element, run once for all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.autograph.operators.staging import placeholder, scratch
from tapeflow.control_flow.mapping import map_fn
from tapeflow.core import dispatch, nest
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.log import warn_first
from tapeflow.core.registry import Op
from tapeflow.core.spec import TensorSpec
from tapeflow.gradients.vectorize import Vectorizer
from tapeflow.gradients.vectorize import vectorize as _vectorize
from tapeflow.ops.array import broadcast_to, static_ints


def vectorized_map(
    fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True
) -> Any:
    """The results of `fn` for every element of `elems` along the first axis, stacked.

    `fn` is called once, with tensors that stand for all elements. An op that cannot work on all of
    them at once is called for each, unless `fallback_to_while_loop` is false.
    """
    tensors = nest.map_structure(dispatch.convert, elems, expand_composites=True)
    size = _batch_size(nest.flatten(tensors, expand_composites=True))
    if size is None:
        if not fallback_to_while_loop:
            raise ValueError(
                "tf.vectorized_map works on all elements at once only if it is known how many "
                "there are. Pass fallback_to_while_loop=True to have the function called in a loop."
            )
        return map_fn(fn, tensors, fn_output_signature=_result_specs(fn, tensors))

    def before_looping(op: Op) -> None:
        if not fallback_to_while_loop:
            raise ValueError(
                f"No pfor vectorization defined for {op.name}: it works on one element at a time. "
                f"Pass fallback_to_while_loop=True to have it called for each."
            )
        if warn and op.effect is None:
            warn_first(
                f"looping {op.name}",
                1,
                "tf.vectorized_map calls %s for each element: it cannot work on all at once.",
                op.name,
            )

    mode = Vectorizer(size, independent_randomness=True, before_looping=before_looping)
    spread = nest.map_structure(lambda t: _spread(t, size), tensors, expand_composites=True)
    return _vectorize(fn, spread, mode)


def _result_specs(fn: Callable[[Any], Any], tensors: Any) -> Any:
    """What `fn` gives for one element, found by calling it for nothing."""

    def element(tensor: Any) -> Any:
        dims = tensor._dims
        return placeholder(tensor.dtype, None if dims is None else dims[1:])

    with scratch():
        result = fn(nest.map_structure(element, tensors, expand_composites=True))
        return nest.map_structure(lambda leaf: _spec(dispatch.convert(leaf)), result)


def _spec(tensor: Any) -> TensorSpec:
    return TensorSpec(tensor.shape, tensor.dtype)


def _batch_size(tensors: list[Any]) -> int | None:
    """How many elements there are, or None if that is not known."""
    if not tensors:
        raise ValueError("tf.vectorized_map needs at least one tensor to map over, got none.")
    for tensor in tensors:
        if tensor._dims == ():
            raise ValueError(
                f"tf.vectorized_map maps over the first axis, but there is a tensor of shape "
                f"{tensor.shape}."
            )
    if any(tensor._dims is None or tensor._dims[0] is None for tensor in tensors):
        return None
    return max(tensor._dims[0] for tensor in tensors) if all(t._dims[0] for t in tensors) else 0


def _spread(tensor: Any, size: int) -> Any:
    """`tensor` with `size` elements; a single one is repeated."""
    have = tensor._dims[0]
    if have == size:
        return tensor
    if have == 1:
        return broadcast_to(tensor, static_ints((size, *tensor._dims[1:])))
    raise InvalidArgumentError(
        None,
        None,
        f"tf.vectorized_map: the first axes of the elements must have one size, got {have} and "
        f"{size}.",
    )
