"""`tf.io`: files, records, and values in strings of bytes."""

from tapeflow._src.api.image.coding import decode_and_crop_jpeg as decode_and_crop_jpeg
from tapeflow._src.api.image.coding import decode_bmp as decode_bmp
from tapeflow._src.api.image.coding import decode_gif as decode_gif
from tapeflow._src.api.image.coding import decode_image as decode_image
from tapeflow._src.api.image.coding import decode_jpeg as decode_jpeg
from tapeflow._src.api.image.coding import decode_png as decode_png
from tapeflow._src.api.image.coding import decode_webp as decode_webp
from tapeflow._src.api.image.coding import encode_jpeg as encode_jpeg
from tapeflow._src.api.image.coding import encode_png as encode_png
from tapeflow._src.api.image.coding import extract_jpeg_shape as extract_jpeg_shape
from tapeflow._src.api.image.coding import is_jpeg as is_jpeg
from tapeflow._src.api.io.examples import parse_example as parse_example
from tapeflow._src.api.io.examples import parse_sequence_example as parse_sequence_example
from tapeflow._src.api.io.examples import parse_single_example as parse_single_example
from tapeflow._src.api.io.examples import (
    parse_single_sequence_example as parse_single_sequence_example,
)
from tapeflow._src.api.io.features import FixedLenFeature as FixedLenFeature
from tapeflow._src.api.io.features import FixedLenSequenceFeature as FixedLenSequenceFeature
from tapeflow._src.api.io.features import RaggedFeature as RaggedFeature
from tapeflow._src.api.io.features import SparseFeature as SparseFeature
from tapeflow._src.api.io.features import VarLenFeature as VarLenFeature
from tapeflow._src.api.io.files import match_filenames_once as match_filenames_once
from tapeflow._src.api.io.files import matching_files as matching_files
from tapeflow._src.api.io.files import read_file as read_file
from tapeflow._src.api.io.files import write_file as write_file
from tapeflow._src.api.io.graphs import write_graph as write_graph
from tapeflow._src.api.io.raw import decode_base64 as decode_base64
from tapeflow._src.api.io.raw import decode_compressed as decode_compressed
from tapeflow._src.api.io.raw import decode_raw as decode_raw
from tapeflow._src.api.io.raw import encode_base64 as encode_base64
from tapeflow._src.api.io.records import TFRecordOptions as TFRecordOptions
from tapeflow._src.api.io.records import TFRecordWriter as TFRecordWriter
from tapeflow._src.api.io.tensors import decode_csv as decode_csv
from tapeflow._src.api.io.tensors import decode_json_example as decode_json_example
from tapeflow._src.api.io.tensors import decode_proto as decode_proto
from tapeflow._src.api.io.tensors import deserialize_many_sparse as deserialize_many_sparse
from tapeflow._src.api.io.tensors import encode_proto as encode_proto
from tapeflow._src.api.io.tensors import parse_tensor as parse_tensor
from tapeflow._src.api.io.tensors import serialize_many_sparse as serialize_many_sparse
from tapeflow._src.api.io.tensors import serialize_sparse as serialize_sparse
from tapeflow._src.api.io.tensors import serialize_tensor as serialize_tensor
from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow.io import gfile as gfile

_explain_missing(__name__)
