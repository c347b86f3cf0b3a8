"""Samples of op calls, and what the laws in `test_laws.py` need to run them.

A sample is one line: `S("AddV2", f32(2, 3), f32(3))`. Arrays are seeded by the sample's own text,
so that it is the same in every run, whatever stands before it; `S(...)` takes inputs in order (a
list for a list input), attributes by keyword, and how the laws apply to it through `law=`.
"""

from __future__ import annotations

import linecache
import sys
import zlib
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class Law:
    """Where a sample is exempt from a law, or measured more loosely. Each use says why."""

    grad: bool = True  # compare the tape's gradient with jax.vjp of the body
    finite: bool = True  # and with finite differences, at order 1 and 2
    order2: bool = True
    jit: bool = True  # compare the body under jax.jit
    rtol: float = 1e-5
    atol: float = 1e-6
    why: str = ""


@dataclass(frozen=True, eq=False)
class Sample:
    """One call of an op."""

    op: str
    inputs: tuple[Any, ...]
    attrs: dict[str, Any] = field(default_factory=dict)
    law: Law = Law()

    def __str__(self) -> str:
        shapes = ",".join(_describe(i) for i in self.inputs)
        attrs = "".join(f",{k}={v}" for k, v in self.attrs.items())
        return f"{self.op}({shapes}{attrs})"


DEFAULT = Law()


def S(op: str, *inputs: Any, law: Law = DEFAULT, **attrs: Any) -> Sample:
    """A sample: inputs as arrays or Python values, attributes by keyword."""
    _draws.begin()
    return Sample(op, tuple(_array(i) for i in inputs), attrs, law)


def _array(value: Any) -> Any:
    if isinstance(value, list) and any(isinstance(v, np.ndarray) for v in value):
        return [_array(v) for v in value]
    if isinstance(value, list) and not value:
        return np.array([], np.int32)
    array = np.asarray(value)
    if array.dtype == np.int64 and not isinstance(value, (np.ndarray, np.generic)):
        array = array.astype(np.int32)
    if array.dtype == np.float64 and not isinstance(value, (np.ndarray, np.generic)):
        array = array.astype(np.float32)
    return array


def _describe(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ",".join(_describe(v) for v in value) + "]"
    return f"{value.dtype}[{'x'.join(map(str, value.shape))}]"


class _Draws:
    """Seeds from the text of the line that draws, so that no sample depends on another.

    Draws of one line are numbered, from 0 again after each sample.
    """

    def __init__(self) -> None:
        self._line: tuple[str, int] | None = None
        self._count = 0

    def begin(self) -> None:
        self._line = None

    def seed(self, kind: str, shape: tuple[int, ...]) -> int:
        frame = _outside()
        line = (frame.f_code.co_filename, frame.f_lineno)
        self._count = self._count + 1 if line == self._line else 0
        self._line = line
        source = linecache.getline(*line).strip()
        return zlib.crc32(f"{kind}{shape}{source}{self._count}".encode())


def _outside() -> FrameType:
    """The frame that called this module."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename == __file__ and frame.f_back is not None:
        frame = frame.f_back
    return frame


_draws = _Draws()


def _generator(shape: tuple[int, ...], kind: str) -> np.random.Generator:
    return np.random.default_rng(_draws.seed(kind, shape))


def _floats(dtype: Any):
    def make(*shape: int, low: float = -2.0, high: float = 2.0) -> np.ndarray:
        values = _generator(shape, str(dtype)).uniform(low, high, shape)
        return values.astype(dtype)

    return make


def _integers(dtype: Any):
    def make(*shape: int, low: int | None = None, high: int = 5) -> np.ndarray:
        start = low if low is not None else 0 if np.dtype(dtype).kind == "u" else -5
        return _generator(shape, str(dtype)).integers(start, high, shape).astype(dtype)

    return make


f16, bf16 = _floats(np.float16), _floats(ml_dtypes.bfloat16)
f32, f64 = _floats(np.float32), _floats(np.float64)
i8, i16, i32, i64 = (_integers(t) for t in (np.int8, np.int16, np.int32, np.int64))
u8, u16, u32, u64 = (_integers(t) for t in (np.uint8, np.uint16, np.uint32, np.uint64))


def c64(*shape: int) -> np.ndarray:
    g = _generator(shape, "c64")
    return (g.uniform(-2, 2, shape) + 1j * g.uniform(-2, 2, shape)).astype(np.complex64)


def c128(*shape: int) -> np.ndarray:
    return c64(*shape).astype(np.complex128)


def boolean(*shape: int) -> np.ndarray:
    return _generator(shape, "bool").integers(0, 2, shape).astype(bool)


def positive(*shape: int, low: float = 0.2, high: float = 3.0, dtype: Any = np.float32):
    """Floats away from zero, for logarithms, roots and denominators."""
    return _generator(shape, "positive").uniform(low, high, shape).astype(dtype)


def text(*values: Any) -> np.ndarray:
    """A string tensor's array."""
    array = np.empty(len(values), object)
    array[:] = [v.encode() if isinstance(v, str) else v for v in values]
    return array
