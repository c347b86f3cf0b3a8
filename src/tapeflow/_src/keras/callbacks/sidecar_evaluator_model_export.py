"""`SidecarEvaluatorModelExport`: keeps the best of the models that a SidecarEvaluator evaluates."""

from __future__ import annotations

import glob
import os
import re
from typing import Any

from tapeflow._src.keras.callbacks.model_checkpoint import ModelCheckpoint

_PLACEHOLDER = re.compile(r"\{.*?\}")


class SidecarEvaluatorModelExport(ModelCheckpoint):
    """Saves the model after an evaluation if it is the best so far.

    Args:
        export_filepath: File to write, which may contain `{epoch}`: that of the training.
        checkpoint_filepath: Name of the checkpoints that the training writes, such as
            `"…/ckpt-{epoch}"`: the newest one says what the epoch is.
        **kwargs: Arguments of `ModelCheckpoint`; `save_freq` may only be `"eval"`.

    Raises:
        ValueError: `save_freq` is another.

    Example:
        >>> export = tf.keras.callbacks.SidecarEvaluatorModelExport("best.keras", "ckpt-{epoch}")
        >>> export.save_best_only
        True
    """

    def __init__(self, export_filepath: Any, checkpoint_filepath: Any, **kwargs: Any) -> None:
        if kwargs.pop("save_freq", "eval") not in ("eval", "epoch"):
            raise ValueError("SidecarEvaluatorModelExport saves after evaluations only.")
        super().__init__(export_filepath, save_best_only=True, **kwargs)
        self._checkpoint_filepath = os.fspath(checkpoint_filepath)
        self.export_index = 0

    def on_test_begin(self, logs: Any = None) -> None:
        """Read the epoch off the newest checkpoint.

        Args:
            logs: Dict, which is empty so far.
        """
        pattern = _PLACEHOLDER.sub("*", self._checkpoint_filepath)
        files = glob.glob(pattern + "*")
        newest = max(files, key=os.path.getmtime, default="")
        number = re.match(r".*ckpt-(\d+)", newest)
        self.export_index = int(number[1]) - 1 if number else 0

    def on_test_end(self, logs: Any = None) -> None:
        """Save the model if it is the best one.

        Args:
            logs: Dict of the results by name.
        """
        self._save_model(self.export_index, None, logs)
