"""What a program has left behind, forgotten."""

from __future__ import annotations

from tapeflow.keras.random.seed_generator import reset_global_seed_generator
from tapeflow.keras.utils.naming import reset_uids


def clear_session(free_memory: bool = True) -> None:
    """Begin anew with the numbers in names and with the seeds of random functions."""
    reset_uids()
    reset_global_seed_generator()
