"""Shape folding: what follows from static shapes becomes constant; no-op reshapes are removed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.core.infer import broadcast_shape, element_count
from tapeflow._src.core.registry import InferError, Op
from tapeflow._src.core.shape import as_dims
from tapeflow._src.ops.array.broadcasting import broadcast_gradient_args, broadcast_to
from tapeflow._src.ops.array.filling import fill, ones_like, zeros_like
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.pad_slice import pad, pad_v2, slice_
from tapeflow._src.ops.array.padding import tile
from tapeflow._src.ops.array.shape import ensure_shape, reshape, shape_n, squeeze
from tapeflow._src.ops.array.shape import rank as rank_of
from tapeflow._src.ops.array.shape import shape as shape_of
from tapeflow._src.ops.array.shape import size as size_of
from tapeflow._src.ops.array.strided import strided_slice
from tapeflow._src.ops.array.transpose import transpose
from tapeflow._src.passes.facts import is_elementwise, is_implied_by, keeps_shape
from tapeflow._src.passes.rewriting import Call, Results, Rewrite, Rule

# Larger tensors of zeros and ones are created when the graph runs.
_LARGEST = 2**14


def rules(op: Op) -> tuple[Rule, ...]:
    applicable = _BY_OP.get(op, ())
    return (*applicable, without_broadcast) if is_elementwise(op) else applicable


def static(tensor: Any) -> Any:
    """Return the static value of a tensor, or None."""
    return tensor.static_value


def is_static(dims: Any) -> bool:
    return dims is not None and None not in dims


# -- shapes ------------------------------------------------------------------------------------


def fold_static_sizes(at: Rewrite, call: Call) -> Results | None:
    """Fold shapes, ranks and sizes that are static."""
    if any(spec.value is None for spec in call.specs):
        return None
    return [at.constant(s.value, s.dtype, call.node) for s in call.specs]


def of_source(at: Rewrite, call: Call) -> Results | None:
    """Take the shape of the tensor from which this one was computed element-wise."""
    (tensor,) = call.operands
    source = tensor
    while (
        keeps_shape(source.op.definition)
        and source.static_shape == source.op.operands[0].static_shape
    ):
        source = source.op.operands[0]
    if source is tensor:
        return None
    return at.make(call.op, (source,), call.attrs, call)


def part_of_shape(at: Rewrite, call: Call) -> Results | None:
    """Fold a slice of a shape, if just those sizes are static."""
    source = call.operands[0].op
    if source.definition is not shape_of or source.operands[0].static_shape is None:
        return None
    dims = source.operands[0].static_shape
    bounds = [static(t) for t in call.operands[1:]]
    if any(bound is None for bound in bounds):
        return None
    masks = {key: value for key, value in call.attrs.items() if key[0] != "_"}
    indices = call.op.body(np, np.arange(len(dims)), *bounds, **masks)
    sizes = [dims[i] for i in np.ravel(indices).tolist()]
    if None in sizes:
        return None
    spec = call.specs[0]
    value = np.array(sizes, spec.dtype.np).reshape(np.shape(indices))
    return (at.constant(value, spec.dtype, call.node),)


def filled(at: Rewrite, call: Call) -> Results | None:
    """Fold zeros or ones in the shape of a tensor, if that is static."""
    spec = call.specs[0]
    count = element_count(spec.shape)
    if count is None or count > _LARGEST or not (spec.dtype.is_numeric or spec.dtype.is_bool):
        return None
    number = 0 if call.op is zeros_like else 1
    return (at.constant(np.full(spec.shape, number, spec.dtype.np), spec.dtype, call.node),)


def broadcast_axes(at: Rewrite, call: Call) -> Results | None:
    """Fold the axes to sum a gradient over, from the shape of one operand if their ranks differ."""
    ranks: list[Any] = [t.static_shape[0] if t.static_shape else None for t in call.operands]
    if None in ranks or ranks[0] == ranks[1]:
        return None
    results: list[Any] = [None, None]
    for i, tensor in enumerate(call.operands):
        sizes = static(tensor)
        if sizes is not None:
            padded = [1] * (max(ranks) - len(sizes)) + sizes.tolist()
            axes = np.array([a for a, n in enumerate(padded) if n == 1], sizes.dtype)
            results[i] = at.constant(axes, tensor._dtype, call.node)
    if results == [None, None]:
        return None
    if None in results:
        computed = at.append(call)
        results = [computed[i] if r is None else r for i, r in enumerate(results)]
    return results


# -- no-ops ------------------------------------------------------------------------------------


def unchanged(says: Callable[[Call], bool]) -> Rule:
    """Return the first operand, if the call leaves it unchanged."""

    def rule(at: Rewrite, call: Call) -> Results | None:
        tensor = call.operands[0]
        if type(tensor) is tuple:
            tensor = tensor[0]
        return (
            (tensor,)
            if says(call) and is_implied_by(tensor.static_shape, call.specs[0].shape)
            else None
        )

    return rule


def _same_dims(call: Call) -> bool:
    dims = call.operands[0].static_shape
    return is_static(dims) and dims == call.specs[0].shape


def _targets_its_shape(call: Call) -> bool:
    """Whether a reshape or broadcast has the tensor's own shape as target."""
    tensor, target = call.operands
    if _same_dims(call):
        return True
    source = target.op
    if source.definition is shape_of and source.operands[0] is tensor:
        return True
    sizes = static(target)
    if call.op is not reshape or sizes is None or tensor.static_shape is None:
        return False
    # A size of -1 is the only unknown one, if there is anything else to go by.
    own = [-1 if n is None else n for n in tensor.static_shape]
    return own.count(-1) == 1 and 0 not in own and sizes.tolist() == own


