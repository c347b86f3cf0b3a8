"""Sparse tensors and indexed slices through `keras.ops`: values, and what stays sparse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

ops = tf.keras.ops
X = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, -3.0]], np.float32)
Y = np.array([[1.0, -1.0, 0.0], [0.0, 0.0, 0.0], [4.0, 2.0, 0.0]], np.float32)


def sparse(x: np.ndarray) -> tf.SparseTensor:
    return tf.sparse.from_dense(x)


def slices(x: np.ndarray) -> tf.IndexedSlices:
    """Rows 0 and 2, the last of them in two parts that add up."""
    values = np.stack([x[0], 0.25 * x[2], 0.75 * x[2]])
    return tf.IndexedSlices(values, tf.constant([0, 2, 2]), tf.constant(x.shape))


KINDS = pytest.mark.parametrize("kind", [sparse, slices])
UNION = ("add", "subtract", "maximum", "minimum")
NUMPY = {"multiply": np.multiply, **{name: getattr(np, name) for name in UNION}}


@KINDS
@pytest.mark.parametrize("name", ["square", "abs", "sin", "sign", "negative"])
def test_zeros_stay_zeros(kind: Callable[..., Any], name: str) -> None:
    x = kind(X)
    found = getattr(ops, name)(x)
    assert type(found) is type(x)
    np.testing.assert_allclose(ops.convert_to_numpy(found), getattr(np, name)(X), rtol=1e-6)


@KINDS
@pytest.mark.parametrize("name", sorted(NUMPY))
def test_two_sparse_operands(kind: Callable[..., Any], name: str) -> None:
    found = getattr(ops, name)(kind(X), kind(Y))
    assert type(found) is type(kind(X))
    np.testing.assert_allclose(ops.convert_to_numpy(found), NUMPY[name](X, Y), rtol=1e-6)


@KINDS
@pytest.mark.parametrize("name", sorted(NUMPY))
def test_a_sparse_and_a_dense_operand(kind: Callable[..., Any], name: str) -> None:
    for first, second in ((kind(X), Y), (Y, kind(X)), (kind(X), Y[:1])):
        found = getattr(ops, name)(first, second)
        stays = name == "multiply"
        assert isinstance(found, type(kind(X))) == stays
        expected = NUMPY[name](ops.convert_to_numpy(first), ops.convert_to_numpy(second))
        np.testing.assert_allclose(ops.convert_to_numpy(found), expected, rtol=1e-6)


@KINDS
@pytest.mark.parametrize("divisor", [2.0, [[0.0, 2.0, np.nan]]])
def test_quotients_are_undefined_where_zero_is_divided_by_zero(
    kind: Callable[..., Any], divisor: Any
) -> None:
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = X / np.asarray(divisor, np.float32)
        found = ops.divide(kind(X), divisor)
    assert type(found) is type(kind(X))
    np.testing.assert_allclose(ops.convert_to_numpy(found), expected, rtol=1e-6)


def test_sums_and_means_of_sparse_tensors_are_sparse() -> None:
    for axis, keepdims in ((None, False), (0, True), ((0, 1), False), (1, False)):
        for name in ("sum", "mean"):
            found = getattr(ops, name)(sparse(X), axis=axis, keepdims=keepdims)
            assert isinstance(found, tf.SparseTensor)
            expected = getattr(np, name)(X, axis=axis, keepdims=keepdims)
            np.testing.assert_allclose(ops.convert_to_numpy(found), expected, rtol=1e-6)


def test_models_know_what_is_sparse() -> None:
    x = tf.keras.KerasTensor((None, 3), sparse=True)
    y = tf.keras.KerasTensor((2, None), sparse=True)
    full = tf.keras.KerasTensor((2, 3))
    cases = [
        (ops.add(x, y), (2, 3), True),
        (ops.add(x, full), (2, 3), False),
        (ops.multiply(full, x), (2, 3), True),
        (ops.divide(x, full), (2, 3), True),
        (ops.divide(x, y), (2, 3), False),
        (ops.mean(x, axis=1), (None,), True),
        (ops.exp(x), (None, 3), False),
        (ops.concatenate([x, y], axis=1), (2, None), True),
        (ops.matmul(x, ops.transpose(full)), (None, 2), False),
    ]
    for found, shape, is_sparse in cases:
        assert (found.shape, found.sparse) == (shape, is_sparse)
