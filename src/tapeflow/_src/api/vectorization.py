"""`tf.vectorized_map`: a function of one element, run once for all elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.api.control_flow.deferring import deferring
from tapeflow._src.api.control_flow.mapping import map_fn
from tapeflow._src.api.elements import unbatched
from tapeflow._src.autograph.api import convert_callback
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.errors import InvalidArgumentError, OperatorNotAllowedInGraphError
from tapeflow._src.core.log import warn_first
from tapeflow._src.core.registry import Op
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.function.decorator import function
from tapeflow._src.gradients.vectorize import NotVectorised, Vectorizer
from tapeflow._src.gradients.vectorize import vectorize as _vectorize
from tapeflow._src.ops.array.common import broadcast_to, static_ints


@deferring("elems", 1)
def vectorized_map(
    fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True
) -> Any:
    """Apply `fn` to all elements of `elems` along the first axis at once.

    `fn` is called once, with tensors that represent all elements. An op without a batching rule is
    run in a loop, unless `fallback_to_while_loop` is false. Rows of ragged or sparse tensors are
    processed in a loop as well.

    Args:
        fn: A function of one element, structured like `elems`.
        elems: A tensor or a structure of tensors.
        fallback_to_while_loop: Whether ops without a batching rule are run in a loop.
        warn: Whether to warn about such loops.

    Returns:
        The stacked results.

    Raises:
        ValueError: A loop is needed and not allowed.

    Example:

        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> tf.vectorized_map(lambda row: tf.reduce_sum(row) * row, x).numpy().tolist()
        [[3.0, 6.0], [21.0, 28.0]]
    """
    fn = convert_callback(fn)
    tensors = nest.map_structure(dispatch.convert, elems, expand_composites=True)
    uneven = any(isinstance(x, (RaggedTensor, SparseTensor)) for x in nest.flatten(tensors))
    size = None if uneven else _batch_size(nest.flatten(tensors, expand_composites=True))
    if size is None:
        if not fallback_to_while_loop:
            raise ValueError(
                "tf.vectorized_map works on all elements at once only if it is known how many "
                "there are, and not on rows of ragged or sparse tensors. Pass "
                "fallback_to_while_loop=True to have the function called in a loop."
            )
        return _one_by_one(fn, tensors)
    return _Mapping(fn, tensors, size, fallback_to_while_loop, warn).result()


class _Mapping:
    """One call for a static number of elements."""

    def __init__(
        self, fn: Callable[[Any], Any], tensors: Any, size: int, may_loop: bool, warn: bool
    ) -> None:
        self._fn = fn
        self._tensors = tensors
        self._size = size
        self._may_loop = may_loop
        self._warn = warn

    def result(self) -> Any:
        """Return the result of one batched call of `fn`, or of its trace if that fails."""
        mode = self._mode()
        try:
            return self._at_once(self._fn, mode)
        except (NotVectorised, OperatorNotAllowedInGraphError) as error:
            # Nothing that has left a trace may be done again.
            if mode.has_effects:
                raise
            reason = error
        return self._traced(reason)

    def _traced(self, reason: Exception) -> Any:
        """Return the batched result of the graph of `fn`, where control flow is an operation."""
        mode = self._mode()
        try:
            return self._at_once(function(self._fn, autograph=False), mode)
        except NotVectorised:
            if mode.has_effects or not self._may_loop:
                raise
        except (TypeError, NotImplementedError, AttributeError) as error:
            # The code needs concrete values, or raises an error, which is reported, too.
            raise reason from error
        if self._warn:
            warn_first(
                "looping a function",
                1,
                "tf.vectorized_map calls %s for each element: it has branches or loops that "
                "cannot run for all at once.",
                self._fn,
            )
        return _one_by_one(self._fn, self._tensors)

    def _at_once(self, fn: Callable[[Any], Any], mode: Vectorizer) -> Any:
        size = self._size
        spread = nest.map_structure(
            lambda t: _broadcast_batch(t, size), self._tensors, expand_composites=True
        )
        return _vectorize(fn, spread, mode)

    def _mode(self) -> Vectorizer:
        return Vectorizer(
            self._size, independent_randomness=True, before_looping=self._before_looping
        )

    def _before_looping(self, op: Op) -> None:
        if not self._may_loop:
            raise ValueError(
                f"No pfor vectorization defined for {op.name}: it works on one element at a time. "
                f"Pass fallback_to_while_loop=True to have it called for each."
            )
        if self._warn and op.effect is None:
            warn_first(
                f"looping {op.name}",
                1,
                "tf.vectorized_map calls %s for each element: it cannot work on all at once.",
                op.name,
            )


def _one_by_one(fn: Callable[[Any], Any], tensors: Any) -> Any:
    """Call `fn` for each element in a loop; tracing infers its result spec."""

    def element(value: TensorLike) -> Any:
        return unbatched(_spec(value))

    traced = function(fn, autograph=False)
    concrete = traced.get_concrete_function(nest.map_structure(element, tensors))
    specs = nest.map_structure(_spec, concrete.structured_outputs)
    return map_fn(traced, tensors, fn_output_signature=specs)


def _spec(value: Any) -> Any:
    """Return the spec of a tensor or a composite."""
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    return value._type_spec


def _batch_size(tensors: list[Any]) -> int | None:
    """Return the number of elements, or None if unknown."""
    if not tensors:
        raise ValueError("tf.vectorized_map needs at least one tensor to map over, got none.")
    for tensor in tensors:
        if tensor.static_shape == ():
            raise ValueError(
                f"tf.vectorized_map maps over the first axis, but there is a tensor of shape "
                f"{tensor.shape}."
            )
    if any(tensor.static_shape is None or tensor.static_shape[0] is None for tensor in tensors):
        return None
    return (
        max(tensor.static_shape[0] for tensor in tensors)
        if all(t.static_shape[0] for t in tensors)
        else 0
    )


def _broadcast_batch(tensor: Any, size: int) -> Any:
    """Broadcast `tensor` to `size` elements."""
    static_size = tensor.static_shape[0]
    if static_size == size:
        return tensor
    if static_size == 1:
        return broadcast_to(tensor, static_ints((size, *tensor.static_shape[1:])))
    raise InvalidArgumentError(
        None,
        None,
        f"tf.vectorized_map: the first axes of the elements must have one size, got {static_size} "
        f"and {size}.",
    )
