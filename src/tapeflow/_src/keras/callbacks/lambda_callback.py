"""`LambdaCallback`: functions as a callback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.keras.callbacks.callback import Callback


class LambdaCallback(Callback):
    """Callback made of functions, passed under the names of the hooks.

    A function receives what the hook of its name receives.

    Args:
        on_epoch_begin: Function of `epoch` and `logs`; None for none.
        on_epoch_end: Function of `epoch` and `logs`.
        on_train_begin: Function of `logs`.
        on_train_end: Function of `logs`.
        on_train_batch_begin: Function of `batch` and `logs`.
        on_train_batch_end: Function of `batch` and `logs`.
        **kwargs: Functions for other hooks of `Callback`.

    Example:
        >>> log = tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: print(epoch))
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        >>> model.compile("sgd", "mse")
        >>> history = model.fit(np.ones((8, 2)), np.ones((8, 1)), verbose=0, callbacks=[log])
        0
    """

    def __init__(
        self,
        on_epoch_begin: Callable[..., Any] | None = None,
        on_epoch_end: Callable[..., Any] | None = None,
        on_train_begin: Callable[..., Any] | None = None,
        on_train_end: Callable[..., Any] | None = None,
        on_train_batch_begin: Callable[..., Any] | None = None,
        on_train_batch_end: Callable[..., Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        hooks = {
            "on_epoch_begin": on_epoch_begin,
            "on_epoch_end": on_epoch_end,
            "on_train_begin": on_train_begin,
            "on_train_end": on_train_end,
            "on_train_batch_begin": on_train_batch_begin,
            "on_train_batch_end": on_train_batch_end,
            **kwargs,
        }
        self.__dict__.update({k: f for k, f in hooks.items() if f is not None})
