"""The public namespace `tf.keras.utils.experimental`, as Keras 2 had it."""

from __future__ import annotations

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.trainers.data_adapters.dataset_creator import (
    DatasetCreator as DatasetCreator,
)

_explain_missing(__name__)
