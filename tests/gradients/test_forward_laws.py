"""Forward and backward agree: `<u, J v> = <Jᵀ u, v>`, for every op that has a gradient.

That holds if the gradient of the op is linear in what it is given, and differentiable by it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.core import dispatch
from tapeflow._src.core.registry import OPS
from tapeflow._src.eager.tensor import EagerTensor
from tests.ops.harness import Sample
from tests.ops.running import DIFFERENTIABLE, of_each_op

# What cannot be differentiated twice cannot be pushed forward: the gradient is differentiated.
PAIRED = [s for s in DIFFERENTIABLE if OPS[s.op].effect is None and s.law.order2]


def random_like(array: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    values = generator.uniform(-1, 1, array.shape)
    if array.dtype.kind == "c":
        values = values + 1j * generator.uniform(-1, 1, array.shape)
    return values.astype(array.dtype)


def differentiable(tensor: Any) -> bool:
    return tensor.dtype.is_floating or tensor.dtype.is_complex


def inner(pairs: list[tuple[Any, Any]]) -> complex:
    """The inner product of two lists of tensors; None counts as zeros."""
    total = 0j
    for a, b in pairs:
        if a is not None and b is not None:
            left, right = (np.asarray(dispatch.convert(t)).astype(np.complex128) for t in (a, b))
            total += np.sum(left * np.conj(right))
    return total


@of_each_op(PAIRED)
def test_forward_is_the_transpose_of_backward(sample: Sample) -> None:
    op, generator = OPS[sample.op], np.random.default_rng(3)
    inputs = [
        [EagerTensor(v) for v in i] if isinstance(i, list) else EagerTensor(i)
        for i in sample.inputs
    ]
    leaves = [t for i in inputs for t in (i if isinstance(i, list) else [i]) if differentiable(t)]
    tangents = [tf.constant(random_like(np.asarray(t), generator)) for t in leaves]
    with tf.GradientTape() as tape, tf.autodiff.ForwardAccumulator(leaves, tangents) as forward:
        tape.watch(leaves)
        result = op(*inputs, **sample.attrs)
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    targets = [r for r in results if differentiable(r)]
    seeds = [tf.constant(random_like(np.asarray(t), generator)) for t in targets]
    pushed = forward.jvp(targets)
    pulled = tape.gradient(targets, leaves, output_gradients=seeds)
    left = inner(list(zip(seeds, pushed, strict=True))).real
    right = inner(list(zip(pulled, tangents, strict=True))).real
    if not all(np.isfinite(np.asarray(t).astype(np.complex128)).all() for t in targets):
        return  # There is no tangent at an infinite value.
    low = any(np.asarray(t).dtype.itemsize <= 2 for t in leaves)
    np.testing.assert_allclose(left, right, rtol=5e-2 if low else 2e-3, atol=5e-2 if low else 2e-4)
