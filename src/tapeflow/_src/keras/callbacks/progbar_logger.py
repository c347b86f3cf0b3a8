"""`ProgbarLogger`: progress and results on standard output."""

from __future__ import annotations

import sys
from typing import Any

from tapeflow._src.keras.callbacks.callback import Callback
from tapeflow._src.keras.utils.progbar import Progbar


class ProgbarLogger(Callback):
    """Shows each epoch as a bar; `fit` adds one unless `verbose` is 0.

    Results are read only when the bar is drawn.

    Args:
        count_mode: `"steps"`, what is counted; the samples of a batch are not known (Keras 2).
        stateful_metrics: Ignored: all results are those of the epoch so far (Keras 2).

    Raises:
        ValueError: `count_mode` is another.

    Example:
        >>> bar = tf.keras.callbacks.ProgbarLogger()
        >>> bar.set_params({"verbose": 0, "epochs": 1, "steps": 3})
        >>> bar.target
        3
    """

    def __init__(self, count_mode: str = "steps", stateful_metrics: Any = None) -> None:
        super().__init__()
        if count_mode != "steps":
            raise ValueError(
                f"ProgbarLogger counts steps: `count_mode` must be 'steps'. Received: "
                f"count_mode={count_mode!r}"
            )
        self.seen = 0
        self.progbar: Any = None
        self.target: int | None = None
        self.verbose: Any = 1
        self.epochs = 1
        self._called_in_fit = False

    def set_params(self, params: Any) -> None:
        self.verbose = 1 if params["verbose"] == "auto" else params["verbose"]
        self.epochs = params.get("epochs", 1)
        self.target = params.get("steps")

    def on_train_begin(self, logs: Any = None) -> None:
        self._called_in_fit = True

    def on_test_begin(self, logs: Any = None) -> None:
        if not self._called_in_fit:
            self._reset()
            self._make_bar()

    def on_predict_begin(self, logs: Any = None) -> None:
        self._reset()
        self._make_bar()

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._reset()
        self._make_bar()
        if self.verbose and self.epochs > 1:
            sys.stdout.write(f"Epoch {epoch + 1}/{self.epochs}\n")
            sys.stdout.flush()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._update(batch, logs)

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        if not self._called_in_fit:
            self._update(batch, logs)

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        # Predictions are not shown.
        self._update(batch, None)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._finish(logs)

    def on_test_end(self, logs: Any = None) -> None:
        if not self._called_in_fit:
            self._finish(logs)

    def on_predict_end(self, logs: Any = None) -> None:
        self._finish(logs)

    def _reset(self) -> None:
        self.seen = 0
        self.progbar = None

    def _make_bar(self) -> None:
        self.progbar = Progbar(target=self.target, verbose=self.verbose, unit_name="step")

    def _update(self, batch: int, logs: Any) -> None:
        self.seen = batch + 1
        if self.progbar.due():
            self._show(logs, finalize=False)

    def _show(self, logs: Any, finalize: bool) -> None:
        # The results are those of the epoch so far: the bar is not to average them again.
        self.progbar.stateful_metrics.update(logs or ())
        self.progbar.update(self.seen, list((logs or {}).items()), finalize=finalize)

    def _finish(self, logs: Any) -> None:
        if self.target is None:
            self.target = self.seen
            self.progbar.target = self.seen
        # The bar of an epoch that was cut short is complete, too.
        self.seen = self.target
        self._show(logs, finalize=True)
