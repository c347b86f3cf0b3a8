"""`tf.bitwise`: ops on the bits of integers."""

from tapeflow._src.api.bitwise import bitwise_and as bitwise_and
from tapeflow._src.api.bitwise import bitwise_or as bitwise_or
from tapeflow._src.api.bitwise import bitwise_xor as bitwise_xor
from tapeflow._src.api.bitwise import invert as invert
from tapeflow._src.api.bitwise import left_shift as left_shift
from tapeflow._src.api.bitwise import right_shift as right_shift
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
