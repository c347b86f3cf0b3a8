"""`SidecarEvaluator`: evaluates the checkpoints that another process writes, as in Keras 2."""

from __future__ import annotations

import logging
from typing import Any

import tapeflow as tf

# How long to wait for a checkpoint before a line says that there is none.
_PATIENCE = 30
_log = logging.getLogger("tapeflow")


class SidecarEvaluator:
    """Evaluates a model for each new checkpoint of a folder.

    The checkpoints are those of `tf.train.CheckpointManager(tf.train.Checkpoint(model=model,
    optimizer=optimizer), …)`, or of `keras.callbacks.ModelCheckpoint("…/ckpt-{epoch}",
    save_weights_only=True)`. It takes the newest one each time, so that some may be skipped.

    Args:
        model: a compiled model like the one that is trained.
        data: what `model.evaluate` takes.
        checkpoint_dir: the folder.
        steps: the batches of an evaluation; None for all.
        max_evaluations: the number at the end of the name of the last checkpoint; None to go on
            for ever.
        callbacks: for `model.evaluate`.
    """

    def __init__(
        self,
        model: Any,
        data: Any,
        checkpoint_dir: Any,
        steps: int | None = None,
        max_evaluations: int | None = None,
        callbacks: Any = None,
    ) -> None:
        self.model = model
        self.data = data
        self.checkpoint_dir = checkpoint_dir
        self.steps = steps
        self.max_evaluations = max_evaluations
        self.callbacks = callbacks or []

    def start(self) -> None:
        """Evaluate checkpoints until the last one."""
        for path in tf.train.checkpoints_iterator(
            self.checkpoint_dir, timeout=_PATIENCE, timeout_fn=self._no_checkpoint
        ):
            try:
                self._load(path)
            except tf.errors.UnavailableError:
                raise
            except tf.errors.OpError as error:
                # The training process may be replacing its files at this moment.
                _log.info("Cannot load the checkpoint %s, trying again: %s", path, error)
                continue
            results = self.model.evaluate(
                self.data,
                steps=self.steps,
                callbacks=self.callbacks,
                verbose=2,
                return_dict=True,
            )
            _log.info("Evaluated %s: %s", path, results)
            if self.max_evaluations and self.max_evaluations <= int(path.rpartition("-")[2]):
                return

    def _load(self, path: str) -> None:
        names = tf.train.load_checkpoint(path).get_variable_to_shape_map()
        parts = {"model": self.model}
        if self.model.optimizer is not None:
            parts["optimizer"] = self.model.optimizer
        tf.train.Checkpoint(**parts).read(path).expect_partial()
        if not any(name.startswith("model/") for name in names):
            self.model.load_weights(path)

    def _no_checkpoint(self) -> bool:
        _log.info(
            "There was no new checkpoint in %s for %s seconds: is the training process saving "
            "them there?",
            self.checkpoint_dir,
            _PATIENCE,
        )
        return False
