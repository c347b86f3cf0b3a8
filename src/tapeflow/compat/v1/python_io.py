"""`tf.compat.v1.python_io`: records of files, read and written by Python."""

from __future__ import annotations

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow.compat.v1.io import TFRecordCompressionType as TFRecordCompressionType
from tapeflow.compat.v1.io import tf_record_iterator as tf_record_iterator
from tapeflow.io import TFRecordOptions as TFRecordOptions
from tapeflow.io import TFRecordWriter as TFRecordWriter

_explain_missing(__name__)
