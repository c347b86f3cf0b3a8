"""`tf.autograph.experimental`."""

from tapeflow._src.autograph.api import do_not_convert as do_not_convert
from tapeflow._src.autograph.directives import set_loop_options as set_loop_options
from tapeflow._src.autograph.options import Feature as Feature
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
