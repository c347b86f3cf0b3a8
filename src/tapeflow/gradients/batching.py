"""Batch rules: how ops run once for a whole batch (see `vectorize`). Here those of the array ops.

Ops that work element by element need none. A rule is declared by the op's name, so that nothing is
imported for it.
"""

from __future__ import annotations

from typing import Any

from tapeflow.core.infer import broadcast_shape
from tapeflow.core.registry import InferError
from tapeflow.core.spec import Spec
from tapeflow.gradients import batching_indices as batching_indices
from tapeflow.gradients import batching_nn as batching_nn
from tapeflow.gradients import batching_random as batching_random
from tapeflow.gradients.batching_shapes import axes_after_batch, axis_after_batch
from tapeflow.gradients.vectorize import Batch, Shared, aligned, rule_for
from tapeflow.ops.arithmetic import conj, mul
from tapeflow.ops.array import broadcast_to, identity, reshape, scalar_int, static_ints, sum_
from tapeflow.ops.elementwise import scalar, square
from tapeflow.ops.matmul import batch_mat_mul_v2

# -- by themselves ------------------------------------------------------------------------------


@rule_for(
    "Angle",
    "Bucketize",
    "Cast",
    "CheckNumerics",
    "CheckNumericsV2",
    "ComplexAbs",
    "Imag",
    "PopulationCount",
    "Real",
)
def _(batch: Batch, x: Any, **attrs: Any) -> Any:
    return batch.op(batch.values(x), **attrs)


@rule_for("Equal", "NotEqual")
def _(batch: Batch, x: Any, y: Any, **attrs: Any) -> Any:
    try:
        broadcast_shape(x._dims, y._dims)
    except InferError:
        return NotImplemented  # One answer for shapes that do not fit, not one per element.
    return batch.op(*aligned((x, y), batch.has), **attrs)


@rule_for("ClipByValue")
def _(batch: Batch, t: Any, low: Any, high: Any) -> Any:
    """Bounds are scalars or of the shape of `t`, so those that differ are written out."""
    values = batch.values(t)
    bounds = [
        broadcast_to(aligned((t, b), batch.has)[1], static_ints(values._dims))
        if batch.has(b) or b._dims
        else b
        for b in (low, high)
    ]
    return batch.op(values, *bounds)


@rule_for("BatchMatMulV2", "BatchMatMulV3", "MatrixTriangularSolve")
def _(batch: Batch, x: Any, y: Any, **attrs: Any) -> Any:
    return batch.op(*aligned((x, y), batch.has), **attrs)


@rule_for(
    "ApproximateEqual",
    "BatchMatMul",
    "Cholesky",
    "CholeskyGrad",
    "Cross",
    "FFT",
    "FFT2D",
    "FFT3D",
    "IFFT",
    "IFFT2D",
    "IFFT3D",
    "LogMatrixDeterminant",
    "LogSoftmax",
    "Lu",
    "MatrixDeterminant",
    "MatrixInverse",
    "MatrixLogarithm",
    "MatrixSolve",
    "MatrixSquareRoot",
    "Qr",
    "Softmax",
    "TridiagonalMatMul",
    "TridiagonalSolve",
)
def _(batch: Batch, *inputs: Any, **attrs: Any) -> Any:
    """They work on the last axes, whatever comes before."""
    return batch.op(*[batch.values(x) for x in inputs], **attrs)


@rule_for("Eig", "SelfAdjointEigV2", "Svd")
def _(batch: Batch, x: Any, **attrs: Any) -> Any:
    """As above; vectors that are not asked for are empty, whatever the batch."""
    values, *vectors = batch.op(batch.values(x), **attrs)
    asked = attrs.get("compute_v", True) and attrs.get("compute_uv", True)
    return (values, *(v if asked else Shared(v) for v in vectors))


@rule_for(
    "AdjustContrastv2",
    "AdjustHue",
    "AdjustSaturation",
    "IRFFT",
    "IRFFT2D",
    "IRFFT3D",
    "MatrixBandPart",
    "MatrixDiagPartV3",
    "MatrixDiagV3",
    "RFFT",
    "RFFT2D",
    "RFFT3D",
    "TopKV2",
)
def _(batch: Batch, x: Any, *settings: Any, **attrs: Any) -> Any:
    """As above, and what follows is not data."""
    if any(batch.has(s) for s in settings):
        return NotImplemented
    return batch.op(batch.values(x), *settings, **attrs)


