"""`tf.__operators__`: Python operators of tensors that no other public function is."""

from tapeflow._src.api.operators import add as add
from tapeflow._src.api.operators import eq as eq
from tapeflow._src.api.operators import getitem as getitem
from tapeflow._src.api.operators import ne as ne
from tapeflow._src.api.operators import ragged_getitem as ragged_getitem
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
