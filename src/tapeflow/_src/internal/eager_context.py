"""Blocks that run ops at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tapeflow._src.core import dispatch


@contextmanager
def eager_mode() -> Iterator[None]:
    """Run ops of the block at once."""
    with dispatch.use_mode(dispatch.base_mode()):
        yield