@rule_for("MatrixSetDiagV3", "MatrixSolveLs")
def _(batch: Batch, x: Any, y: Any, setting: Any, **attrs: Any) -> Any:
    if batch.has(setting):
        return NotImplemented
    return batch.op(batch.values(x), batch.values(y), setting, **attrs)


@rule_for("AddN", "IdentityN")
def _(batch: Batch, inputs: Any, **attrs: Any) -> Any:
    return batch.op([batch.values(x) for x in inputs], **attrs)


@rule_for("Select")
def _(batch: Batch, condition: Any, t: Any, e: Any) -> Any:
    if condition._dims != t._dims:
        return NotImplemented
    return batch.op(batch.values(condition), batch.values(t), batch.values(e))


# -- what is known without the values -----------------------------------------------------------


@rule_for("Shape", "Size", "Rank")
def _(batch: Batch, input: Any, **attrs: Any) -> Any:
    if None in input._dims:
        return NotImplemented
    return Shared(batch.op(broadcast_to(scalar_int(0), static_ints(input._dims)), **attrs))


@rule_for("ShapeN")
def _(batch: Batch, input: Any, **attrs: Any) -> Any:
    if any(None in x._dims for x in input):
        return NotImplemented
    alike = [broadcast_to(scalar_int(0), static_ints(x._dims)) for x in input]
    return tuple(Shared(sizes) for sizes in batch.op(alike, **attrs))


@rule_for("ZerosLike", "OnesLike")
def _(batch: Batch, x: Any) -> Any:
    return batch.op(batch.values(x))


# -- reductions and scans -----------------------------------------------------------------------


