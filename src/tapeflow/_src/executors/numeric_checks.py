"""Checks for NaN and infinity in the results of a graph's operations.

An interpreter with checked kernels raises at the first bad result, with the operation, its inputs
and the user's line. Which results need a check of their own is decided once per graph: see
`executors/check_plan.py`. Compiled code only carries a flag; a call that sets it is run again
there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tapeflow._src.core.dtypes import FLOATING
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.source import Location
from tapeflow._src.core.traits import INHERITS_NUMERICS
from tapeflow._src.graph.operation import Operation

# Statistics of a batch without elements are no numbers, and nobody uses them.
_BATCH_NORMS = frozenset({"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})
_SIGNED = {"-Inf": "-Inf", "+Inf": "+Inf", "NaN": "+NaN"}
# BLAS computes a dot product several times faster than NumPy looks at each element.
_SUMMED = (np.dtype(np.float32), np.dtype(np.float64))
_ndarray = np.ndarray
_isfinite = math.isfinite
_ELEMENTS_SHOWN = 6


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


def is_finite(array: Any) -> bool:
    """Whether all elements are finite."""
    if not isinstance(array, np.ndarray):
        return math.isfinite(array) if isinstance(array, float | np.floating) else True
    if array.dtype in _SUMMED:
        flat = array.ravel()
        # A sum of squares may overflow: then all are looked at.
        if _isfinite(flat.dot(flat)):
            return True
    return bool(np.isfinite(array).all())


class NotFinite(Exception):
    """Raised by a checked kernel; the interpreter replaces it by an error for the user."""

    def __init__(self, node: Operation, index: int, array: Any, inputs: Sequence[Any]) -> None:
        super().__init__(node.type)
        self.node = node
        self.index = index
        self.array = np.asarray(array)
        self.inputs = inputs

    def error(self) -> InvalidArgumentError:
        """Return the error with the operation, its inputs and the user's line."""
        text = message(self.node, self.index, self.array, self.inputs)
        return error_of(BadResult(self.node.type, self.index, self.node.source), text)


def checked_kernel(node: Operation, kernel: Any) -> Any:
    """Return a kernel of an operation that raises if it computes NaN or infinity."""
    indices = checked_outputs(node.definition, node.outputs)
    if not indices:
        return kernel
    if node.definition.single_output:
        is_summed = node.outputs[0].dtype.np in _SUMMED
        return _summed_kernel(node, kernel) if is_summed else _single_kernel(node, kernel)

    def checked(xp: Any, *arrays: Any, **attrs: Any) -> Any:
        results = kernel(xp, *arrays, **attrs)
        for index in indices:
            if not is_finite(results[index]):
                raise NotFinite(node, index, results[index], arrays)
        return results

    return checked


def _single_kernel(node: Operation, kernel: Any) -> Any:
    def checked(xp: Any, *arrays: Any, **attrs: Any) -> Any:
        result = kernel(xp, *arrays, **attrs)
        if not is_finite(result):
            raise NotFinite(node, 0, result, arrays)
        return result

    return checked


def _summed_kernel(node: Operation, kernel: Any) -> Any:
    """Return the checked kernel of the most frequent case: a sum of squares that is finite."""

    def checked(xp: Any, *arrays: Any, **attrs: Any) -> Any:
        result = kernel(xp, *arrays, **attrs)
        if type(result) is _ndarray:
            flat = result.ravel()
            if _isfinite(flat.dot(flat)):
                return result
        elif _isfinite(result):
            return result
        if not is_finite(result):
            raise NotFinite(node, 0, result, arrays)
        return result

    return checked


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
