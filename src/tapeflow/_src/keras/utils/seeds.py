"""One seed for all that is random in a program."""

from __future__ import annotations

import random

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.random.seed_generator import reset_global_seed_generator


def set_random_seed(seed: int) -> None:
    """Seed TensorFlow, NumPy, Python and `keras.random`: the program then repeats itself.

    Call it at the start, before layers and datasets are created.

    Args:
        seed: An integer.

    Returns:
        None.

    Raises:
        ValueError: `seed` is not an integer.

    Example:
        >>> tf.keras.utils.set_random_seed(7)
        >>> first = tf.keras.random.normal((3,))
        >>> tf.keras.utils.set_random_seed(7)
        >>> bool(tf.reduce_all(first == tf.keras.random.normal((3,))))
        True
    """
    if not isinstance(seed, int):
        raise ValueError(
            f"`seed` must be an integer. Received: {seed!r} of type {type(seed).__name__}"
        )
    random.seed(seed)
    np.random.seed(seed)
    tf.random.set_seed(seed)
    reset_global_seed_generator()
