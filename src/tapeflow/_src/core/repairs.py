"""Proposes what to write instead, for calls of ops that failed.

Looks at the op, at the shapes and dtypes of its inputs and at the message. It is consulted only
once a call has failed, so it may take its time, and it must never fail itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tapeflow._src.core.shape import broadcast_shapes


@dataclass(frozen=True)
class Failure:
    """A call that failed: the names and specs of the inputs, the attributes, and why."""

    op: Any
    specs: tuple[Any, ...]
    attrs: dict[str, Any]
    message: str

    def shape(self, index: int) -> tuple[int | None, ...] | None:
        """Return the static shape of an input that is no list."""
        shape: tuple[int | None, ...] | None = self.specs[index].shape
        return shape

    def known(self, index: int) -> tuple[int, ...] | None:
        """Return the shape of an input if all of its sizes are static."""
        shape = None if type(self.specs[index]) is tuple else self.shape(index)
        if shape is None:
            return None
        sizes = tuple(size for size in shape if size is not None)
        return sizes if len(sizes) == len(shape) else None


def repair(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any], message: str) -> str:
    """Return a sentence that says what to write instead, or "" if none can be proposed."""
    failure = Failure(op, specs, attrs, message)
    try:
        return next((text for text in _proposals(failure) if text), "")
    except (AttributeError, IndexError, TypeError, ValueError, ArithmeticError):
        return ""  # specs of another form than the rule for them expects


def _proposals(failure: Failure) -> Iterator[str]:
    rule = _RULES.get(failure.op.name)
    if rule is not None:
        yield rule(failure)
    if failure.op.broadcasts and len(failure.specs) == 2:
        yield _broadcast(failure)
    for pattern, general in _GENERAL:
        if re.search(pattern, failure.message, re.IGNORECASE):
            yield general(failure)


def _broadcasts(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    try:
        broadcast_shapes(a, b)
    except ValueError:
        return False
    return True


def _broadcast(failure: Failure) -> str:
    """Propose an axis, a transposition or a reshape that makes two operands broadcast."""
    names = failure.op.input_names
    first, second = failure.known(0), failure.known(1)
    if first is None or second is None or _broadcasts(first, second):
        return ""
    shapes = first, second
    for own, other in ((1, 0), (0, 1)):
        small, large = shapes[own], shapes[other]
        if small and len(small) < len(large) and _broadcasts((*small, 1), large):
            return (
                f"Shapes are aligned at the last axis. To repeat {names[own]} along it, add an axis"
                f" to {names[own]}: tf.expand_dims({names[own]}, -1), or"
                f" {names[own]}[{':, ' * len(small)}tf.newaxis]."
            )
    if len(shapes[1]) == 2 and _broadcasts(shapes[0], shapes[1][::-1]):
        return f"They agree after tf.transpose({names[1]})."
    if math.prod(shapes[0]) == math.prod(shapes[1]):
        return (
            f"Both have {math.prod(shapes[0])} elements: tf.reshape({names[1]}, {list(shapes[0])})."
        )
    return (
        "Shapes are aligned at the last axis, and sizes must be equal or 1: slice, tf.tile or "
        "tf.pad one of them to the other's size, or insert axes of size 1 with tf.newaxis."
    )


def _matmul(failure: Failure) -> str:
    a, b = failure.known(0), failure.known(1)
    if a is None or b is None:
        return ""
    if len(a) == 2 and len(b) == 1:
        return "For a vector write tf.linalg.matvec(a, b), or make it a column: b[:, tf.newaxis]."
    if len(a) == 1:
        return "Make the vector a row: a[tf.newaxis, :]; for two vectors use tf.tensordot(a, b, 1)."
    if len(a) < 2 or len(b) < 2:
        return "Use tf.multiply (*) for scalars; tf.matmul takes matrices."
    flags = [
        any(failure.attrs.get(name) for name in names)
        for names in (("transpose_a", "adj_x"), ("transpose_b", "adj_y"))
    ]
    rows_a, inner_a = a[-2:][::-1] if flags[0] else a[-2:]
    inner_b, columns_b = b[-2:][::-1] if flags[1] else b[-2:]
    if inner_a == columns_b:
        return f"b fits with the other order of axes: tf.matmul(a, b, transpose_b={not flags[1]})."
    if rows_a == inner_b:
        return f"a fits with the other order of axes: tf.matmul(a, b, transpose_a={not flags[0]})."
    if columns_b == rows_a:
        return "They fit in the other order: tf.matmul(b, a)."
    return f"Expected b of shape [{inner_a}, n]."


def _axis(failure: Failure) -> str:
    """Propose a valid axis, by the rank of the first input that has a shape."""
    shape = next((failure.shape(i) for i in _tensors(failure) if failure.shape(i)), None)
    if not shape:
        return "The tensor is a scalar, without axes: omit axis, or use tf.reshape(x, [1])."
    last = len(shape) - 1
    axes = "is axis=0" if last == 0 else f"are axis=0 to axis={last}"
    return f"The valid axes of a tensor of rank {len(shape)} {axes}; axis=-1 is the last one."


def _tensors(failure: Failure) -> Iterator[int]:
    """Yield the indices of inputs that are tensors of the op's dtype, not axes or shapes."""
    for i, (spec, kind) in enumerate(zip(failure.specs, failure.op.kinds)):
        if type(spec) is not tuple and kind in ("T", "Free"):
            yield i


