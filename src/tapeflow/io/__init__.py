"""`tf.io`: files, records, and values in strings of bytes."""

from tapeflow.io import gfile as gfile
from tapeflow.io.files import match_filenames_once as match_filenames_once
from tapeflow.io.files import matching_files as matching_files
from tapeflow.io.files import read_file as read_file
from tapeflow.io.files import write_file as write_file
from tapeflow.io.graphs import write_graph as write_graph
from tapeflow.io.raw import decode_base64 as decode_base64
from tapeflow.io.raw import decode_compressed as decode_compressed
from tapeflow.io.raw import decode_raw as decode_raw
from tapeflow.io.raw import encode_base64 as encode_base64
from tapeflow.io.records import TFRecordOptions as TFRecordOptions
from tapeflow.io.records import TFRecordWriter as TFRecordWriter
