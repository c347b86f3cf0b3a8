"""`tf.graph_util`: GraphDef messages become part of a graph."""

from tapeflow._src.api.graph_util import import_graph_def as import_graph_def
