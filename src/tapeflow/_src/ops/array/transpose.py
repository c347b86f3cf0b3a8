"""Permutation of axes and reordering of elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow._src.backends import blocks
from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import Batch, along_axes, is_static
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import allowed_dtype
from tapeflow._src.core.registry import Index, InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import (
    ELEMENTWISE,
    EXACT_IN_BATCHES,
    INHERITS_NUMERICS,
    KEEPS_WEAK,
    OWN_SCOPE,
    TOTAL_ON_SHAPES,
)
from tapeflow._src.ops.array.shape import size, static_ints
from tapeflow._src.ops.math.arithmetic import add_v2, conj_of, mul, neg
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import less
from tapeflow._src.ops.math.elementwise import scalar

# -- the order of the axes --------------------------------------------------------------------


def _infer_transpose(op, specs, attrs):
    x, perm = specs
    if perm.shape is not None and len(perm.shape) != 1:
        raise InferError(f"perm must be rank 1, got shape {fmt_shape(perm.shape)}")
    count = perm.shape[0] if perm.shape else None
    if x.shape is not None and count is not None and count != len(x.shape):
        raise InferError(
            f"transpose expects a vector of size {len(x.shape)}. But input(1) is a vector of size "
            f"{count}"
        )
    rank = count if x.shape is None else len(x.shape)
    if rank is None or perm.value is None or x.shape is None:
        return Spec(None if rank is None else (None,) * rank, x.dtype)
    return Spec(tuple(x.shape[i] for i in _permutation(perm.value, rank)), x.dtype)


def _permutation(perm: Any, rank: int) -> list[int]:
    order = [i + rank if i < 0 else i for i in perm.tolist()]
    for i in order:
        if not 0 <= i < rank:
            raise InferError(f"{i} is out of range [0 .. {rank})")
    for i in range(rank):
        if i not in order:
            raise InferError(f"{i} is missing from {{{','.join(map(str, order))}}}.")
    return order


def _batch_transpose(batch: Batch, x: Any, perm: Any) -> Any:
    if not is_static(perm):
        return NotImplemented
    rank = len(x.static_shape)
    return batch.op(batch.values(x), batch.ints(0, *(int(p) % rank + 1 for p in perm.static_value)))


@op(
    "Transpose",
    infer=_infer_transpose,
    traits=(EXACT_IN_BATCHES, INHERITS_NUMERICS, KEEPS_WEAK, OWN_SCOPE, TOTAL_ON_SHAPES),
    display="transpose",
    batch=_batch_transpose,
)
def transpose(xp, x, perm: Static):
    """Permute the axes of `x` by `perm`."""
    return x.transpose(tuple(perm.tolist()))


@transpose.gradient
def _(dz, *, perm):
    return transpose(dz, inverse_of(perm)), None


@op(
    "ConjugateTranspose",
    infer=_infer_transpose,
    traits=(KEEPS_WEAK, OWN_SCOPE),
    batch=_batch_transpose,
)
def conjugate_transpose(xp, x, perm: Static):
    """Conjugate `x` and permute its axes by `perm`."""
    moved = x.transpose(tuple(perm.tolist()))
    return xp.conj(moved) if moved.dtype.kind == "c" else moved


@conjugate_transpose.gradient
def _(dz, *, perm):
    return conj_of(transpose(dz, inverse_of(perm))), None


def inverse_of(perm: Any) -> Any:
    """Return the inverse permutation of `perm`."""
    order = perm.static_value
    if order is None:
        from_behind = cast(less(perm, scalar(0, perm)), DstT=perm.dtype)
        return invert_permutation(add_v2(perm, mul(from_behind, size(perm, out_type=perm.dtype))))
    rank = len(order)
    return static_ints(tuple(np.argsort(order % rank).tolist()) if rank else ())


@op("InvertPermutation", grad=None, checked=True)
def invert_permutation(xp, x: Index):
    """Return the inverse permutation of `x`."""
    count = x.shape[0]
    xp.require(xp.all((x >= 0) & (x < count)), lambda: _invalid_index(x))
    inverse = xp.full(count, -1, dtype=x.dtype)
    inverse = xp.index_set(inverse, x, xp.arange(count, dtype=x.dtype))
    xp.require(xp.all(inverse >= 0), lambda: f"{_repeated(x)} is duplicated in the input.")
    return inverse


def _invalid_index(x: Any) -> str:
    wrong = x[(x < 0) | (x >= len(x))]
    return f"{wrong[0]} is not between 0 and {len(x)}"


def _repeated(x: Any) -> int:
    values, counts = np.unique(x, return_counts=True)
    return int(values[counts > 1][0])


@invert_permutation.infer
def _(x):
    if x.shape is not None and len(x.shape) != 1:
        raise InferError("invert_permutation expects a 1D vector.")
    return Spec(x.shape, x.dtype)


# -- the order along axes ---------------------------------------------------------------------

_REVERSIBLE = dtypes.NUMERIC | {dtypes.bool, dtypes.string}


@op(
    "ReverseV2",
    dtypes=_REVERSIBLE,
    checked=True,
    traits=(EXACT_IN_BATCHES, TOTAL_ON_SHAPES),
    ragged_scope="Reverse",
    batch=along_axes,
)
def reverse_v2(xp, tensor, axis: Static):
    """Reverse `tensor` along each of the axes."""
    return xp.flip(tensor, tuple(axis.tolist()))


@reverse_v2.infer
def _(tensor, axis):
    if axis.shape is not None and len(axis.shape) != 1:
        raise InferError(f"'dims' must be 1-dimension, not {len(axis.shape)}")
    if axis.value is None or tensor.shape is None:
        return Spec(tensor.shape, tensor.dtype)
    rank, seen = len(tensor.shape), set()
    for i, at in enumerate(axis.value.tolist()):
        if not -rank <= at < rank:
            raise InferError(f"'axis'[{i}] = {at} is out of valid range [0, {rank - 1}]")
        if at % rank in seen:
            raise InferError(f"axis {at % rank} specified more than once.")
        seen.add(at % rank)
    return Spec(tensor.shape, tensor.dtype)


@reverse_v2.gradient
def _(dz, *, axis):
    return reverse_v2(dz, axis), None


@op("ReverseSequence", checked=True)
def reverse_sequence(xp, input, seq_lengths: Index, *, seq_dim, batch_dim=0):
    """Reverse the first `seq_lengths[i]` steps of each slice along `batch_dim`."""
    steps = input.shape[seq_dim]
    xp.require(xp.all(seq_lengths >= 0), lambda: _bad_length(seq_lengths, 0, "< 0"))
    xp.require(
        xp.all(seq_lengths <= steps),
        lambda: _bad_length(seq_lengths, steps, f"> input.dims({seq_dim})"),
    )
    shape = [1] * input.ndim
    shape[batch_dim] = -1
    lengths = seq_lengths.reshape(shape)
    shape = [1] * input.ndim
    shape[seq_dim] = -1
    positions = np.arange(steps).reshape(shape)
    source = xp.where(positions < lengths, lengths - 1 - positions, positions)
    # One index per axis, each broadcast against the others.
    key = [
        source
        if i == seq_dim
        else np.arange(n).reshape([-1 if j == i else 1 for j in range(input.ndim)])
        for i, n in enumerate(input.shape)
    ]
    return input[tuple(key)]


def _bad_length(lengths: Any, limit: int, what: str) -> str:
    bad = lengths < 0 if limit == 0 and (lengths < 0).any() else lengths > limit
    return f"seq_lens({int(bad.argmax())}) {what}"


@reverse_sequence.infer
def _(input, seq_lengths, *, seq_dim, batch_dim):
    if seq_lengths.shape is not None and len(seq_lengths.shape) != 1:
        raise InferError(f"seq_lengths must be 1-dim, not {len(seq_lengths.shape)}")
    if batch_dim == seq_dim:
        raise InferError(f"batch_dim == seq_dim == {seq_dim}")
    for name, axis in (("seq_dim", seq_dim), ("batch_dim", batch_dim)):
        if axis < 0:
            raise InferError(f"Invalid {name} {axis}")
        if input.shape is not None and axis >= len(input.shape):
            raise InferError(f"{name} must be < input rank ( {axis} vs. {len(input.shape)})")
    if input.shape is None or not seq_lengths.shape:
        return Spec(input.shape, input.dtype)
    length_count, batch_size = seq_lengths.shape[0], input.shape[batch_dim]
    if length_count is not None and batch_size is not None and length_count != batch_size:
        raise InferError(
            f"Length of seq_lengths != input.dims({batch_dim}), ({length_count} vs. {batch_size})"
        )
    return Spec(input.shape, input.dtype)


@reverse_sequence.gradient
def _(dz, *, seq_lengths, seq_dim, batch_dim):
    return reverse_sequence(dz, seq_lengths, seq_dim=seq_dim, batch_dim=batch_dim), None


@op("Roll", checked=True)
def roll(xp, input, shift: Index, axis: Static):
    """Roll `input` along the axes, wrapping around."""
    result = input
    for amount, at in zip(shift.reshape(-1), axis.reshape(-1).tolist(), strict=True):
        result = xp.roll(result, amount, at)
    return result


@roll.kernel("numpy")
def _(xp, input, shift, axis):
    result = input
    for amount, at in zip(shift.reshape(-1).tolist(), axis.reshape(-1).tolist(), strict=True):
        size = result.shape[at]
        cut = -amount % size if size else 0
        if cut:
            before = (slice(None),) * (at % result.ndim)
            parts = (result[(*before, slice(cut, None))], result[(*before, slice(0, cut))])
            result = blocks.joined(parts, at % result.ndim)
    return result


@roll.infer
def _(input, shift, axis):
    if input.shape is not None and not input.shape:
        raise InferError("input must be 1-D or higher")
    for name, spec in (("shift", shift), ("axis", axis)):
        if spec.shape is not None and len(spec.shape) > 1:
            raise InferError(
                f"{name} must be a scalar or a 1-D vector. Found: {fmt_shape(spec.shape)}"
            )
    is_static = shift.shape is not None and axis.shape is not None and None not in shift.shape
    if is_static and None not in axis.shape and shift.shape != axis.shape:
        raise InferError("shift and axis must have the same size")
    if axis.value is not None and input.shape is not None:
        rank = len(input.shape)
        for at in axis.value.reshape(-1).tolist():
            if not -rank <= at < rank:
                raise InferError(f"axis {at + rank if at < 0 else at} is out of range")
    return Spec(input.shape, input.dtype)


@roll.gradient
def _(dz, *, shift, axis):
    return roll(dz, neg(shift), axis), None, None


@roll.batch
def _(batch: Batch, input: Any, shift: Any, axis: Any) -> Any:
    axes = batch.axes(axis, len(input.static_shape), flat=False)
    if axes is None or batch.has(shift):
        return NotImplemented
    return batch.op(batch.values(input), shift, axes)


# -- the bits ---------------------------------------------------------------------------------

_BITS = dtypes.NUMERIC | dtypes.QUANTIZED


@op("Bitcast", dtypes=_BITS, grad=None, traits=(ELEMENTWISE,))
def bitcast(xp, input, *, type):
    """Reinterpret the bits of `input` as another dtype; the last axis absorbs a change of size."""
    return xp.bitcast(input, dtypes.as_dtype(type).np)


@bitcast.infer
def _(input, *, type):
    target = allowed_dtype("type", type, _BITS)
    size, target_size = input.dtype.size, target.size
    if input.shape is None or size == target_size:
        return Spec(input.shape, target)
    if size > target_size:
        return Spec((*input.shape, size // target_size), target)
    if not input.shape or input.shape[-1] not in (None, target_size // size):
        raise InferError(f"Cannot bitcast from {target_size} to {size}")
    return Spec(input.shape[:-1], target)


# -- indices ----------------------------------------------------------------------------------


@op("UnravelIndex", grad=None, checked=True)
def unravel_index(xp, indices: Index, dims: Static):
    """Return the coordinates, one row per axis, of row-major indices."""
    total = int(np.prod(dims))
    xp.require(xp.all(indices < total), "index is out of bound as with dims")
    rows: list[Any] = []
    rest = indices
    for length in reversed(dims.tolist()):
        # Towards zero, as TF does with negative indices.
        quotient = xp.sign(rest) * (xp.abs(rest) // length)
        rows.insert(0, rest - quotient * length)
        rest = quotient
    return xp.stack(rows).astype(indices.dtype)


@unravel_index.infer
def _(indices, dims):
    if indices.shape is not None and len(indices.shape) > 1:
        raise InferError(
            f'The indices can only be scalar or vector, got "{fmt_shape(indices.shape)}"'
        )
    if dims.shape is not None and len(dims.shape) != 1:
        raise InferError(f'The indices can only be 1-D, got "{fmt_shape(dims.shape)}"')
    if dims.value is not None and 0 in dims.value:
        at = dims.value.tolist().index(0)
        raise InferError(
            f"Input dims cannot contain a dim of zero, but dims contains zero at index {at}"
        )
    if dims.value is not None and math.prod(dims.value.tolist()) > np.iinfo(dims.dtype.np).max:
        shown = " ".join(str(n) for n in dims.value.tolist())
        raise InferError(f"Input dims product is causing integer overflow: ({shown})")
    if indices.shape is None or dims.shape is None:
        return Spec(None, indices.dtype)
    return Spec((dims.shape[0], *indices.shape), indices.dtype)
