"""Short notices to the user: printed, or logged where interactive logging is off."""

from __future__ import annotations

import logging

from tapeflow._src.keras.config import is_interactive_logging_enabled


def print_message(text: str) -> None:
    """Print a line; log it as INFO after `disable_interactive_logging()`."""
    if is_interactive_logging_enabled():
        print(text, flush=True)
    else:
        logging.getLogger("tapeflow").info(text)
