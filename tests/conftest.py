"""What holds for every test run."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Generator

import hypothesis
import pytest

from tapeflow.core.registry import every

# What an earlier run compiled must not decide what this one tests.
os.environ["TAPEFLOW_CACHE_DIR"] = ""

# No test asserts a time, and what it tries is the same at every run.
hypothesis.settings.register_profile(
    "tests",
    deadline=None,
    derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("tests")

every()  # samples name their ops


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse test names that hold an address: workers running side by side must agree on names."""
    unstable = [item.nodeid for item in items if re.search(r" at 0x[0-9a-f]+", item.nodeid)]
    if unstable:
        raise pytest.UsageError("give these tests stable ids:\n" + "\n".join(unstable))


def pytest_collection_finish() -> None:
    """Leave out of garbage collections what is there to stay: all the tests.

    With some 30,000 of them a collection takes more than a second, and many tests ask for one.
    """
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Undo what hypothesis does to the settings of a parametrized test.

    For every parameter its plugin (6.170) wraps the settings in new ones whose parent are the old;
    after some 900 parameters of one test, looking up a setting exceeds the recursion limit.
    """
    function = getattr(item, "obj", None)
    settings = getattr(function, "_hypothesis_internal_use_settings", None)
    try:
        return (yield)
    finally:
        if settings is not None:
            function._hypothesis_internal_use_settings = settings  # type: ignore[union-attr]
