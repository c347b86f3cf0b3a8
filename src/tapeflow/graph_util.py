"""`tf.graph_util`: GraphDef messages become part of a graph."""

from tapeflow._src.api.graph_util import import_graph_def as import_graph_def
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
