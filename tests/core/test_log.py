"""The library's messages: to standard error, unless the program shows all messages itself."""

from __future__ import annotations

import logging
import sys

import pytest

from tapeflow._src.core.log import logger


def test_messages_reach_those_who_listen_to_all(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        logger.warning("seen by %s", "all")
    assert [record.getMessage() for record in caplog.records] == ["seen by all"]


def test_messages_are_shown_once(capsys: pytest.CaptureFixture[str]) -> None:
    logger.warning("alone")
    assert capsys.readouterr().err == "WARNING:tapeflow:alone\n"
    shown = logging.StreamHandler(sys.stderr)
    logging.getLogger().addHandler(shown)
    try:
        logger.warning("by the program")
    finally:
        logging.getLogger().removeHandler(shown)
    assert capsys.readouterr().err == "by the program\n"
