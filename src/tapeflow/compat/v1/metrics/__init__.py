"""`tf.compat.v1.metrics`: a value, and the op that counts a batch, in the variables of a graph."""

from __future__ import annotations

from tapeflow._src.compat.v1.metrics.confusion import auc as auc
from tapeflow._src.compat.v1.metrics.confusion import false_negatives as false_negatives
from tapeflow._src.compat.v1.metrics.confusion import (
    false_negatives_at_thresholds as false_negatives_at_thresholds,
)
from tapeflow._src.compat.v1.metrics.confusion import false_positives as false_positives
from tapeflow._src.compat.v1.metrics.confusion import (
    false_positives_at_thresholds as false_positives_at_thresholds,
)
from tapeflow._src.compat.v1.metrics.confusion import precision as precision
from tapeflow._src.compat.v1.metrics.confusion import (
    precision_at_thresholds as precision_at_thresholds,
)
from tapeflow._src.compat.v1.metrics.confusion import recall as recall
from tapeflow._src.compat.v1.metrics.confusion import recall_at_thresholds as recall_at_thresholds
from tapeflow._src.compat.v1.metrics.confusion import (
    sensitivity_at_specificity as sensitivity_at_specificity,
)
from tapeflow._src.compat.v1.metrics.confusion import (
    specificity_at_sensitivity as specificity_at_sensitivity,
)
from tapeflow._src.compat.v1.metrics.confusion import true_negatives as true_negatives
from tapeflow._src.compat.v1.metrics.confusion import (
    true_negatives_at_thresholds as true_negatives_at_thresholds,
)
from tapeflow._src.compat.v1.metrics.confusion import true_positives as true_positives
from tapeflow._src.compat.v1.metrics.confusion import (
    true_positives_at_thresholds as true_positives_at_thresholds,
)
from tapeflow._src.compat.v1.metrics.means import accuracy as accuracy
from tapeflow._src.compat.v1.metrics.means import mean as mean
from tapeflow._src.compat.v1.metrics.means import mean_absolute_error as mean_absolute_error
from tapeflow._src.compat.v1.metrics.means import mean_cosine_distance as mean_cosine_distance
from tapeflow._src.compat.v1.metrics.means import mean_iou as mean_iou
from tapeflow._src.compat.v1.metrics.means import mean_per_class_accuracy as mean_per_class_accuracy
from tapeflow._src.compat.v1.metrics.means import mean_relative_error as mean_relative_error
from tapeflow._src.compat.v1.metrics.means import mean_squared_error as mean_squared_error
from tapeflow._src.compat.v1.metrics.means import mean_tensor as mean_tensor
from tapeflow._src.compat.v1.metrics.means import percentage_below as percentage_below
from tapeflow._src.compat.v1.metrics.means import root_mean_squared_error as root_mean_squared_error
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
