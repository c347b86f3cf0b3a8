"""`TimedThread`: a function that runs every few seconds beside the program, as in Keras 2."""

from __future__ import annotations

import threading
from typing import Any

from tapeflow._src.internal.user_warnings import warn_user


class TimedThread:
    """Calls `on_interval`, which a subclass defines, every `interval` seconds.

    It runs from `start()` to `stop()`, or inside of a `with` block.

    Args:
        interval: seconds between the end of a call and the next one.
        **kwargs: arguments of `threading.Thread`; `daemon` is True by default.

    Example:
        >>> class Beat(tf.keras.utils.TimedThread):
        ...     def on_interval(self):
        ...         print("beat")
        >>> with Beat(interval=60) as beat:  # doctest: +SKIP
        ...     model.fit(x, y)
    """

    def __init__(self, interval: float, **kwargs: Any) -> None:
        self.interval = interval
        self.daemon = kwargs.pop("daemon", True)
        self.thread_kwargs = kwargs
        self.thread: threading.Thread | None = None
        self.thread_stop_event: threading.Event | None = None

    def on_interval(self) -> None:
        """Run every `interval` seconds; defined by subclasses."""
        raise NotImplementedError(f"{type(self).__name__} must define `on_interval(self)`.")

    def start(self) -> None:
        """Start the thread."""
        if self.is_alive():
            warn_user(f"The thread of this {type(self).__name__} runs already.")
            return
        stopped = self.thread_stop_event = threading.Event()

        def run() -> None:
            while not stopped.is_set():
                self.on_interval()
                stopped.wait(self.interval)

        self.thread = threading.Thread(target=run, daemon=self.daemon, **self.thread_kwargs)
        self.thread.start()

    def stop(self) -> None:
        """Let the thread end after the call that is under way."""
        if self.thread_stop_event is not None:
            self.thread_stop_event.set()

    def is_alive(self) -> bool:
        """Whether the thread runs."""
        return self.thread is not None and self.thread.is_alive()

    def __enter__(self) -> TimedThread:
        self.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self.stop()
