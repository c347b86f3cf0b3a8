"""`TerminateOnNaN`: no more training when the loss is no number."""

from __future__ import annotations

import math
from typing import Any

from tapeflow._src.keras.callbacks.callback import Callback
from tapeflow._src.keras.utils.console import print_message


class TerminateOnNaN(Callback):
    """Stops training when the loss is NaN or infinite.

    Args:
        raise_error: Whether to raise instead.

    Raises:
        RuntimeError: The loss is not finite, and `raise_error` is True.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        >>> model.compile("sgd", "mse")
        >>> x, y = np.full((8, 2), np.nan), np.ones((8, 1))
        >>> stop = tf.keras.callbacks.TerminateOnNaN()
        >>> history = model.fit(x, y, epochs=9, verbose=0, callbacks=[stop])
        Batch 0: Invalid loss, terminating training
        >>> history.epoch
        [0]
    """

    def __init__(self, raise_error: bool = False) -> None:
        super().__init__()
        self.raise_error = raise_error

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        loss = (logs or {}).get("loss")
        if loss is None or math.isfinite(loss):
            return
        if self.raise_error:
            raise RuntimeError(
                f"TerminateOnNaN: the loss is {loss} after batch {batch}. "
                f"`tf.debugging.enable_check_numerics()` names the op where it arises."
            )
        print_message(f"Batch {batch}: Invalid loss, terminating training")
        self.model.stop_training = True
