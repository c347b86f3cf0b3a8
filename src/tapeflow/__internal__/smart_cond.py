"""`smart_cond`: a condition that is known is decided at once."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.internal.smart_cond import smart_cond as smart_cond
from tapeflow._src.internal.smart_cond import smart_constant_value as smart_constant_value

_explain_missing(__name__)
