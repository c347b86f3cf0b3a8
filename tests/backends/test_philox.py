"""Philox in machine code returns the blocks that Python's integers and NumPy do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tapeflow._src.backends import numpy as xp
from tapeflow._src.backends import philox as machine_code
from tapeflow._src.core import random_state
from tapeflow._src.kernels.random import fill as random_fill
from tapeflow._src.kernels.random import philox_host

pytestmark = pytest.mark.skipif(
    machine_code.philox() is None, reason="this processor runs no such code"
)

# The last ones overflow a word, and all of the counter.
STREAMS = [(0, 0), (2**64 - 1, 5 << 64 | 7), (1, 2**32 - 3), (2, 2**64 - 3), (3, 2**128 - 3)]


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return what makes the generator run as on other processors."""

    def switch() -> None:
        for name in ("philox", "long_philox"):
            monkeypatch.setattr(philox_host, name, lambda: None)

    return switch


@pytest.mark.parametrize("state", STREAMS)
@pytest.mark.parametrize("blocks", [(0, 1), (1, 1), (1, 5), (7, 3), (40, 4)])
@pytest.mark.parametrize("stride", [1, 3, 256])
def test_few_blocks(
    state: tuple[int, int], blocks: tuple[int, int], stride: int, in_python: Callable[[], None]
) -> None:
    stream = random_state.stream(*state)
    actual = philox_host.blocks_at(stream, *blocks, stride, 11)
    words = philox_host.few_words(stream, blocks[0], stride)
    in_python()
    np.testing.assert_array_equal(actual, philox_host.blocks_at(stream, *blocks, stride, 11))
    assert words == philox_host.few_words(stream, blocks[0], stride)
    assert actual.flags.writeable


@pytest.mark.parametrize("state", STREAMS)
@pytest.mark.parametrize("stride", [1, 3])
def test_many_blocks(state: tuple[int, int], stride: int, in_python: Callable[[], None]) -> None:
    stream = random_state.stream(*state)
    actual, expected = np.empty((2, 80_000, 4), np.uint32)
    philox_host.fill(stream, actual, stride, None)
    in_python()
    philox_host.fill(stream, expected, stride, None)
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_truncated_normal_numbers(dtype: type, in_python: Callable[[], None]) -> None:
    stream = random_state.stream(5, 2**32 - 1000)
    actual = random_fill.truncated_normal(xp, stream, 5000, dtype)
    in_python()
    expected = random_fill.truncated_normal(xp, stream, 5000, dtype)
    np.testing.assert_array_equal(actual, expected)
    assert (np.abs(actual) < 2).all()
