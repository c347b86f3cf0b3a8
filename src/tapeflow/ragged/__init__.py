"""`tf.ragged`: tensors with rows of different lengths."""

from tapeflow.ops.ragged import elementwise as _elementwise  # noqa: F401  declares ragged forms
from tapeflow.ops.ragged import gathering as _gathering  # noqa: F401
from tapeflow.ops.ragged import joining as _joining  # noqa: F401
from tapeflow.ops.ragged import reductions as _reductions  # noqa: F401
from tapeflow.ops.ragged import shaped as _shaped  # noqa: F401
from tapeflow.ops.ragged import shaping as _shaping  # noqa: F401
from tapeflow.ragged.constants import constant as constant
