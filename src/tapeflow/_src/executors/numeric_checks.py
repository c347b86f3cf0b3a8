"""Checks for NaN and infinity in the results of a graph's operations.

An interpreter with checked kernels raises at the first bad result, with the operation, its inputs
and the user's line. Compiled code only carries a flag; a call that sets it is run again there.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapeflow._src.core.dtypes import FLOATING
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.source import Location
from tapeflow._src.core.traits import INHERITS_NUMERICS
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.operation import Operation
from tapeflow._src.ops.state.variables import read_variable

# Statistics of a batch without elements are no numbers, and nobody uses them.
_BATCH_NORMS = frozenset({"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})
_SIGNED = {"-Inf": "-Inf", "+Inf": "+Inf", "NaN": "+NaN"}
# BLAS computes a dot product several times faster than NumPy looks at each element.
_SUMMED = (np.dtype(np.float32), np.dtype(np.float64))
_sum_of_squares = np.vdot
_ndarray = np.ndarray
_ELEMENTS_SHOWN = 6
# NaN and infinity in any operand make one in the result, if that has elements.
_PASSING_ON = frozenset(
    {"AddN", "AddV2", "BiasAdd", "MatMul", "Mul", "Neg", "Reshape", "Square", "Sub"}
)


class BadResult(NamedTuple):
    """An output of an operation that is not finite."""

    op: str
    output: int
    location: Location | None


def error_of(result: BadResult, text: str) -> InvalidArgumentError:
    """Return the error for a bad result, which it carries as the attribute `numerics`."""
    error = InvalidArgumentError(None, None, text)
    error.numerics = result  # type: ignore[attr-defined]
    error._location = result.location
    return error


def checked_outputs(op: Any, outputs: Sequence[Any]) -> list[int]:
    """Return the indices of the outputs that are checked."""
    if INHERITS_NUMERICS in op.traits or op.is_argument or op.is_constant:
        return []
    count = 1 if op.name in _BATCH_NORMS else len(outputs)
    return [i for i, tensor in enumerate(outputs[:count]) if tensor.dtype in FLOATING]


def flagged(body: Body) -> set[int]:
    """Return the tensors, by identity, whose values compiled code checks.

    If a value is not finite, neither is what is computed from it by an op of `_PASSING_ON`: the
    result of the last of these is checked, and the interpreter finds the first.
    """
    passed_on: set[int] = set()
    checked: set[int] = set()
    for node in reversed(body.nodes()):
        op = node.definition
        outputs = [node.outputs[i] for i in checked_outputs(op, node.outputs)]
        checked.update(id(t) for t in outputs if id(t) not in passed_on)
        # What moves values is not checked itself: it passes on what its readers do.
        if op.name in _PASSING_ON and (outputs or all(id(t) in passed_on for t in node.outputs)):
            passed_on.update(map(id, node.inputs))
    return checked


def is_finite(array: Any) -> bool:
    """Whether all elements are finite."""
    if not isinstance(array, np.ndarray):
        return math.isfinite(array) if isinstance(array, float | np.floating) else True
    if array.dtype in _SUMMED and array.flags.forc:
        flat = array.ravel("K")
        # A sum of squares may overflow: then all are looked at.
        if math.isfinite(np.dot(flat, flat)):
            return True
    return bool(np.isfinite(array).all())


def spared_reads(body: Body) -> set[int]:
    """Return the reads of variables, by identity, that need no check of their own.

    If one is not finite, neither is the result of its reader, which then blames the read:
    weights are often larger than all that is computed from them.
    """
    return {
        id(tensor.op)
        for node in body.nodes()
        if node.definition.name in _PASSING_ON and INHERITS_NUMERICS not in node.definition.traits
        for tensor in node.inputs
        if tensor.op.definition is read_variable
    }


def checked_kernel(node: Operation, kernel: Any, spared: Collection[int] = ()) -> Any:
    """Return a kernel of an operation that raises if it computes NaN or infinity."""
    indices = checked_outputs(node.definition, node.outputs)
    if not indices or id(node) in spared:
        return kernel
    single = node.definition.single_output

    def checked(xp: Any, *arrays: Any, **attrs: Any) -> Any:
        result = kernel(xp, *arrays, **attrs)
        # The most frequent case: a sum of squares, which is finite.
        if (
            single
            and type(result) is _ndarray
            and result.dtype in _SUMMED
            and math.isfinite(_sum_of_squares(result, result))
        ):
            return result
        for index in indices:
            array = result if single else result[index]
            if not is_finite(array):
                raise _blame(node, index, np.asarray(array), arrays)
        return result

    return checked


def _blame(node: Operation, index: int, array: Any, inputs: Sequence[Any]) -> Exception:
    """Return the error for a bad result, or for the variable that brought it."""
    flat = [each for value in inputs for each in _each(value)]
    for tensor, value in zip(node.inputs, flat):
        if tensor.op.definition is read_variable and not is_finite(value):
            node, index, array, inputs = tensor.op, 0, value, ()
            break
    text = message(node, index, array, inputs)
    return error_of(BadResult(node.type, index, node.source), text)


def message(node: Operation, index: int, array: Any, inputs: Sequence[Any]) -> str:
    """Return the message for a bad result: the operation, its inputs, and what made it."""
    tensor = node.outputs[index]
    counts = counted(array)
    lines = [
        "",
        "",
        f'!!! Detected Infinity or NaN in output {index} of graph op "{node.type}" '
        f"(# of outputs: {len(node.outputs)}) !!!",
        *described(node),
        f"  dtype: {tensor.dtype}",
        f"  shape: {array.shape}",
        *numbered(counts),
        "",
    ]
    flat = [each for value in inputs for each in _each(value)]
    for position, value in enumerate(flat):
        lines.append(f"  Input {position}: {_summary(value)}")
    return "\n".join(lines) + f"\n : Tensor had {enumerated(list(counts))} values"


def described(node: Operation) -> list[str]:
    """Return what an operation is, and which line made it."""
    where = node.source
    if where is None:
        return []
    what = f"the {where.note}, made by" if where.note else "made by"
    return [f"  It is {what} `{where.code()}` at {where.short()}"]


def counted(array: Any) -> dict[str, int]:
    """Return how many elements are infinite or NaN, per kind."""
    infinite = np.isinf(array)
    counts = {
        "-Inf": int((infinite & (array < 0)).sum()),
        "+Inf": int((infinite & (array > 0)).sum()),
        "NaN": int(np.isnan(array).sum()),
    }
    return {kind: count for kind, count in counts.items() if count}


def numbered(counts: dict[str, int]) -> list[str]:
    """Return a line for each kind of bad elements."""
    return [f"  # of {_SIGNED[kind]} elements: {count}" for kind, count in counts.items()]


def enumerated(words: list[str]) -> str:
    """Return words as an enumeration in a sentence."""
    return " and ".join(words) if len(words) < 3 else f"{words[0]}, {words[1]}, and {words[2]}"


def _each(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else (value,)


def _summary(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return repr(value)
    kind = f"{value.dtype.name}{list(value.shape)}"
    if value.size <= _ELEMENTS_SHOWN:
        return f"{kind} {value.tolist()}"
    if value.dtype.kind != "f":
        return kind
    with np.errstate(all="ignore"):
        return f"{kind} from {value.min():.6g} to {value.max():.6g}"
