"""`tf.map_fn`: a function applied to each element along the first axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.autograph.api import convert_callback
from tapeflow.control_flow.encoded_rows import EncodedMap, has_encoding
from tapeflow.control_flow.looping import while_loop
from tapeflow.control_flow.rows import (
    arrays_for,
    as_elements,
    collected,
    count_of,
    rows_of,
    signature_of,
    written,
)
from tapeflow.core import nest
from tapeflow.core.tensor import Tensor
from tapeflow.ops.shape import scalar_int


def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """The results of `fn` for every element of `elems` along the first axis, stacked.

    `fn_output_signature` (or `dtype`) describes a result of `fn`, where that differs from an
    element of `elems`: a dtype or a spec, or a structure of them.
    """
    if not callable(fn):
        raise TypeError(f"The provided function {fn} is not callable. fn must be callable.")
    fn = convert_callback(fn)
    signature = fn_output_signature if fn_output_signature is not None else dtype
    if any(map(has_encoding, [*nest.flatten(elems), *nest.flatten(signature)])):
        inner = EncodedMap(fn, elems, signature)
        options = (None, parallel_iterations, back_prop, swap_memory, infer_shape, name)
        return inner.result(map_fn(inner.fn, inner.elems, *options, inner.signature))
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
        given = zip(arrays, nest.flatten(result), described, strict=True)
        return index + 1, [written(a, index, value, kind) for a, value, kind in given]

    first = [arrays_for(kind, size, infer_shape) for kind in described]
    _, arrays = while_loop(
        lambda index, arrays: index < count,
        body,
        (scalar_int(0), first),
        parallel_iterations=parallel_iterations or 10,
        back_prop=back_prop,
        swap_memory=swap_memory,
        name=name,
    )
    results = [collected(a, kind) for a, kind in zip(arrays, described, strict=True)]
    for result in results:
        if static is not None and isinstance(result, Tensor) and result.shape.rank:
            result.set_shape([static, *[None] * (result.shape.rank - 1)])  # type: ignore[attr-defined]
    return nest.pack_sequence_as(signature, results)
