"""Blocks that run ops at once."""

from tapeflow._src.internal.eager_context import eager_mode as eager_mode
