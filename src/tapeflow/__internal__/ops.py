"""Functions of variables and weights that libraries use."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.internal.ops import broadcast_weights as broadcast_weights
from tapeflow._src.internal.ops import is_resource_variable as is_resource_variable

_explain_missing(__name__)