def _concat(failure: Failure) -> str:
    values = failure.specs[0] if type(failure.specs[0]) is tuple else failure.specs[1]
    shapes = [spec.shape for spec in values]
    if any(shape is None for shape in shapes):
        return ""
    ranks = {len(shape) for shape in shapes}
    if 0 in ranks:
        return "Join scalars with tf.stack, or reshape them to rank 1: tf.reshape(x, [1])."
    if len(ranks) > 1:
        return "Insert an axis into the one of lower rank with tf.expand_dims, or use tf.stack."
    for axis in range(ranks.pop()):
        rest = {(*shape[:axis], *shape[axis + 1 :]) for shape in shapes}
        if len(rest) == 1:
            return f"They agree in all axes but {axis}: tf.concat(values, axis={axis})."
    return (
        "The shapes must be equal except along axis: cut or tf.pad the parts to one size, or "
        "use tf.ragged.stack."
    )


def _stack(failure: Failure) -> str:
    return (
        "tf.stack takes tensors of one shape: tf.pad them to one size, join them with tf.concat, "
        "or collect them with tf.ragged.stack."
    )


def _reshape(failure: Failure) -> str:
    shape, sizes = failure.known(0), failure.specs[1].value
    if shape is None or sizes is None:
        return ""
    count, sizes = math.prod(shape), sizes.reshape(-1).tolist()
    for at in (0, len(sizes) - 1):
        rest = math.prod(size for i, size in enumerate(sizes) if i != at and size != -1)
        if sizes and -1 not in sizes[:at] + sizes[at + 1 :] and rest > 0 and count % rest == 0:
            fitting = [*sizes[:at], -1, *sizes[at + 1 :]]
            return f"-1 stands for the size that fits: tf.reshape(x, {fitting})."
    return (
        f"{count} is {' * '.join(map(str, shape)) or 1}: choose sizes with that product; "
        "tf.reshape(x, [-1]) flattens."
    )


_OUT_OF = re.compile(r"= (-?\d+) is not in \[0, (\d+)\)")


def _gather(failure: Failure) -> str:
    match = _OUT_OF.search(failure.message)
    if match is None:
        return ""
    last = int(match[2]) - 1
    if int(match[1]) < 0:
        return f"Negative indices do not count from the end here: valid indices are 0 to {last}."
    return (
        f"Valid indices are 0 to {last}. Make the table larger (in an Embedding: input_dim of at "
        f"least {int(match[1]) + 1}), or limit the indices: tf.clip_by_value(indices, 0, {last})."
    )


def _gather_nd(failure: Failure) -> str:
    match = re.search(r"= \[([-\d, ]+)\] does not index", failure.message)
    shape = failure.shape(0)
    if match is None or shape is None:
        return ""
    for axis, (index, size) in enumerate(zip(map(int, match[1].split(",")), shape)):
        if size is not None and not 0 <= index < size:
            return f"Valid indices along axis {axis} are 0 to {size - 1}, not {index}."
    return ""


def _labels(failure: Failure) -> str:
    match = re.search(r"value of (-?\d+)\b.*range of \[0, (\d+)\)", failure.message)
    if match is None:
        return ""
    label, classes = int(match[1]), int(match[2])
    if label < 0:
        return "Labels are class numbers from 0: add the offset, or mask what has no label."
    hint = f"Use as many outputs as classes: here at least {label + 1}, not {classes}"
    return f"{hint}; if labels count from 1, subtract 1." if label == classes else f"{hint}."


