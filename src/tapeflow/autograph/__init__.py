"""`tf.autograph`: Python's control flow as part of a graph.

`pipeline` lists the steps by which a function is converted; `analysis` knows what can be said of
its code, `converters` rewrite it, and `operators` are what the rewritten code calls.
"""

from tapeflow._src.autograph.api import to_code as to_code
from tapeflow._src.autograph.api import to_graph as to_graph
from tapeflow._src.autograph.verbosity import set_verbosity as set_verbosity
from tapeflow._src.autograph.verbosity import trace as trace
from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow.autograph import experimental as experimental

_explain_missing(__name__)
