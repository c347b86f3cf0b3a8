"""`tf.compat.v1.graph_util`: GraphDef messages cut down to what is wanted of them."""

from tapeflow._src.compat.v1.graph_util import (
    convert_variables_to_constants as convert_variables_to_constants,
)
from tapeflow._src.compat.v1.graph_util import extract_sub_graph as extract_sub_graph
from tapeflow._src.compat.v1.graph_util import import_graph_def as import_graph_def
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
