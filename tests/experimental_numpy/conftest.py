"""NumPy's behaviour is a switch of the process: what a test turns on is off after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import tapeflow as tf
from tapeflow._src.api.experimental.numpy.methods import METHODS
from tapeflow._src.api.experimental.numpy.promotion import policy
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops import operators


@pytest.fixture(autouse=True)
def unseeded() -> Iterator[None]:
    """Other tests find no seed set."""
    yield
    tf.random.set_seed(None)


@pytest.fixture
def enable() -> Iterator[Callable[..., None]]:
    """`experimental_enable_numpy_behavior`, for one test."""
    yield tf.experimental.numpy.experimental_enable_numpy_behavior
    tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="off")
    operators.behave()
    policy.prefer_float32 = False
    for name in METHODS:
        if name in vars(Tensor):
            delattr(Tensor, name)
