"""`tf.map_fn`: apply a function to each element along the first axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tapeflow._src.api.control_flow.deferring import deferring
from tapeflow._src.api.control_flow.encoded_rows import EncodedMap, has_encoding
from tapeflow._src.api.control_flow.looping import while_loop
from tapeflow._src.api.control_flow.rows import (
    arrays_for,
    as_elements,
    collected,
    count_of,
    rows_of,
    signature_of,
    written,
)
from tapeflow._src.autograph.api import convert_callback
from tapeflow._src.core import nest
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.ops.array.shape import scalar_int


@deferring("elems", 1)
@scoped("map")
def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """Apply `fn` to each element of `elems` along the first axis and stack the results.

    Elements are taken one by one: ops on the whole tensor, or `tf.vectorized_map`, are faster.

    Args:
        fn: A function of one element, structured like `elems`.
        elems: A tensor, ragged or sparse tensor, or a structure of them.
        dtype: Former name of `fn_output_signature`.
        parallel_iterations: Ignored.
        back_prop: Whether gradients are computed.
        swap_memory: Ignored.
        infer_shape: Whether all results have the same static shape.
        name: Name of the op in a graph.
        fn_output_signature: A dtype or spec, or a structure of them, of a result of `fn`; required
            where it differs from an element of `elems`.

    Returns:
        The stacked results, structured as `fn` returns them.

    Raises:
        TypeError: `fn` is not callable.

    Example:

        >>> tf.map_fn(tf.reduce_max, tf.constant([[1, 5], [7, 3]])).numpy().tolist()
        [5, 7]
        >>> x = tf.constant([1, 2])
        >>> tf.map_fn(lambda v: v / 2, x, fn_output_signature=tf.float64).numpy().tolist()
        [0.5, 1.0]
    """
    if not callable(fn):
        raise TypeError(f"fn must be callable, received {fn!r}.")
    fn = convert_callback(fn)
    signature = fn_output_signature if fn_output_signature is not None else dtype
    options = _Options(parallel_iterations or 10, back_prop, swap_memory, infer_shape)
    if any(map(has_encoding, [*nest.flatten(elems), *nest.flatten(signature)])):
        inner = EncodedMap(fn, elems, signature)
        return inner.result(_mapped(inner.fn, inner.elems, inner.signature, options))
    return _mapped(fn, elems, signature, options)


class _Options(NamedTuple):
    """Options of the loop over the elements."""

    parallel_iterations: int
    back_prop: bool
    swap_memory: bool
    infer_shape: bool


def _mapped(fn: Callable[[Any], Any], elems: Any, signature: Any, options: _Options) -> Any:
    """Map `fn` over elements that are dense, ragged or sparse tensors."""
    tensors = as_elements(elems)
    count, static = count_of(nest.flatten(tensors))
    rows = [rows_of(t, count, static) for t in nest.flatten(tensors)]
    if signature is None:
        signature = nest.map_structure(signature_of, tensors)
    described = nest.flatten(signature)
    size = count if static is None else static

    def body(index: Any, arrays: Any) -> Any:
        element = nest.pack_sequence_as(tensors, [row.read(index) for row in rows])
        result = fn(element)
        nest.assert_same_structure(signature, result)
        entries = zip(arrays, nest.flatten(result), described, strict=True)
        return index + 1, [written(a, index, value, kind) for a, value, kind in entries]

    first = [arrays_for(kind, size, options.infer_shape) for kind in described]
    _, arrays = while_loop(
        lambda index, arrays: index < count,
        body,
        (scalar_int(0), first),
        parallel_iterations=options.parallel_iterations,
        back_prop=options.back_prop,
        swap_memory=options.swap_memory,
    )
    results = [collected(a, kind) for a, kind in zip(arrays, described, strict=True)]
    for result in results:
        if static is not None and isinstance(result, Tensor) and result.shape.rank:
            result.set_shape([static, *[None] * (result.shape.rank - 1)])  # type: ignore[attr-defined]
    return nest.pack_sequence_as(signature, results)