def _einsum(failure: Failure) -> str:
    equation = failure.attrs.get("equation", "")
    parts = equation.replace(" ", "").split("->")[0].split(",")
    sizes: dict[str, tuple[int, str]] = {}
    for part, spec in zip(parts, failure.specs[0]):
        if "." in part or spec.shape is None or len(part) != len(spec.shape):
            continue
        for letter, size in zip(part, spec.shape):
            before = sizes.setdefault(letter, (size, part))
            if None not in (before[0], size) and before[0] != size:
                return (
                    f"In {equation!r} the letter {letter!r} is {before[0]} in {before[1]!r} and "
                    f"{size} in {part!r}: use different letters for axes of different size, or "
                    f"swap letters if an operand is transposed."
                )
    for part, spec in zip(parts, failure.specs[0]):
        if "." not in part and spec.shape is not None and len(part) != len(spec.shape):
            return (
                f"{part!r} in {equation!r} has {len(part)} letters, for an operand of rank "
                f"{len(spec.shape)}, shape {list(spec.shape)}: write one letter per axis, or '...' "
                f"for axes that are not named."
            )
    return "Each operand needs one letter per axis, or '...' for the axes that are not named."


def _split(failure: Failure) -> str:
    sizes = "[2, 3, -1]"
    match = re.search(r"\(size = (\d+)\) and num_split (\d+)", failure.message)
    if match is not None:
        size, count = int(match[1]), int(match[2])
        if 0 < count <= 8:
            sizes = str([size // count + (i < size % count) for i in range(count)])
    return (
        f"Pass the sizes of the parts instead of their number, tf.split(x, {sizes}), or pad "
        "the axis to a multiple."
    )


def _transpose(failure: Failure) -> str:
    shape = failure.shape(0)
    if shape is None:
        return ""
    order = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2] if len(shape) > 1 else [0]
    return (
        f"perm lists each of the axes 0 to {len(shape) - 1} once, such as {order}; "
        "tf.linalg.matrix_transpose swaps the last two."
    )


def _positive_definite(failure: Failure) -> str:
    return (
        "Add a small multiple of the identity: x + 1e-6 * tf.eye(n), and make sure that x is "
        "symmetric: (x + tf.transpose(x)) / 2."
    )


def _singular(failure: Failure) -> str:
    return (
        "Use tf.linalg.pinv or tf.linalg.lstsq, or add a small multiple of the identity: "
        "x + 1e-6 * tf.eye(n)."
    )


def _convolution(failure: Failure) -> str:
    data, kernel = failure.known(0), failure.known(1)
    if data is None or kernel is None:
        return ""
    if len(data) == len(kernel) - 1:
        return "If the batch axis is missing, add it: x[tf.newaxis, ...]."
    channels = data[1] if str(failure.attrs.get("data_format", "")).startswith("NC") else data[-1]
    if len(data) == len(kernel) and channels % max(kernel[-2], 1):
        return (
            f"The input has {channels} channels and the filters {kernel[-2]}: filters have the "
            f"shape [height, width, {channels}, output channels]. If the channels of the input "
            f"are not its last axis, transpose it: tf.transpose(x, [0, 2, 3, 1])."
        )
    return "Use padding='SAME', smaller filters or strides, or a larger input."


def _strings(failure: Failure) -> str:
    return (
        "Select or clean the texts first, with tf.strings.regex_full_match and "
        "tf.strings.strip, or replace what is no number with tf.where."
    )


def _select(failure: Failure) -> str:
    return (
        "The condition and both values must broadcast to one shape: add an axis to the condition "
        "with tf.expand_dims, or use tf.broadcast_to."
    )


def _scatter(failure: Failure) -> str:
    return (
        "indices has the shape [n, depth], with one row for each update, and updates the shape "
        "[n, ...rest of the tensor]: write indices as [[i], [j]], not [i, j]."
    )


def _rank_too_low(failure: Failure) -> str:
    return "Add an axis: tf.expand_dims(x, 0), or x[tf.newaxis, ...]; tf.reshape sets any shape."


def _integers(failure: Failure) -> str:
    return "Use tf.cast(x, tf.int32) for indices and sizes, tf.cast(x, tf.float32) for numbers."


def _slice(failure: Failure) -> str:
    return (
        "begin and size have one entry per axis, and begin + size stays within the shape; a size "
        "of -1 takes the rest. x[start:stop] cuts at the end by itself."
    )


def _index(failure: Failure) -> str:
    match = re.search(r"index (-?\d+) .*size (\d+)", failure.message)
    if match is None or int(match[2]) == 0:
        return "The axis is empty: there is nothing to select."
    return f"Valid indices are 0 to {int(match[2]) - 1}, and -1 is the last; slices may go beyond."


def _condition(failure: Failure) -> str:
    return (
        "Reduce it with tf.reduce_any(x) or tf.reduce_all(x), or choose element by element with "
        "tf.where(condition, a, b)."
    )


def _negative_size(failure: Failure) -> str:
    return "Sizes are 0 or more; only tf.reshape takes -1. Read an unknown size with tf.shape(x)."


def _padding(failure: Failure) -> str:
    shape = failure.shape(0)
    rows = "one row [before, after] per axis"
    return rows if shape is None else f"paddings has {rows}: {[[0, 0]] * len(shape)} adds nothing."


_EPSILON = "Keep the argument away from 0: {}(tf.maximum(x, epsilon)), with epsilon = 1e-12"
_NOT_FINITE = {
    "Log": f"{_EPSILON.format('tf.math.log')}; for p * log(p) use tf.math.xlogy(p, p).",
    "Sqrt": f"{_EPSILON.format('tf.sqrt')}; its gradient is infinite at 0.",
    "Rsqrt": f"{_EPSILON.format('tf.math.rsqrt')}.",
    "RealDiv": "Use tf.math.divide_no_nan(x, y), or keep y away from 0: tf.maximum(y, epsilon).",
    "Reciprocal": "Use tf.math.reciprocal_no_nan(x), or keep x away from 0.",
    "Exp": "Limit the argument, tf.minimum(x, 80.0), or use tf.reduce_logsumexp and tf.nn.softmax.",
    "Pow": "Keep the base away from 0 and below: tf.maximum(x, epsilon) ** y.",
}


def _not_finite(failure: Failure) -> str:
    name = failure.op.name.removesuffix("Grad")
    return _NOT_FINITE.get(
        {"Div": "RealDiv", "Inv": "Reciprocal"}.get(name, name),
        "Lower the learning rate, clip gradients (tf.clip_by_global_norm), or limit the values "
        "with tf.clip_by_value; tf.where chooses others where they are not finite.",
    )


def _seed(failure: Failure) -> str:
    return "Pass two integers: seed=[1, 0]."


def _dtype(failure: Failure) -> str:
    """Propose a conversion to a supported dtype, the most frequent first."""
    match = re.search(r"support dtype (\w+); allowed values: ([\w, ]+)", failure.message)
    if match is None:
        return ""
    allowed = match[2].strip().split(", ")
    target = next((d for d in ("float32", "int32", "int64") if d in allowed), allowed[0])
    return f"Convert it from {match[1]}: tf.cast(x, tf.{target})."


Rule = Callable[[Failure], str]
_RULES: dict[str, Rule] = {
    **dict.fromkeys(("MatMul", "BatchMatMulV2", "BatchMatMulV3"), _matmul),
    **dict.fromkeys(("Concat", "ConcatV2"), _concat),
    **dict.fromkeys(("GatherV2", "ResourceGather", "Gather"), _gather),
    **dict.fromkeys(("Split", "SplitV", "Unpack"), _split),
    **dict.fromkeys(("SelectV2", "Select"), _select),
    **dict.fromkeys(("Pad", "PadV2", "MirrorPad"), _padding),
    **dict.fromkeys(("MatrixInverse", "MatrixSolve", "MatrixTriangularSolve"), _singular),
    **dict.fromkeys(("Conv2D", "Conv3D", "DepthwiseConv2dNative"), _convolution),
    **dict.fromkeys(
        ("ScatterNd", "TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub"), _scatter
    ),
    "GatherNd": _gather_nd,
    "Pack": _stack,
    "Reshape": _reshape,
    "Einsum": _einsum,
    "Transpose": _transpose,
    "Cholesky": _positive_definite,
    "StringToNumber": _strings,
    "Slice": _slice,
    "StridedSlice": _index,
    **dict.fromkeys(("If", "StatelessIf", "While", "StatelessWhile"), _condition),
    "SparseSoftmaxCrossEntropyWithLogits": _labels,
}
# By what the message says, for any op; the first that proposes something is used.
_GENERAL: tuple[tuple[str, Rule], ...] = (
    (r"Tensor had .*(Inf|NaN)", _not_finite),
    (r"(axis|dim\w*) .*range|reduction dimension|is out of range|expand dim", _axis),
    (r"(rank|-D|dim\w*).* at least|at least .*(rank|-D|dim|vector|matrix)", _rank_too_low),
    (r"must be (>= 0|non-negative)|-?\d+ must be >= 0", _negative_size),
    (r"must be one of .*int(32|64), but is float", _integers),
    (r"seed must have shape \[2\]", _seed),
    (r"does not support dtype \w+; allowed values", _dtype),
)
