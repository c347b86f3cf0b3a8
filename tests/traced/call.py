"""A call of the public API as text, with its inputs: it is run eagerly, and traced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import tapeflow as tf


@dataclass(frozen=True)
class Call:
    """`text` sees `tf`, `np` and the inputs, as tensors, by their names.

    rank: why the ranks of the inputs must be known while tracing, if so.
    sizes: why their sizes must be.
    """

    text: str
    inputs: dict[str, np.ndarray]
    rank: str = ""
    sizes: str = ""

    def __str__(self) -> str:
        return self.text

    def __call__(self, *tensors: Any) -> Any:
        names = {"tf": tf, "np": np, **dict(zip(self.inputs, tensors, strict=True))}
        # One namespace, so that functions within the text see the inputs.
        return eval(self.text, names)


def C(text: str, *, rank: str = "", sizes: str = "", **inputs: Any) -> Call:
    """A call; inputs are arrays, or Python values that become such."""
    return Call(text, {name: _array(value) for name, value in inputs.items()}, rank, sizes)


def _array(value: Any) -> np.ndarray:
    array = np.asarray(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return array
    if array.dtype.kind in "US":
        text = np.empty(array.shape, object)
        text[...] = np.char.encode(array) if array.dtype.kind == "U" else array
        return text
    narrow = {np.dtype(np.int64): np.int32, np.dtype(np.float64): np.float32}
    return array.astype(narrow.get(array.dtype, array.dtype))


def floats(*shape: int, low: float = -2.0, high: float = 2.0) -> np.ndarray:
    """float32 values that depend on the shape alone."""
    seed = sum((i + 3) * n for i, n in enumerate(shape))
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


def positive(*shape: int) -> np.ndarray:
    return floats(*shape, low=0.3, high=2.5)


def definite(*shape: int) -> np.ndarray:
    """Symmetric positive definite matrices in the last two axes."""
    root = floats(*shape)
    return (root @ root.swapaxes(-1, -2) + 2 * np.eye(shape[-1])).astype(np.float32)


def complexes(*shape: int) -> np.ndarray:
    return (floats(*shape) + 1j * floats(*shape)[::-1]).astype(np.complex64)
