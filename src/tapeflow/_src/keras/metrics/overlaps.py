"""Intersection over union: how well predicted regions cover the true ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.config import epsilon
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.metrics.metric import Metric


class IoU(Metric):
    """Intersection over union: `tp / (tp + fp + fn)`, averaged over target classes.

    Args:
        num_classes: Number of classes.
        target_class_ids: Classes to average over.
        name: Name of the metric.
        dtype: Dtype of the counts; None is `int64` in Keras 3, which truncates fractional weights,
            and `float32` in Keras 2.
        ignore_class: Label that does not count, such as 255 for a border.
        sparse_y_true: Whether labels are class indices instead of one-hot.
        sparse_y_pred: Whether predictions are class indices instead of scores.
        axis: Axis of the classes, if they are not indices.

    Example:
        >>> metric = tf.keras.metrics.IoU(num_classes=2, target_class_ids=[0])
        >>> metric.update_state([0, 0, 1, 1], [0, 1, 0, 1])
        >>> metric.result().numpy().round(4)
        np.float32(0.3333)
    """

    _tpf_direction = "up"

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        # Keras 3 counts in integers, which cuts weights below one to zero.
        super().__init__(dtype or ("float32" if is_keras_2() else "int64"), name)
        if max(target_class_ids) >= num_classes:
            raise ValueError(
                f"`target_class_ids` must be below num_classes={num_classes}. Received the class "
                f"id {max(target_class_ids)}, which is out of range."
            )
        self.num_classes = num_classes
        self.target_class_ids = list(target_class_ids)
        self.ignore_class = ignore_class
        self.sparse_y_true = sparse_y_true
        self.sparse_y_pred = sparse_y_pred
        self.axis = axis
        shape = (num_classes, num_classes)
        self.total_cm = self.add_variable(shape, "zeros", self.dtype, name="total_confusion_matrix")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        labels = self._numbers(y_true, self.sparse_y_true)
        predicted = self._numbers(y_pred, self.sparse_y_pred)
        weights = self._weights(sample_weight, labels)
        inside = (labels >= 0) & (labels < self.num_classes)
        inside = inside & (predicted >= 0) & (predicted < self.num_classes)
        if self.ignore_class is not None:
            inside = inside & tf.not_equal(labels, self.ignore_class)
        weights = tf.where(inside, weights, tf.zeros_like(weights))
        cells = tf.where(inside, labels * self.num_classes + predicted, tf.zeros_like(labels))
        counts = tf.math.unsorted_segment_sum(weights, cells, self.num_classes**2)
        self.total_cm.assign_add(tf.reshape(counts, self.total_cm.shape))

    def _numbers(self, y: TensorLike, sparse: bool) -> Any:
        """The numbers of classes in one row."""
        y = tf.convert_to_tensor(y) if sparse else tf.argmax(y, axis=self.axis)
        return tf.reshape(tf.cast(tf.cast(y, self.dtype), tf.int64), [-1])

    def _weights(self, sample_weight: Any, labels: Any) -> Any:
        if sample_weight is None:
            return tf.ones_like(labels, self.dtype)
        weight_dtype = str(getattr(sample_weight, "dtype", ""))
        if "float" in weight_dtype and "int" in self.dtype:
            warn_user(
                f"{type(self).__name__} '{self.name}' counts in {self.dtype}: the float "
                f"sample_weight is truncated to integers. Pass integer weights, or create the "
                f"metric with dtype='float32'."
            )
        weights = tf.cast(sample_weight, self.dtype)
        if weights.shape.rank:
            weights = tf.reshape(weights, [-1])
        return tf.broadcast_to(weights, tf.shape(labels))

    def result(self) -> Any:
        matrix = tf.convert_to_tensor(self.total_cm)
        common = tf.linalg.diag_part(matrix)
        covered = tf.reduce_sum(matrix, axis=0) + tf.reduce_sum(matrix, axis=1) - common
        common, covered = (
            tf.cast(tf.gather(part, self.target_class_ids), tf.float32)
            for part in (common, covered)
        )
        there = covered > 1e-9
        shares = tf.where(there, common / (covered + epsilon()), tf.zeros_like(covered))
        count = tf.reduce_sum(tf.cast(there, tf.float32))
        return tf.reduce_sum(shares) / (count + epsilon())

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_classes": self.num_classes,
            "target_class_ids": self.target_class_ids,
            "ignore_class": self.ignore_class,
            "sparse_y_true": self.sparse_y_true,
            "sparse_y_pred": self.sparse_y_pred,
            "axis": self.axis,
        }

    def _config_without(self, *names: str) -> dict[str, Any]:
        return {name: v for name, v in IoU.get_config(self).items() if name not in names}


class BinaryIoU(IoU):
    """Intersection over union of binary segmentation, after thresholding.

    Args:
        target_class_ids: Classes to average over: (0,), (1,) or both.
        threshold: Predictions from it on count as class 1.
        name: Name of the metric.
        dtype: Dtype of the counts; None is `int64` in Keras 3, which truncates fractional weights,
            and `float32` in Keras 2.

    Example:
        >>> metric = tf.keras.metrics.BinaryIoU(target_class_ids=[0, 1], threshold=0.3)
        >>> metric.update_state([0, 1, 0, 1], [0.1, 0.2, 0.4, 0.7])
        >>> metric.result().numpy().round(4)
        np.float32(0.3333)
    """

    def __init__(
        self,
        target_class_ids: Sequence[int] = (0, 1),
        threshold: float = 0.5,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(2, target_class_ids, name, dtype)
        self.threshold = threshold

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        above = tf.cast(y_pred, tf.float32) >= self.threshold
        super().update_state(y_true, tf.cast(above, tf.int64), sample_weight)

    def get_config(self) -> dict[str, Any]:
        own = {"threshold": self.threshold, "target_class_ids": self.target_class_ids}
        return {**Metric.get_config(self), **own}


class MeanIoU(IoU):
    """Intersection over union, averaged over all classes.

    Args:
        num_classes: Number of classes.
        name: Name of the metric.
        dtype: Dtype of the counts; None is `int64` in Keras 3, which truncates fractional weights,
            and `float32` in Keras 2.
        ignore_class: Label that does not count, such as 255 for a border.
        sparse_y_true: Whether labels are class indices instead of one-hot.
        sparse_y_pred: Whether predictions are class indices instead of scores.
        axis: Axis of the classes, if they are not indices.

    Example:
        >>> metric = tf.keras.metrics.MeanIoU(num_classes=2)
        >>> metric.update_state([0, 0, 1, 1], [0, 1, 0, 1])
        >>> metric.result().numpy().round(4)
        np.float32(0.3333)
    """

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        every = range(num_classes)
        options = (ignore_class, sparse_y_true, sparse_y_pred, axis)
        super().__init__(num_classes, every, name, dtype, *options)

    def get_config(self) -> dict[str, Any]:
        return self._config_without("target_class_ids")


class OneHotIoU(IoU):
    """Intersection over union of one-hot labels.

    Args:
        num_classes: Number of classes.
        target_class_ids: Classes to average over.
        name: Name of the metric.
        dtype: Dtype of the counts; None is `int64` in Keras 3, which truncates fractional weights,
            and `float32` in Keras 2.
        ignore_class: Label that does not count, such as 255 for a border.
        sparse_y_pred: Whether predictions are class indices instead of scores.
        axis: Axis of the classes.

    Example:
        >>> metric = tf.keras.metrics.OneHotIoU(num_classes=2, target_class_ids=[1])
        >>> metric.update_state([[1, 0], [0, 1]], [[0.9, 0.1], [0.6, 0.4]])
        >>> metric.result().numpy()
        np.float32(0.0)
    """

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        options = (ignore_class, False, sparse_y_pred, axis)
        super().__init__(num_classes, target_class_ids, name, dtype, *options)

    def get_config(self) -> dict[str, Any]:
        return self._config_without("sparse_y_true")


class OneHotMeanIoU(MeanIoU):
    """Intersection over union of one-hot labels, averaged over all classes.

    Args:
        num_classes: Number of classes.
        name: Name of the metric.
        dtype: Dtype of the counts; None is `int64` in Keras 3, which truncates fractional weights,
            and `float32` in Keras 2.
        ignore_class: Label that does not count, such as 255 for a border.
        sparse_y_pred: Whether predictions are class indices instead of scores.
        axis: Axis of the classes.

    Example:
        >>> metric = tf.keras.metrics.OneHotMeanIoU(num_classes=2)
        >>> metric.update_state([[1, 0], [0, 1]], [[0.9, 0.1], [0.6, 0.4]])
        >>> metric.result().numpy()
        np.float32(0.25)
    """

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        options = (ignore_class, False, sparse_y_pred, axis)
        super().__init__(num_classes, name, dtype, *options)

    def get_config(self) -> dict[str, Any]:
        return self._config_without("target_class_ids", "sparse_y_true")
