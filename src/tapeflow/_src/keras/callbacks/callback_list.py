"""`CallbackList`: many callbacks called as one.

Few callbacks define methods for batches: those are looked up once, and logs are converted to
Python numbers only for them.
"""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.callbacks.callback import Callback
from tapeflow._src.keras.callbacks.history import History
from tapeflow._src.keras.callbacks.progbar_logger import ProgbarLogger
from tapeflow._src.keras.trainers.steps import as_numbers

_OF_BATCHES = (
    *("train_batch_begin", "train_batch_end"),
    *("test_batch_begin", "test_batch_end"),
    *("predict_batch_begin", "predict_batch_end"),
)


class CallbackList(Callback):
    """Runs several callbacks in order; adds `History` and `ProgbarLogger` on request.

    Training loops of your own call its hooks; `fit` creates one itself.

    Args:
        callbacks: Callbacks, in a list or structure.
        add_history: Whether to add a `History`, unless there is one.
        add_progbar: Whether to add a `ProgbarLogger`, unless there is one.
        model: Model that the callbacks receive.
        **params: Parameters that they receive: `epochs`, `steps`, `verbose`.

    Example:
        >>> history = tf.keras.callbacks.History()
        >>> model = tf.keras.Sequential()
        >>> callbacks = tf.keras.callbacks.CallbackList([history], model=model, epochs=1)
        >>> callbacks.on_epoch_end(0, {"loss": 0.5})
        >>> history.history
        {'loss': [0.5]}
    """

    def __init__(
        self,
        callbacks: Any = None,
        add_history: bool = False,
        add_progbar: bool = False,
        model: Any = None,
        **params: Any,
    ) -> None:
        super().__init__()
        self.callbacks: list[Any] = tf.nest.flatten(callbacks) if callbacks else []
        for callback in self.callbacks:
            _require_instance(callback)
        self._history = self._last_of(History, add_history)
        self._progbar = self._last_of(ProgbarLogger, add_progbar)
        self._listeners = {name: self._who_hears(name) for name in _OF_BATCHES}
        if model is not None:
            self.set_model(model)
        self.set_params(params)

    def _last_of(self, kind: type[Callback], add: bool) -> Any:
        """The last callback of a kind; without any, a new one if `add`, or None."""
        of_kind = [callback for callback in self.callbacks if isinstance(callback, kind)]
        if not of_kind and add:
            of_kind = [kind()]
            self.callbacks += of_kind
        return of_kind[-1] if of_kind else None

    def _who_hears(self, name: str) -> list[Any]:
        """The methods of callbacks that handle this event."""
        methods = []
        for callback in self.callbacks:
            if not _defines(callback, f"on_{name}"):
                old = f"on_{name.removeprefix('train_')}"
                if not name.startswith("train_") or not _defines(callback, old):
                    continue
            if not isinstance(callback, ProgbarLogger):
                methods.append(getattr(callback, f"on_{name}"))
        return methods

    def append(self, callback: Any) -> None:
        """Add a callback.

        Args:
            callback: The callback; it receives no model by this.
        """
        _require_instance(callback)
        self.callbacks.append(callback)
        self._listeners = {name: self._who_hears(name) for name in _OF_BATCHES}

    def make_logs(
        self, model: Any, logs: dict[str, Any], outputs: Any, mode: str, prefix: str = ""
    ) -> dict[str, Any]:
        """Put the outputs of a step into `logs`, as loops of Keras 2 do.

        Args:
            model: The model, whose `metrics_names` are the names of the outputs.
            logs: Dictionary that is filled, if there are callbacks.
            outputs: Loss and metrics of a step of training or a test, or predictions.
            mode: `"train"`, `"test"` or `"predict"`.
            prefix: Prefix of the names, such as `"val_"`.

        Returns:
            The dictionary `logs`.
        """
        if not self.callbacks:
            return logs
        if mode in ("train", "test") and hasattr(model, "metrics_names"):
            logs.update({prefix + name: each for name, each in zip(model.metrics_names, outputs)})
        else:
            logs["outputs"] = outputs
        return logs

    def set_params(self, params: Any) -> None:
        self.params = params
        if params:
            for callback in self.callbacks:
                callback.set_params(params)

    def set_model(self, model: Any) -> None:
        super().set_model(model)
        if self._history is not None:
            model.history = self._history
        for callback in self.callbacks:
            callback.set_model(model)

    # -- batches -------------------------------------------------------------------------------

    def hears(self, name: str) -> bool:
        """Whether any callback handles this event; the progress bar handles only ends.

        Args:
            name: Event, such as `"train_batch_end"`.
        """
        bar = self._progbar is not None and name.endswith("end")
        return bar or bool(self._listeners[name])

    def _begin(self, name: str, batch: int, logs: Any) -> None:
        for method in self._listeners[name]:
            method(batch, logs or {})

    def _end(self, name: str, batch: int, logs: Any) -> None:
        listeners = self._listeners[name]
        if listeners:
            numbers = logs if name == "predict_batch_end" else as_numbers(logs)
            for method in listeners:
                method(batch, numbers)
        if self._progbar is not None:
            getattr(self._progbar, f"on_{name}")(batch, logs)

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._begin("train_batch_begin", batch, logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._end("train_batch_end", batch, logs)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._begin("test_batch_begin", batch, logs)

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        self._end("test_batch_end", batch, logs)

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._begin("predict_batch_begin", batch, logs)

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        self._end("predict_batch_end", batch, logs)

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.on_train_batch_begin(batch, logs)

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        self.on_train_batch_end(batch, logs)

    # -- the rest ------------------------------------------------------------------------------

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        logs = as_numbers(logs)
        for callback in self.callbacks:
            callback.on_epoch_begin(epoch, logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        logs = as_numbers(logs)
        for callback in self.callbacks:
            callback.on_epoch_end(epoch, logs)

    def _tell(self, name: str, logs: Any) -> None:
        logs = as_numbers(logs)
        for callback in self.callbacks:
            getattr(callback, name)(logs)

    def on_train_begin(self, logs: Any = None) -> None:
        self._tell("on_train_begin", logs)

    def on_train_end(self, logs: Any = None) -> None:
        self._tell("on_train_end", logs)

    def on_test_begin(self, logs: Any = None) -> None:
        self._tell("on_test_begin", logs)

    def on_test_end(self, logs: Any = None) -> None:
        self._tell("on_test_end", logs)

    def on_predict_begin(self, logs: Any = None) -> None:
        self._tell("on_predict_begin", logs)

    def on_predict_end(self, logs: Any = None) -> None:
        self._tell("on_predict_end", logs)


def _defines(callback: Any, name: str) -> bool:
    """Whether a callback overrides this method."""
    if name in getattr(callback, "__dict__", ()):
        return True
    own = getattr(type(callback), name, None)
    return own is not None and own is not getattr(Callback, name)


def _require_instance(callback: Any) -> None:
    if isinstance(callback, type):
        name = callback.__name__
        raise TypeError(
            f"`callbacks` expects instances of callbacks. Received the class {name}: create one, "
            f"{name}()."
        )
