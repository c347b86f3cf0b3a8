"""A call on a batch gives what the calls on its members give: for every op, on every sample."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import dispatch
from tapeflow._src.core.registry import OPS, Op
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.gradients.vectorize import Vectorizer
from tests.ops.harness import Sample
from tests.ops.running import SAMPLES, of_each_op

SIZE = 2
BATCHED = [s for s in SAMPLES if s.op in OPS and OPS[s.op].effect is None]
Leaves = list[np.ndarray]


def leaves_of(sample: Sample) -> Leaves:
    return [a for i in sample.inputs for a in (i if isinstance(i, list) else [i])]


def kinds_of(sample: Sample) -> list[str]:
    """The kind of the input that each leaf belongs to."""
    kinds = OPS[sample.op].kinds
    return [
        kind
        for value, kind in zip(sample.inputs, kinds, strict=True)
        for _ in (value if isinstance(value, list) else [value])
    ]


def packed(sample: Sample, leaves: list[Any]) -> list[Any]:
    """The inputs of a call, from its leaves."""
    rest = iter(leaves)
    return [[next(rest) for _ in v] if isinstance(v, list) else next(rest) for v in sample.inputs]


def another(array: np.ndarray) -> np.ndarray:
    """A second member like `array`: halved, or in another order, so that indices stay in range."""
    if array.dtype.kind in "fcV" and array.dtype.names is None:
        return (array * np.asarray(0.5, array.dtype)).astype(array.dtype)
    return array[::-1].copy() if array.ndim else array


def call(op: Op, sample: Sample, leaves: list[Any]) -> list[Any]:
    result = op(*packed(sample, leaves), **sample.attrs)
    if result is None:
        return []
    return list(result) if isinstance(result, (tuple, list)) else [result]


def one_by_one(sample: Sample, batched: set[int], second: Leaves) -> list[np.ndarray] | None:
    """The results of the two calls, stacked; None if the second is no valid call like the first."""
    op, first = OPS[sample.op], leaves_of(sample)
    other = [second[i] if i in batched else a for i, a in enumerate(first)]
    try:
        results = [call(op, sample, [EagerTensor(a) for a in m]) for m in (first, other)]
        return [np.stack([np.asarray(t) for t in column]) for column in zip(*results, strict=True)]
    except Exception:
        return None


def at_once(sample: Sample, batched: set[int], second: Leaves) -> list[Any]:
    mode = Vectorizer(SIZE)
    inputs = [
        mode.wrap(EagerTensor(np.stack([a, second[i]]))) if i in batched else EagerTensor(a)
        for i, a in enumerate(leaves_of(sample))
    ]
    with dispatch.use_mode(mode):
        results = call(OPS[sample.op], sample, inputs)
    return [np.asarray(mode.unwrap(r)) for r in results]


def choices(sample: Sample) -> list[set[int]]:
    """Which leaves to batch: all that may be, and each of them alone."""
    free = [i for i, kind in enumerate(kinds_of(sample)) if not kind.startswith("Static")]
    alone = [{i} for i in free]
    return alone if len(free) == 1 else [set(free), *alone]


@of_each_op(BATCHED)
def test_a_batch_is_its_members(sample: Sample) -> None:
    first = leaves_of(sample)
    for batched in choices(sample):
        second = [another(a) for a in first]
        expected = one_by_one(sample, batched, second)
        if expected is None:
            second = first
            expected = one_by_one(sample, batched, second)
        if expected is None:
            continue  # The size of the result depends on the values: it cannot be stacked.
        actual = at_once(sample, batched, second)
        assert len(actual) == len(expected)
        for a, e in zip(actual, expected, strict=True):
            assert a.dtype == e.dtype
            assert a.shape == e.shape
            if a.dtype.kind in "fcV":
                wide = np.complex128 if a.dtype.kind == "c" else np.float64
                low = a.dtype.itemsize <= 2
                np.testing.assert_allclose(
                    a.astype(wide),
                    e.astype(wide),
                    rtol=2e-2 if low else max(sample.law.rtol, 1e-5),
                    atol=1e-2 if low else max(sample.law.atol, 1e-6),
                )
            else:
                np.testing.assert_array_equal(a, e)
