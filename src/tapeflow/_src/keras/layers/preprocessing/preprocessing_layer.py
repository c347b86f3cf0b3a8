"""`PreprocessingLayer`: a layer with a state that is computed from data before training."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.preprocessing.adaptable import Adaptable
from tapeflow._src.keras.layers.preprocessing.categories import batches

_BATCH = 32


class PreprocessingLayer(Adaptable, Layer):
    """A base class for layers that are adapted to data (Keras 2).

    A subclass defines `update_state`, which takes one batch into account, and may define
    `reset_state` and `finalize_state`, which `adapt` calls before the first and after the last.

    >>> class Largest(tf.keras.layers.experimental.preprocessing.PreprocessingLayer):
    ...     def build(self, input_shape):
    ...         self.largest = self.add_weight(shape=(), initializer="zeros", trainable=False)
    ...     def update_state(self, data):
    ...         self.largest.assign(tf.maximum(self.largest, tf.reduce_max(data)))
    ...     def call(self, inputs):
    ...         return inputs / self.largest
    >>> layer = Largest()
    >>> layer.adapt(np.array([[2.0], [4.0]], "float32"))
    >>> layer(tf.constant([[1.0]])).numpy()
    array([[0.25]], dtype=float32)
    """

    def update_state(self, data: Any) -> None:
        """Take one batch into account.

        Args:
            data: The batch.

        Raises:
            NotImplementedError: The class does not define it.
        """
        raise NotImplementedError(
            f"{type(self).__name__} must define `update_state(self, data)` to be adapted."
        )

    def reset_state(self) -> None:
        """Forget all batches."""

    def finalize_state(self) -> None:
        """Compute what `call` needs from all batches."""

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Compute the state of the layer from data.

        Args:
            data: an array or a tensor, which is split into batches; or a dataset, or another
                iterable, of batches.
            batch_size: the number of rows of a batch of an array; 32 by default.
            steps: how many batches are used; all by default.
        """
        stream = batches(data, steps, (np.ndarray, list))
        if stream is None:
            rows = tf.data.Dataset.from_tensor_slices(data).batch(batch_size or _BATCH)
            stream = iter(rows if steps is None else rows.take(steps))
        if self.built:
            self.reset_state()
            self._tpf_set_adapted(False)
        for batch in stream:
            if not self.built:
                self.build(tuple(batch.shape))
                self.built = True
            self.update_state(batch)
        self.finalize_state()
        self._tpf_set_adapted(True)
