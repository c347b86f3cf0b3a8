"""`tf.data`: pipelines of elements, from where they lie to where they are used."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.data.arguments import AUTOTUNE as AUTOTUNE
from tapeflow._src.data.arguments import INFINITE as INFINITE_CARDINALITY
from tapeflow._src.data.arguments import UNKNOWN as UNKNOWN_CARDINALITY
from tapeflow._src.data.dataset import Dataset as Dataset
from tapeflow._src.data.dataset import DatasetSpec as DatasetSpec
from tapeflow._src.data.file_datasets import FixedLengthRecordDataset as FixedLengthRecordDataset
from tapeflow._src.data.file_datasets import TextLineDataset as TextLineDataset
from tapeflow._src.data.file_datasets import TFRecordDataset as TFRecordDataset
from tapeflow._src.data.iterator import Iterator as Iterator
from tapeflow._src.data.iterator import IteratorSpec as IteratorSpec
from tapeflow._src.data.numpy_iterator import NumpyIterator as NumpyIterator
from tapeflow._src.data.options import Options as Options
from tapeflow._src.data.options import ThreadingOptions as ThreadingOptions
from tapeflow.data import experimental as experimental

__all__ = [
    "AUTOTUNE",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "INFINITE_CARDINALITY",
    "Iterator",
    "IteratorSpec",
    "NumpyIterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "ThreadingOptions",
    "UNKNOWN_CARDINALITY",
    "experimental",
]

_explain_missing(__name__)
