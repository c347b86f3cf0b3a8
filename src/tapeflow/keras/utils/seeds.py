"""One seed for all that is random in a program."""

from __future__ import annotations

import random

import numpy as np

import tapeflow as tf


def set_random_seed(seed: int) -> None:
    """Seed the random numbers of TensorFlow, of NumPy and of Python, whence Keras has its seeds."""
    if not isinstance(seed, int):
        raise ValueError(
            f"`seed` must be an integer. Received: {seed!r} of type {type(seed).__name__}"
        )
    random.seed(seed)
    np.random.seed(seed)
    tf.random.set_seed(seed)
