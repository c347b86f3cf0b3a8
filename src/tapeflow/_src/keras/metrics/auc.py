"""`AUC`: the area under a curve that decisions at many thresholds draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import epsilon
from tapeflow._src.keras.metrics.confusion import Counts, Options, are_even, even_thresholds
from tapeflow._src.keras.metrics.counts import ThresholdMetric
from tapeflow._src.keras.metrics.tradeoffs import precision, sensitivity

_CURVES = ("PR", "ROC", "PRGAIN")
_METHODS = ("interpolation", "majoring", "minoring")


class AUC(ThresholdMetric):
    """Area under the ROC or precision-recall curve, approximated at fixed thresholds.

    Args:
        num_thresholds: Number of thresholds; more are more exact.
        curve: "ROC" (true against false positive rate), "PR" (precision against recall) or "PRGAIN"
            (their gains).
        summation_method: "interpolation", or "majoring" or "minoring" for upper or lower sums.
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.
        thresholds: Thresholds between 0 and 1 to use instead of evenly spaced ones.
        multi_label: Whether to average the areas of the labels along the second axis, instead of
            one area of all of them.
        num_labels: Number of labels with `multi_label`; None takes it from the first batch.
        label_weights: Weights of the labels.
        from_logits: Whether predictions are logits instead of probabilities.

    Raises:
        ValueError: An argument has another value, or `num_labels` comes without `multi_label`.

    Example:
        >>> metric = tf.keras.metrics.AUC()
        >>> metric.update_state([0, 0, 1, 1], [0.1, 0.5, 0.3, 0.9])
        >>> metric.result().numpy()
        np.float32(0.75)
    """

    _tpf_direction = "up"
    _kinds = Counts._fields

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: str = "ROC",
        summation_method: str = "interpolation",
        name: str | None = None,
        dtype: Any = None,
        thresholds: Sequence[float] | None = None,
        multi_label: bool = False,
        num_labels: int | None = None,
        label_weights: Any = None,
        from_logits: bool = False,
    ) -> None:
        super().__init__(dtype, name)
        self.curve = _choice("curve", curve, _CURVES, str.upper)
        self.summation_method = _choice(
            "summation method", summation_method, _METHODS, lambda key: key[0].lower() + key[1:]
        )
        self._init_from_thresholds = thresholds is not None
        self._place_thresholds(num_thresholds, thresholds)
        self.multi_label = multi_label
        self.num_labels = num_labels
        self.label_weights = label_weights
        self._from_logits = from_logits
        self._built = False
        if num_labels and not multi_label:
            raise ValueError(
                f"AUC: `num_labels` has a meaning only with multi_label=True. Received: "
                f"num_labels={num_labels}, multi_label={multi_label}"
            )
        if num_labels or not multi_label:
            self._build(num_labels)

    def _place_thresholds(self, count: int, thresholds: Sequence[float] | None) -> None:
        if thresholds is not None:
            inner = sorted(thresholds)
            self._even = are_even([0.0, *inner, 1.0])
        elif count <= 1:
            raise ValueError(
                f"AUC: `num_thresholds` must be 2 or more. Received: num_thresholds={count}"
            )
        else:
            inner = even_thresholds(count)
            self._even = True
        # All predictions are above the first threshold, and none above the last.
        self._limits = (0.0 - epsilon(), *inner, 1.0 + epsilon())
        self.num_thresholds = len(self._limits)

    @property
    def thresholds(self) -> list[float]:
        """The thresholds, the first below 0 and the last above 1."""
        return list(self._limits)

    def _build(self, labels: int | None) -> None:
        size = self.num_thresholds
        self._tpf_keep((size, labels) if self.multi_label else (size,))
        self._built = True

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        y_pred = tf.convert_to_tensor(y_pred)
        if not self._built:
            if y_pred.shape.rank != 2:
                raise ValueError(
                    f"AUC with multi_label=True expected predictions of rank 2, (batch, labels). "
                    f"Received: y_pred.shape={y_pred.shape}"
                )
            self._build(y_pred.shape[1])
        if self._from_logits:
            y_pred = tf.sigmoid(y_pred)
        weights = None if self.multi_label else self.label_weights
        options = Options(self._even, multi_label=self.multi_label, label_weights=weights)
        self._take_up(y_true, y_pred, self._limits, sample_weight, options)

    def _counts(self) -> Counts:
        return Counts(*(tf.convert_to_tensor(getattr(self, kind)) for kind in self._kinds))

    def interpolate_pr_auc(self) -> Any:
        """Compute the area under the precision-recall curve, interpolated between thresholds.

        Example:
            >>> metric = tf.keras.metrics.AUC(curve="PR")
            >>> metric.update_state([0, 0, 1, 1], [0.1, 0.5, 0.3, 0.9])
            >>> metric.interpolate_pr_auc().numpy().round(4)
            np.float32(0.7973)
        """
        return self._over_labels(_interpolated(self._counts()))

    def result(self) -> Any:
        counts = self._counts()
        if self.curve == "PR" and self.summation_method == "interpolation":
            return self.interpolate_pr_auc()
        x, y = _CURVE[self.curve](counts)
        if self.summation_method == "interpolation":
            heights = (y[:-1] + y[1:]) / 2.0
        elif self.summation_method == "minoring":
            heights = tf.minimum(y[:-1], y[1:])
        else:
            heights = tf.maximum(y[:-1], y[1:])
        return self._over_labels((x[:-1] - x[1:]) * heights)

    def _over_labels(self, terms: Any) -> Any:
        areas = tf.reduce_sum(terms, axis=0)
        if not self.multi_label:
            return areas
        if self.label_weights is None:
            return tf.reduce_mean(areas)
        weights = tf.cast(self.label_weights, areas.dtype)
        return tf.math.divide_no_nan(tf.reduce_sum(areas * weights), tf.reduce_sum(weights))

    def get_config(self) -> dict[str, Any]:
        config = {
            **super().get_config(),
            "num_thresholds": self.num_thresholds,
            "curve": self.curve,
            "summation_method": self.summation_method,
            "multi_label": self.multi_label,
            "num_labels": self.num_labels,
            "label_weights": self.label_weights,
            "from_logits": self._from_logits,
        }
        if self._init_from_thresholds:
            config["thresholds"] = self.thresholds[1:-1]
        return config


def _choice(what: str, value: str, choices: tuple[str, ...], normalize: Any) -> str:
    if isinstance(value, str) and value and normalize(value) in choices:
        return normalize(value)
    expected = ", ".join(f'"{choice}"' for choice in choices)
    raise ValueError(f'Invalid AUC {what} value: "{value}". Expected values are [{expected}]')


def _roc(counts: Counts) -> tuple[Any, Any]:
    wrong = counts.false_positives
    alarms = tf.math.divide_no_nan(wrong, wrong + counts.true_negatives)
    return alarms, sensitivity(counts)


def _pr(counts: Counts) -> tuple[Any, Any]:
    return sensitivity(counts), precision(counts)


def _gains(counts: Counts) -> tuple[Any, Any]:
    """Return recall gain and precision gain (Flach & Kull, 2015)."""
    hits = counts.true_positives
    right, wrong = hits + counts.false_negatives, counts.true_negatives + counts.false_positives
    odds = tf.math.divide_no_nan(right, wrong)
    recall = 1.0 - odds * tf.math.divide_no_nan(counts.false_negatives, hits)
    exact = 1.0 - odds * tf.math.divide_no_nan(counts.false_positives, hits)
    none = tf.equal(hits, 0.0)
    recall = tf.where(none, tf.zeros_like(recall), recall)
    return tf.nn.relu(recall), tf.where(none, tf.ones_like(exact), exact)


_CURVE = {"ROC": _roc, "PR": _pr, "PRGAIN": _gains}


def _interpolated(counts: Counts) -> Any:
    """The area under the precision-recall curve between thresholds.

    Between two of them true positives, not the precision, are linear in positives.
    """
    hits = counts.true_positives
    positives = hits + counts.false_positives
    new_hits, more = hits[:-1] - hits[1:], positives[:-1] - positives[1:]
    slope = tf.math.divide_no_nan(new_hits, tf.nn.relu(more))
    start = hits[1:] - slope * positives[1:]
    ratio = tf.where(
        (positives[:-1] > 0) & (positives[1:] > 0),
        tf.math.divide_no_nan(positives[:-1], tf.nn.relu(positives[1:])),
        tf.ones_like(positives[1:]),
    )
    labels = tf.nn.relu(hits[1:] + counts.false_negatives[1:])
    return tf.math.divide_no_nan(slope * (new_hits + start * tf.math.log(ratio)), labels)
