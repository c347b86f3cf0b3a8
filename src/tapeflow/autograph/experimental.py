"""`tf.autograph.experimental`."""

from tapeflow.autograph.api import do_not_convert as do_not_convert
from tapeflow.autograph.directives import set_loop_options as set_loop_options
from tapeflow.autograph.options import Feature as Feature
