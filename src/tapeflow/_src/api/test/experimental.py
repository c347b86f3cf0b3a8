"""`tf.test.experimental`: waiting for devices."""

from __future__ import annotations


def sync_devices() -> None:
    """Wait until what was given to devices is done: that is so when an eager op returns."""
