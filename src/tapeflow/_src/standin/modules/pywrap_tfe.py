"""`tensorflow.python.pywrap_tfe`: what is asked of the runtime."""

from __future__ import annotations


def TF_ListPluggablePhysicalDevices() -> list[bytes]:
    """Return no devices: there are no device plugins."""
    return []
