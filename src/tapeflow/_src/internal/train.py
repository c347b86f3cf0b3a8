"""Checkpoints and mixed precision for libraries that train."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapeflow._src.saved_model.saver import update_checkpoint_state as _update_checkpoint_state


def update_checkpoint_state(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Iterable[Any] | None = None,
    latest_filename: str | None = None,
    save_relative_paths: bool = False,
    all_model_checkpoint_timestamps: Iterable[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Write the file `checkpoint` of a folder; paths below the folder are always relative."""
    _update_checkpoint_state(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        latest_filename,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )


def is_mixed_precision_graph_rewrite_enabled() -> bool:
    """Return False: graphs are never rewritten to lower precision."""
    return False


_mixed_precision_policy = False


def set_using_mixed_precision_policy(is_using: bool) -> None:
    """Note whether a library computes in mixed precision by a policy of its own."""
    global _mixed_precision_policy
    _mixed_precision_policy = bool(is_using)
