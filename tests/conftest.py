"""What holds for every test run."""

from __future__ import annotations

import re

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse test names that hold an address: workers running side by side must agree on names."""
    unstable = [item.nodeid for item in items if re.search(r" at 0x[0-9a-f]+", item.nodeid)]
    if unstable:
        raise pytest.UsageError("give these tests stable ids:\n" + "\n".join(unstable))
