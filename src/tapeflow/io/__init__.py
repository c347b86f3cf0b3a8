"""`tf.io`: values out of bytes, graphs into files."""

from tapeflow.io.functions import decode_raw as decode_raw
from tapeflow.io.graphs import write_graph as write_graph
