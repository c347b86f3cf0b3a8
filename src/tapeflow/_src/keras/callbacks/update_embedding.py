"""`UpdateEmbeddingCallback`: the vocabulary of a DynamicEmbedding renewed while training."""

from __future__ import annotations

import threading
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.callbacks.callback import Callback
from tapeflow._src.keras.utils.timed_thread import TimedThread


class UpdateEmbeddingCallback(TimedThread, Callback):
    """Has a `DynamicEmbedding` take up frequent terms every `interval` seconds.

    It is passed to `fit`, which is called in a `with` block of it. The update happens after the
    batch that is under way, and sets what the optimizer keeps for the embeddings to zero.

    Args:
        dynamic_embedding_layer: The `DynamicEmbedding`.
        interval: Seconds between updates.
    """

    def __init__(self, dynamic_embedding_layer: Any, interval: float) -> None:
        TimedThread.__init__(self, interval)
        Callback.__init__(self)
        self._layer = dynamic_embedding_layer
        self._due = threading.Event()

    def on_interval(self) -> None:
        # Only noted: the variables belong to the training loop while a batch is computed.
        self._due.set()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if not self._due.is_set():
            return
        self._due.clear()
        self._layer.update_embeddings()
        # What the optimizer knows of the rows is about other terms.
        embeddings = self._layer.embedding_layer.embeddings.path.replace("/", "_")
        for variable in self.model.optimizer.variables:
            if embeddings in variable.path:
                variable.assign(tf.zeros_like(variable))
