"""`smart_cond`: a condition that is known is decided at once."""

from tapeflow._src.internal.smart_cond import smart_cond as smart_cond
from tapeflow._src.internal.smart_cond import smart_constant_value as smart_constant_value
