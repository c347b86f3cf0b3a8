"""What tests of gradients share."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from tapeflow._src.core import log


class _Messages(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The warnings logged in the test, as if it were the first of the process."""
    monkeypatch.setattr(log, "_seen", {})
    handler = _Messages()
    others = log.logger.handlers[:]
    log.logger.handlers[:] = [handler]
    yield handler.texts
    log.logger.handlers[:] = others
