"""`tf.test.experimental`: device synchronisation."""

from __future__ import annotations


def sync_devices() -> None:
    """Wait for pending device work: none, as eager ops run synchronously.

    Returns:
        None.
    """
