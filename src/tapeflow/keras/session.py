"""What a program has left behind, forgotten."""

from __future__ import annotations

import gc

from tapeflow.keras.dtype_policies.policy import reset_dtype_policy
from tapeflow.keras.random.seed_generator import reset_global_seed_generator
from tapeflow.keras.utils.naming import reset_uids


def clear_session(free_memory: bool = True) -> None:
    """Begin anew with the numbers in names, the seeds of random functions and the dtype policy."""
    reset_uids()
    reset_global_seed_generator()
    reset_dtype_policy()
    if free_memory:
        gc.collect()
