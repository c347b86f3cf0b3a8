"""How often predictions are right."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.config import floatx
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.losses.reduction import same_rank
from tapeflow._src.keras.metrics.means import Named


def accuracy(y_true: Any, y_pred: Any) -> Any:
    """Where predictions, which may be texts, equal labels."""
    y_true, y_pred = same_rank(tf.convert_to_tensor(y_true), tf.convert_to_tensor(y_pred))
    if y_true.dtype != y_pred.dtype:
        y_true = tf.cast(y_true, y_pred.dtype)
    return tf.cast(tf.equal(y_true, y_pred), floatx())


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """Compare thresholded predictions with binary labels.

    Args:
        y_true: Labels, 0 and 1.
        y_pred: Predictions of the same shape.
        threshold: Predictions above it count as 1.

    Returns:
        1.0 where they agree and 0.0 elsewhere, of the shape of the predictions; in Keras 2 the mean
        of that along the last axis.

    Example:
        >>> tf.keras.metrics.binary_accuracy([[1], [0]], [[0.9], [0.6]]).numpy()
        array([[1.],
               [0.]], dtype=float32)
    """
    y_true, y_pred = same_rank(tf.convert_to_tensor(y_true), tf.convert_to_tensor(y_pred))
    if y_pred.dtype is tf.bool:
        y_pred = tf.cast(y_pred, floatx())
    above = tf.cast(y_pred > tf.cast(threshold, y_pred.dtype), y_true.dtype)
    right = tf.cast(tf.equal(y_true, above), floatx())
    return tf.reduce_mean(right, axis=-1) if is_keras_2() else right


def categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> Any:
    """Return 1 where the arg max of predictions is that of the one-hot labels, else 0.

    Args:
        y_true: One-hot labels, of shape (..., classes).
        y_pred: Scores of the same shape.

    Returns:
        A floating-point tensor of shape (...).

    Example:
        >>> tf.keras.metrics.categorical_accuracy(
        ...     [[0, 1], [1, 0]], [[0.2, 0.8], [0.3, 0.7]]
        ... ).numpy()
        array([1., 0.], dtype=float32)
    """
    right = tf.equal(tf.argmax(y_true, axis=-1), tf.argmax(y_pred, axis=-1))
    return tf.cast(right, floatx())


def sparse_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> Any:
    """Return 1 where the arg max of predictions is the integer label, else 0.

    Args:
        y_true: Class indices, of shape (...) or (..., 1).
        y_pred: Scores, of shape (..., classes).

    Returns:
        A floating-point tensor of shape (...).

    Example:
        >>> tf.keras.metrics.sparse_categorical_accuracy([1, 0], [[0.2, 0.8], [0.3, 0.7]]).numpy()
        array([1., 0.], dtype=float32)
    """
    y_true, y_pred = tf.convert_to_tensor(y_true), tf.convert_to_tensor(y_pred)
    if y_true.shape.rank == y_pred.shape.rank and y_true.shape[-1] == 1:
        y_true = tf.squeeze(y_true, -1)
    best = tf.cast(tf.argmax(y_pred, axis=-1), y_pred.dtype)
    right = tf.cast(tf.equal(tf.cast(y_true, y_pred.dtype), best), floatx())
    if right.shape.rank is not None and right.shape.rank > 1 and right.shape[-1] == 1:
        right = tf.squeeze(right, -1)
    return right


def _in_rows(labels: Any, y_pred: Any, k: int) -> Any:
    """Whether each label is among the `k` best of its row, in the shape of the labels."""
    shape = tf.shape(labels)
    rows = tf.reshape(y_pred, [-1, y_pred.shape[-1]])
    correct = tf.math.in_top_k(tf.reshape(tf.cast(labels, tf.int32), [-1]), rows, k)
    return tf.reshape(tf.cast(correct, floatx()), shape)


def top_k_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike, k: int = 5) -> Any:
    """Return 1 where the one-hot label is among the `k` largest predictions, else 0.

    Args:
        y_true: One-hot labels, of shape (..., classes).
        y_pred: Scores of the same shape.
        k: How many of the largest scores count.

    Returns:
        A floating-point tensor of shape (...).

    Example:
        >>> y_pred = [[0.1, 0.7, 0.2], [0.1, 0.5, 0.4]]
        >>> tf.keras.metrics.top_k_categorical_accuracy([[0, 0, 1], [1, 0, 0]], y_pred, k=2).numpy()
        array([1., 0.], dtype=float32)
    """
    y_pred = tf.convert_to_tensor(y_pred)
    return _in_rows(tf.argmax(y_true, axis=-1), y_pred, k)


def sparse_top_k_categorical_accuracy(
    y_true: TensorLike, y_pred: TensorLike, k: int = 5, from_sorted_ids: bool = False
) -> Any:
    """Return 1 where the integer label is among the `k` largest predictions, else 0.

    Args:
        y_true: Class indices, of shape (...).
        y_pred: Scores, of shape (..., classes).
        k: How many of the largest scores count.
        from_sorted_ids: Whether `y_pred` holds class indices instead, the best first.

    Returns:
        A floating-point tensor of shape (...).

    Example:
        >>> y_pred = [[0.1, 0.7, 0.2], [0.1, 0.5, 0.4]]
        >>> tf.keras.metrics.sparse_top_k_categorical_accuracy([2, 0], y_pred, k=2).numpy()
        array([1., 0.], dtype=float32)
    """
    y_true, y_pred = tf.convert_to_tensor(y_true), tf.convert_to_tensor(y_pred)
    if not from_sorted_ids:
        correct = _in_rows(y_true, y_pred, k)
    else:
        rows = tf.reshape(y_pred, [-1, y_pred.shape[-1]])[:, :k]
        labels = tf.reshape(tf.cast(y_true, rows.dtype), [-1, 1])
        correct = tf.cast(tf.reduce_any(tf.equal(labels, rows), axis=1), floatx())
        correct = tf.reshape(correct, tf.shape(y_true))
    if correct.shape.rank is not None and correct.shape.rank > 1 and correct.shape[-1] == 1:
        correct = tf.squeeze(correct, -1)
    return correct


class Accuracy(Named):
    """Fraction of predictions that equal the labels.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.Accuracy()
        >>> metric.update_state([1, 2, 3, 4], [1, 2, 3, 0])
        >>> metric.result().numpy()
        np.float32(0.75)
    """

    _tpf_direction = "up"

    def __init__(self, name: str | None = "accuracy", dtype: Any = None) -> None:
        super().__init__(accuracy, name, dtype)


class BinaryAccuracy(Named):
    """Accuracy of binary predictions after thresholding.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.
        threshold: Predictions above it count as class 1.

    Example:
        >>> metric = tf.keras.metrics.BinaryAccuracy()
        >>> metric.update_state([[1], [0]], [[0.9], [0.6]])
        >>> metric.result().numpy()
        np.float32(0.5)
    """

    _tpf_direction = "up"

    def __init__(
        self, name: str | None = "binary_accuracy", dtype: Any = None, threshold: float = 0.5
    ) -> None:
        super().__init__(binary_accuracy, name, dtype, threshold=threshold)


class CategoricalAccuracy(Named):
    """Accuracy of the arg max of predictions against one-hot labels.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.CategoricalAccuracy()
        >>> metric.update_state([[0, 1], [1, 0]], [[0.2, 0.8], [0.3, 0.7]])
        >>> metric.result().numpy()
        np.float32(0.5)
    """

    _tpf_direction = "up"

    def __init__(self, name: str | None = "categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(categorical_accuracy, name, dtype)


class SparseCategoricalAccuracy(Named):
    """Accuracy of the arg max of predictions against integer labels.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.SparseCategoricalAccuracy()
        >>> metric.update_state([1, 0], [[0.2, 0.8], [0.3, 0.7]])
        >>> metric.result().numpy()
        np.float32(0.5)
    """

    _tpf_direction = "up"

    def __init__(self, name: str | None = "sparse_categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(sparse_categorical_accuracy, name, dtype)


class TopKCategoricalAccuracy(Named):
    """Fraction of samples whose one-hot label is among the `k` largest predictions.

    Args:
        k: How many of the largest predictions count.
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.TopKCategoricalAccuracy(k=2)
        >>> metric.update_state([[0, 0, 1], [1, 0, 0]], [[0.1, 0.7, 0.2], [0.1, 0.5, 0.4]])
        >>> metric.result().numpy()
        np.float32(0.5)
    """

    _tpf_direction = "up"

    def __init__(
        self, k: int = 5, name: str | None = "top_k_categorical_accuracy", dtype: Any = None
    ) -> None:
        super().__init__(top_k_categorical_accuracy, name, dtype, k=k)


class SparseTopKCategoricalAccuracy(Named):
    """Fraction of samples whose integer label is among the `k` largest predictions.

    Args:
        k: How many of the largest predictions count.
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.
        from_sorted_ids: Whether predictions are class indices, the best first, instead of scores.

    Example:
        >>> metric = tf.keras.metrics.SparseTopKCategoricalAccuracy(k=2)
        >>> metric.update_state([2, 0], [[0.1, 0.7, 0.2], [0.1, 0.5, 0.4]])
        >>> metric.result().numpy()
        np.float32(0.5)
    """

    _tpf_direction = "up"

    def __init__(
        self,
        k: int = 5,
        name: str | None = "sparse_top_k_categorical_accuracy",
        dtype: Any = None,
        from_sorted_ids: bool = False,
    ) -> None:
        super().__init__(
            sparse_top_k_categorical_accuracy, name, dtype, k=k, from_sorted_ids=from_sorted_ids
        )