def _keeps_order(call: Call) -> bool:
    perm = static(call.operands[1])
    if perm is None:
        return False
    axes: list[int] = (perm % max(len(perm), 1)).tolist()
    return axes == list(range(len(perm)))


def _takes_all(call: Call) -> bool:
    attrs = call.attrs
    plain = not any(attrs[f"{what}_mask"] for what in ("new_axis", "shrink_axis", "ellipsis"))
    steps = static(call.operands[3])
    return plain and steps is not None and bool((steps == 1).all()) and _same_dims(call)


def _all_are(number: int) -> Callable[[Call], bool]:
    def says(call: Call) -> bool:
        value = static(call.operands[1])
        return value is not None and bool((value == number).all())

    return says


def _fits(call: Call) -> bool:
    return is_implied_by(call.operands[0].static_shape, as_dims(call.attrs["shape"]))


# -- redundant broadcasts ----------------------------------------------------------------------


def without_broadcast(at: Rewrite, call: Call) -> Results | None:
    """Remove broadcasts of operands of an element-wise op, which broadcasts by itself."""
    for tensor in call.operands:
        if tensor.op.definition in _REPEATERS:
            break
    else:
        return None
    shape = call.specs[0].shape
    if not is_static(shape):
        return None
    operands = list(call.operands)
    for i, tensor in enumerate(operands):
        index = _REPEATERS.get(tensor.op.definition)
        if index is None:
            continue
        shorter = [*operands]
        shorter[i] = tensor.op.operands[index]
        if _broadcast([t.static_shape for t in shorter]) == shape:
            operands = shorter
    if all(a is b for a, b in zip(operands, call.operands, strict=True)):
        return None
    return at.make(call.op, tuple(operands), call.attrs, call)


# The index of the operand that an op repeats.
_REPEATERS = {broadcast_to: 0, fill: 1}


def _broadcast(shapes: list[Any]) -> Any:
    result: Any = ()
    for dims in shapes:
        try:
            result = broadcast_shape(result, dims)
        except InferError:
            return None
    return result


_BY_OP: dict[Op, tuple[Rule, ...]] = {
    shape_of: (fold_static_sizes, of_source),
    shape_n: (fold_static_sizes,),
    size_of: (fold_static_sizes, of_source),
    rank_of: (fold_static_sizes, of_source),
    strided_slice: (part_of_shape, unchanged(_takes_all)),
    zeros_like: (filled,),
    ones_like: (filled,),
    broadcast_gradient_args: (broadcast_axes,),
    reshape: (unchanged(_targets_its_shape),),
    broadcast_to: (unchanged(_targets_its_shape),),
    squeeze: (unchanged(_same_dims),),
    transpose: (unchanged(_keeps_order),),
    slice_: (unchanged(_same_dims),),
    tile: (unchanged(_all_are(1)),),
    pad: (unchanged(_all_are(0)),),
    pad_v2: (unchanged(_all_are(0)),),
    ensure_shape: (unchanged(_fits),),
    concat_v2: (unchanged(lambda call: len(call.operands[0]) == 1),),
}
