"""`tf.data`: pipelines of elements, from where they lie to where they are used."""

from tapeflow.data import experimental as experimental
from tapeflow.data.arguments import AUTOTUNE as AUTOTUNE
from tapeflow.data.arguments import INFINITE as INFINITE_CARDINALITY
from tapeflow.data.arguments import UNKNOWN as UNKNOWN_CARDINALITY
from tapeflow.data.dataset import Dataset as Dataset
from tapeflow.data.dataset import DatasetSpec as DatasetSpec
from tapeflow.data.file_datasets import FixedLengthRecordDataset as FixedLengthRecordDataset
from tapeflow.data.file_datasets import TextLineDataset as TextLineDataset
from tapeflow.data.file_datasets import TFRecordDataset as TFRecordDataset
from tapeflow.data.iterator import Iterator as Iterator
from tapeflow.data.iterator import IteratorSpec as IteratorSpec
from tapeflow.data.numpy_iterator import NumpyIterator as NumpyIterator
from tapeflow.data.options import Options as Options
from tapeflow.data.options import ThreadingOptions as ThreadingOptions

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
