"""Pooling sequences: windows whose sizes differ by one, in random order.

A sequence lists where the windows along one axis start, and where the last one ends. It is drawn as
TensorFlow draws it. Overlapping windows share the value on their border.
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import int64
from tapeflow._src.core.errors import UnimplementedError
from tapeflow._src.core.infer import require_rank
from tapeflow._src.core.random_state import stream
from tapeflow._src.core.registry import InferError
from tapeflow._src.core.spec import Spec
from tapeflow._src.kernels.random.fill import uniform
from tapeflow._src.kernels.random.permute import permutation
from tapeflow._src.kernels.random.philox import Array, counters


def _output_size(size: int | None, ratio: float) -> int | None:
    return None if size is None else math.floor(np.float32(size) / np.float32(ratio))


def _blocks(windows: int, pseudo_random: bool) -> int:
    """Return how many blocks of random words one sequence uses."""
    return 1 if pseudo_random else (windows + 3) // 4


def _draw(xp: ModuleType, words: Array, size: int, windows: int, pseudo_random: bool) -> Array:
    """Draw a pooling sequence for `size` values in `windows` windows."""
    least, longer = divmod(size, windows)
    if not pseudo_random:
        lengths = least + (np.arange(windows) < longer).astype(np.int64)
        ends = xp.cumsum(xp.asarray(lengths)[permutation(xp, words, windows)])
    else:
        mean = size / windows
        # Beyond this the first or the last window would be too long or too short.
        bound = min((least + 2) / mean - 1, (size + 1 - least) / mean - (windows - 1))
        start = uniform(xp, words, 1, np.float64) * bound
        inner = xp.ceil(mean * (np.arange(1, windows) + start)).astype(np.int64) - 1
        ends = xp.concatenate([inner, xp.asarray([size])])
    return xp.concatenate([xp.zeros((1,), np.int64), ends.astype(np.int64)])


def _advanced_stream(xp: ModuleType, words: Array, blocks: int) -> Array:
    """Return the stream `words` advanced by some blocks."""
    even, odd = counters(xp, words, xp.asarray([blocks], np.uint32))
    return xp.concatenate([words[:2], xp.stack([even, odd], axis=1).reshape(-1)])


class Sequences:
    """The sequences that an op's attributes describe, and the sizes of the result."""

    def __init__(self, dims: Any, attrs: dict[str, Any]) -> None:
        self._dims = dims
        self._attrs = attrs
        ratio = attrs["pooling_ratio"]
        self.space: tuple[Any, ...] = tuple(
            _output_size(n, r) for n, r in zip(dims[1:3], ratio[1:3], strict=True)
        )

    def blocks(self) -> int:
        """Compute the number of blocks of random words that both sequences use."""
        return sum(_blocks(n or 0, self._attrs["pseudo_random"]) for n in self.space)

    def draw(self, xp: ModuleType, counter: Array) -> tuple[Array, Array]:
        """Return the sequences of the rows and of the columns."""
        attrs = self._attrs
        words = counter
        if attrs["deterministic"] and (attrs["seed"] or attrs["seed2"]):
            words = xp.asarray(stream(attrs["seed"], attrs["seed2"] << 64))
        pseudo = attrs["pseudo_random"]
        (height, width), (rows, columns) = self._dims[1:3], self.space
        after = _advanced_stream(xp, words, _blocks(rows, pseudo))
        return _draw(xp, words, height, rows, pseudo), _draw(xp, after, width, columns, pseudo)


def infer_pooled(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> tuple[Spec, Spec, Spec]:
    """Infer the shapes of the forward ops: the pooled values and the two sequences."""
    (value,) = specs
    require_rank(value, 4, "value")
    ratio = attrs["pooling_ratio"]
    if len(ratio) != 4 or min(ratio) < 1:
        raise InferError(f"pooling_ratio must be four numbers of at least 1, got {list(ratio)}")
    if (ratio[0], ratio[3]) != (1, 1):
        raise UnimplementedError(
            None,
            None,
            f"{op.name}: pooling over the batch or the channels is not supported, got "
            f"pooling_ratio {list(ratio)}",
        )
    if not attrs["deterministic"] and (attrs["seed"] or attrs["seed2"]):
        raise InferError("Both seed and seed2 should be 0 if deterministic is false.")
    dims = value.shape or (None,) * 4
    space = Sequences(dims, attrs).space
    for axis, (size, windows) in enumerate(zip(dims[1:3], space, strict=True), 1):
        if windows == 0:
            raise InferError(
                f"Pooling ratio is higher than input dimension size for dimension {axis}. Input "
                f"dim size: {size} pooling ratio: {ratio[axis]}"
            )
    lengths = [Spec((None if n is None else n + 1,), int64) for n in space]
    return Spec((dims[0], *space, dims[3]), value.dtype), lengths[0], lengths[1]


def windows(xp: ModuleType, sequence: Array, size: int, overlapping: bool) -> tuple[Array, Array]:
    """Return where the windows along one axis start and end, the latter exclusive."""
    start = sequence[:-1]
    end = xp.minimum(sequence[1:] + (1 if overlapping else 0), size)
    most = longest(sequence.shape[0] - 1, size, overlapping)
    xp.require(
        xp.all((start >= 0) & (start < end) & (end - start <= most)),
        lambda: (
            f"a pooling sequence over {size} values must ascend from 0 or more, by at most {most} "
            f"at a time, got {sequence.tolist()}"
        ),
    )
    return start, end


def longest(count: int, size: int, overlapping: bool) -> int:
    """Return the maximal size of one of `count` windows over `size` values."""
    return size // max(count, 1) + (2 if overlapping else 1)
