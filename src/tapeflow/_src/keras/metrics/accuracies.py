"""How often predictions are right."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
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
    """Where predictions, above `threshold` or not, equal labels."""
    y_true, y_pred = same_rank(tf.convert_to_tensor(y_true), tf.convert_to_tensor(y_pred))
    if y_pred.dtype is tf.bool:
        y_pred = tf.cast(y_pred, floatx())
    above = tf.cast(y_pred > tf.cast(threshold, y_pred.dtype), y_true.dtype)
    right = tf.cast(tf.equal(y_true, above), floatx())
    return tf.reduce_mean(right, axis=-1) if is_keras_2() else right


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Where the largest prediction is that of the class with the largest label."""
    right = tf.equal(tf.argmax(y_true, axis=-1), tf.argmax(y_pred, axis=-1))
    return tf.cast(right, floatx())


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Where the largest prediction is that of the class that the label is the number of."""
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
    found = tf.math.in_top_k(tf.reshape(tf.cast(labels, tf.int32), [-1]), rows, k)
    return tf.reshape(tf.cast(found, floatx()), shape)


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Where the class with the largest label is among the `k` largest predictions."""
    y_pred = tf.convert_to_tensor(y_pred)
    return _in_rows(tf.argmax(y_true, axis=-1), y_pred, k)


def sparse_top_k_categorical_accuracy(
    y_true: Any, y_pred: Any, k: int = 5, from_sorted_ids: bool = False
) -> Any:
    """Where the class that the label is the number of is among the `k` largest predictions.

    With `from_sorted_ids` predictions are the numbers of classes, the best first.
    """
    y_true, y_pred = tf.convert_to_tensor(y_true), tf.convert_to_tensor(y_pred)
    if not from_sorted_ids:
        found = _in_rows(y_true, y_pred, k)
    else:
        rows = tf.reshape(y_pred, [-1, y_pred.shape[-1]])[:, :k]
        labels = tf.reshape(tf.cast(y_true, rows.dtype), [-1, 1])
        found = tf.cast(tf.reduce_any(tf.equal(labels, rows), axis=1), floatx())
        found = tf.reshape(found, tf.shape(y_true))
    if found.shape.rank is not None and found.shape.rank > 1 and found.shape[-1] == 1:
        found = tf.squeeze(found, -1)
    return found


class Accuracy(Named):
    """How often predictions equal labels."""

    _tpf_direction = "up"

    def __init__(self, name: str | None = "accuracy", dtype: Any = None) -> None:
        super().__init__(accuracy, name, dtype)


class BinaryAccuracy(Named):
    """How often predictions, above `threshold` or not, equal labels."""

    _tpf_direction = "up"

    def __init__(
        self, name: str | None = "binary_accuracy", dtype: Any = None, threshold: float = 0.5
    ) -> None:
        super().__init__(binary_accuracy, name, dtype, threshold=threshold)


class CategoricalAccuracy(Named):
    """How often the largest prediction is that of the right class; labels are shares of one."""

    _tpf_direction = "up"

    def __init__(self, name: str | None = "categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(categorical_accuracy, name, dtype)


class SparseCategoricalAccuracy(Named):
    """How often the largest prediction is that of the right class; labels are numbers."""

    _tpf_direction = "up"

    def __init__(self, name: str | None = "sparse_categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(sparse_categorical_accuracy, name, dtype)


class TopKCategoricalAccuracy(Named):
    """How often the right class is among the `k` best; labels are shares of one."""

    _tpf_direction = "up"

    def __init__(
        self, k: int = 5, name: str | None = "top_k_categorical_accuracy", dtype: Any = None
    ) -> None:
        super().__init__(top_k_categorical_accuracy, name, dtype, k=k)


class SparseTopKCategoricalAccuracy(Named):
    """How often the right class is among the `k` best; labels are numbers."""

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
