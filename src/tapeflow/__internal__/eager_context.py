"""Blocks that run ops at once."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.internal.eager_context import eager_mode as eager_mode

_explain_missing(__name__)
