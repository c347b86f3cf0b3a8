"""`tf.test.compute_gradient`: Jacobians by the tape and by finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch
from tapeflow._src.core.types import TensorLike
from tapeflow._src.gradients.tape import GradientTape
from tapeflow._src.ops.indexed_slices import IndexedSlices

# The step of central differences, by the size of a number in bytes.
_STEPS = {2: 1.0 / 64, 4: 1.0 / 1024, 8: 1.0 / 2**20}

Matrices = tuple[np.ndarray, ...]


def compute_gradient(
    f: Callable[..., Any], x: TensorLike, delta: float | None = None
) -> tuple[Matrices, Matrices]:
    """Compute the Jacobians of `f` w.r.t. each of `x`: by the tape, and by finite differences.

    Rows are elements of the result, columns those of the argument; a complex number counts as two,
    its real and imaginary part.

    Args:
        f: A function of tensors that returns a tensor.
        x: A list of arguments.
        delta: The step of the differences.

    Returns:
        Two lists of arrays: the theoretical and the numerical Jacobians.

    Example:
        >>> x = np.array([3.0], np.float32)
        >>> theoretical, numerical = tf.test.compute_gradient(lambda x: x * x, [x])
        >>> theoretical[0].tolist()
        [[6.0]]
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(
            f"`x` must list the arguments of `f`, one entry each; received {type(x).__name__}"
        )
    values = [_argument(value) for value in x]
    steps = [_step(value, delta) for value in values]
    indices = range(len(values))
    theoretical = tuple(_by_tape(f, values, index) for index in indices)
    return theoretical, tuple(_by_differences(f, values, index, steps[index]) for index in indices)


def _argument(value: TensorLike) -> Any:
    tensor = dispatch.convert(value)
    if not (tensor.dtype.is_floating or tensor.dtype.is_complex):
        raise ValueError(
            f"compute_gradient takes floating-point and complex arguments, got {tensor.dtype!r}."
        )
    return tensor


def _step(tensor: Any, delta: float | None) -> float:
    if delta is not None:
        return delta
    return _STEPS[tensor.dtype.real_dtype.size]


def _parts(array: np.ndarray) -> np.ndarray:
    """Flatten to real numbers; a complex number becomes two."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _by_tape(f: Callable[..., Any], values: list[Any], index: int) -> np.ndarray:
    """Compute the Jacobian w.r.t. one argument: a gradient for each element of the result."""
    like = _array(_result(f, values))
    rows = []
    for i in range(_parts(like).size):
        seed = np.zeros(_parts(like).size, _parts(like).dtype)
        seed[i] = 1
        grad_of = dispatch.convert(seed.view(like.dtype).reshape(like.shape))
        with GradientTape() as tape:
            tape.watch(values)
            result = _result(f, values)
        rows.append(_column(tape.gradient(result, values[index], grad_of), values[index]))
    width = _parts(values[index].numpy()).size
    kind = values[index].dtype.real_dtype.np
    return np.array(rows, kind).reshape(len(rows), width)


def _column(gradient: Any, value: Any) -> np.ndarray:
    if gradient is None:
        return np.zeros_like(_parts(value.numpy()))
    dense = dispatch.convert(gradient) if isinstance(gradient, IndexedSlices) else gradient
    return _parts(dense.numpy())


def _by_differences(
    f: Callable[..., Any], values: list[Any], index: int, step: float
) -> np.ndarray:
    """Compute the Jacobian w.r.t. one argument by central differences."""
    array = np.array(values[index].numpy())
    columns = []
    for i in range(_parts(array).size):
        results = []
        for side in (step, -step):
            moved = array.copy()
            numbers = moved.reshape(-1)
            numbers = numbers.view(numbers.real.dtype) if moved.dtype.kind == "c" else numbers
            numbers[i] += np.asarray(side, numbers.dtype)
            arguments = [*values]
            arguments[index] = dispatch.convert(moved)
            results.append(_parts(_array(_result(f, arguments))))
        columns.append((results[0] - results[1]) / np.asarray(2 * step, results[0].dtype))
    kind = values[index].dtype.real_dtype.np
    rows = columns[0].size if columns else _parts(_array(_result(f, values))).size
    return np.array(columns, kind).reshape(len(columns), rows).T


def _result(f: Callable[..., Any], values: list[Any]) -> Any:
    return dispatch.convert(f(*values))


def _array(tensor: Any) -> np.ndarray:
    return np.asarray(tensor.numpy())
