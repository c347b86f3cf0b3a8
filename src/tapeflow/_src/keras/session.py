"""`clear_session`: resets global state."""

from __future__ import annotations

import gc

from tapeflow._src.keras.dtype_policies.policy import reset_dtype_policy
from tapeflow._src.keras.random.seed_generator import reset_global_seed_generator
from tapeflow._src.keras.scopes import calls
from tapeflow._src.keras.utils.naming import reset_uids


def clear_session(free_memory: bool = True) -> None:
    """Reset the numbers in names, the seeds of random functions, policy and learning phase.

    Call it between models in a loop, so that names such as "dense" do not count up.

    Args:
        free_memory: Whether to run Python's garbage collector.

    Returns:
        None.

    Example:
        >>> tf.keras.utils.clear_session()
        >>> tf.keras.layers.Dense(1).name
        'dense'
    """
    reset_uids()
    if calls.entry is None:
        calls.training = None
    reset_global_seed_generator()
    reset_dtype_policy()
    if free_memory:
        gc.collect()
