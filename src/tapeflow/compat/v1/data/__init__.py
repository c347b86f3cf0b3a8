"""`tf.compat.v1.data`: `tf.data`, and what asks datasets for types, shapes and iterators."""

from __future__ import annotations

from tapeflow._src.compat.v1.data.functions import get_output_classes as get_output_classes
from tapeflow._src.compat.v1.data.functions import get_output_shapes as get_output_shapes
from tapeflow._src.compat.v1.data.functions import get_output_types as get_output_types
from tapeflow._src.core.lazy import later as _later

_SAME = (
    *("AUTOTUNE", "Dataset", "DatasetSpec", "FixedLengthRecordDataset", "INFINITE_CARDINALITY"),
    *("NumpyIterator", "Options", "TFRecordDataset", "TextLineDataset", "ThreadingOptions"),
    *("UNKNOWN_CARDINALITY", "experimental"),
)

_ITERATORS = ("Iterator", "make_initializable_iterator", "make_one_shot_iterator")

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        **dict.fromkeys(_SAME, "tapeflow.data"),
        **dict.fromkeys(_ITERATORS, "tapeflow._src.data.graph_iterators"),
    },
)