@rule_for("All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "ReverseV2", "Sum")
def _(batch: Batch, x: Any, axis: Any, **attrs: Any) -> Any:
    axes = axes_after_batch(axis, len(x._dims))
    return NotImplemented if axes is None else batch.op(batch.values(x), axes, **attrs)


@rule_for("ArgMax", "ArgMin", "Cumprod", "Cumsum", "CumulativeLogsumexp")
def _(batch: Batch, x: Any, axis: Any, **attrs: Any) -> Any:
    after = axis_after_batch(axis, len(x._dims))
    return NotImplemented if after is None else batch.op(batch.values(x), after, **attrs)


@rule_for("L2Loss")
def _(batch: Batch, t: Any) -> Any:
    squares = square(batch.values(t))
    axes = static_ints(tuple(range(1, len(squares._dims))))
    return mul(scalar(0.5, squares), sum_(squares, axes))


# -- products -----------------------------------------------------------------------------------


@rule_for("MatMul")
def _(batch: Batch, a: Any, b: Any, *, transpose_a: bool, transpose_b: bool, **attrs: Any) -> Any:
    x, y = (batch.values(t) if batch.has(t) else t for t in (a, b))
    if not batch.has(b) and not transpose_a and None not in x._dims:
        # All rows of all members in one product.
        n, rows, inner = x._dims
        flat = reshape(x, static_ints((n * rows, inner)))
        product = batch.op(flat, b, transpose_a=False, transpose_b=transpose_b, **attrs)
        return reshape(product, static_ints((n, rows, product._dims[1])))
    # Of complex matrices the batched product takes the adjoint, not the transpose.
    if transpose_a and x.dtype.is_complex:
        x = conj(x)
    if transpose_b and y.dtype.is_complex:
        y = conj(y)
    return batch_mat_mul_v2(x, y, adj_x=transpose_a, adj_y=transpose_b)


@rule_for("Einsum")
def _(batch: Batch, inputs: Any, *, equation: str, **attrs: Any) -> Any:
    left, arrow, right = equation.partition("->")
    letter = next((c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBA" if c not in equation), None)
    if not arrow or letter is None:
        return NotImplemented
    terms = [
        letter + term.strip() if batch.has(x) else term
        for term, x in zip(left.split(","), inputs, strict=True)
    ]
    values = [batch.values(x) if batch.has(x) else x for x in inputs]
    return batch.op(values, equation=f"{','.join(terms)}->{letter}{right.strip()}", **attrs)


# -- shapes -------------------------------------------------------------------------------------


@rule_for("Reshape")
def _(batch: Batch, tensor: Any, shape: Any) -> Any:
    if shape._static is None or None in tensor._dims:
        return NotImplemented
    specs = (Spec(tensor._dims, tensor.dtype), Spec(shape._dims, shape.dtype, shape._static))
    (result,) = batch.op.infer_outputs(specs, {})
    return batch.op(batch.values(tensor), static_ints((batch.size, *(result.shape or ()))))


@rule_for("EnsureShape")
def _(batch: Batch, input: Any, *, shape: Any) -> Any:
    """It was checked for one member already."""
    return identity(batch.values(input))


@rule_for("ExpandDims")
def _(batch: Batch, input: Any, axis: Any) -> Any:
    after = axis_after_batch(axis, len(input._dims) + 1)
    return NotImplemented if after is None else batch.op(batch.values(input), after)


@rule_for("Squeeze")
def _(batch: Batch, input: Any, *, axis: Any) -> Any:
    rank = len(input._dims)
    gone = {a % rank for a in axis} if axis else {i for i, n in enumerate(input._dims) if n == 1}
    if not gone:
        # No axis named would mean every axis of size 1, the batch among them.
        return identity(batch.values(input))
    return batch.op(batch.values(input), axis=[a + 1 for a in sorted(gone)])


@rule_for("Transpose", "ConjugateTranspose")
def _(batch: Batch, x: Any, perm: Any) -> Any:
    if perm._static is None:
        return NotImplemented
    rank = len(x._dims)
    order = (0, *(int(p) % rank + 1 for p in perm._static))
    return batch.op(batch.values(x), static_ints(order))


@rule_for("BroadcastTo")
def _(batch: Batch, input: Any, shape: Any) -> Any:
    if shape._static is None:
        return NotImplemented
    dims = tuple(int(n) for n in shape._static)
    value = batch.values(input)
    gap = len(dims) - len(input._dims)
    if gap:
        value = reshape(value, static_ints((batch.size, *(1,) * gap, *input._dims)))
    return batch.op(value, static_ints((batch.size, *dims)))


@rule_for("Fill")
def _(batch: Batch, dims: Any, value: Any) -> Any:
    if dims._static is None:
        return NotImplemented
    sizes = tuple(int(n) for n in dims._static)
    values = reshape(batch.values(value), static_ints((batch.size, *(1,) * len(sizes))))
    return broadcast_to(values, static_ints((batch.size, *sizes)))


# -- joining and taking apart -------------------------------------------------------------------


@rule_for("Pack")
def _(batch: Batch, values: Any, *, axis: int) -> Any:
    rank = len(values[0]._dims) + 1
    return batch.op([batch.values(v) for v in values], axis=axis % rank + 1)


@rule_for("Unpack")
def _(batch: Batch, value: Any, *, num: int, axis: int) -> Any:
    return batch.op(batch.values(value), num=num, axis=axis % len(value._dims) + 1)


@rule_for("ConcatV2")
def _(batch: Batch, values: Any, axis: Any) -> Any:
    after = axis_after_batch(axis, len(values[0]._dims))
    return NotImplemented if after is None else batch.op([batch.values(v) for v in values], after)


@rule_for("Split")
def _(batch: Batch, axis: Any, value: Any, *, num_split: int) -> Any:
    after = axis_after_batch(axis, len(value._dims))
    if after is None:
        return NotImplemented
    return batch.op(after, batch.values(value), num_split=num_split)


@rule_for("SplitV")
def _(batch: Batch, value: Any, size_splits: Any, axis: Any, *, num_split: int) -> Any:
    after = axis_after_batch(axis, len(value._dims))
    if after is None:
        return NotImplemented
    return batch.op(batch.values(value), size_splits, after, num_split=num_split)


@rule_for("Tile")
def _(batch: Batch, input: Any, multiples: Any) -> Any:
    if multiples._static is None:
        return NotImplemented
    return batch.op(batch.values(input), static_ints((1, *(int(m) for m in multiples._static))))


@rule_for("Roll")
def _(batch: Batch, input: Any, shift: Any, axis: Any) -> Any:
    axes = axes_after_batch(axis, len(input._dims), flat=False)
    if axes is None or batch.has(shift):
        return NotImplemented
    return batch.op(batch.values(input), shift, axes)
