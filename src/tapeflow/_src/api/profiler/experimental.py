"""`tf.profiler.experimental`: profiles of a run, written as TensorFlow lays out its folders."""

from __future__ import annotations

import threading
import time
from typing import Any, NamedTuple

from tapeflow._src.api.profiler.recorder import Recorder
from tapeflow._src.api.profiler.trace_files import write_profile
from tapeflow._src.core.errors import AlreadyExistsError, UnavailableError
from tapeflow._src.core.paths import local_path, translated


class ProfilerOptions(NamedTuple):
    """Options of a profile.

    Args:
        host_tracer_level: 0 for nothing, 1 for steps, functions and compilations, 2 for operations
            and stages of datasets, too.
        python_tracer_level: 1 for calls of Python functions, too, 0 for none.
        device_tracer_level: Accepted, without effect: a compiled call is one span.
        delay_ms: Milliseconds after `start` for which nothing is recorded.
    """

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class _Session:
    """The profile that is being recorded."""

    recorder: Recorder | None = None
    logdir = ""


_session = _Session()
_lock = threading.Lock()


def start(logdir: Any, options: ProfilerOptions | None = None) -> None:
    """Record a profile of all threads until `stop`.

    Args:
        logdir: The folder; the files are written below `plugins/profile/` in it.
        options: The options; by default operations and all above them are recorded.

    Raises:
        AlreadyExistsError: A profile is being recorded.

    Example:
        >>> import os, tempfile
        >>> import tapeflow as tf
        >>> folder = tempfile.mkdtemp()
        >>> tf.profiler.experimental.start(folder)
        >>> total = tf.reduce_sum(tf.ones([2, 3]))
        >>> tf.profiler.experimental.stop()
        >>> os.listdir(folder)
        ['plugins']

    Returns:
        None.
    """
    options = options or ProfilerOptions()
    with _lock:
        if _session.recorder is not None:
            raise AlreadyExistsError(
                None,
                None,
                f"A profile is being recorded for {_session.logdir!r}: expected "
                "tf.profiler.experimental.stop() before another start().",
            )
        logdir = local_path(logdir)
        recorder = Recorder(
            options.host_tracer_level,
            bool(options.python_tracer_level),
            int((options.delay_ms or 0) * 1e6),
        )
        recorder.start()
        _session.recorder, _session.logdir = recorder, logdir


def stop(save: bool = True) -> None:
    """End the profile.

    Args:
        save: Whether it is written; False drops it.

    Raises:
        UnavailableError: No profile is being recorded.

    Returns:
        None.
    """
    with _lock:
        recorder = _session.recorder
        if recorder is None:
            raise UnavailableError(
                None,
                None,
                "No profile is being recorded: call tf.profiler.experimental.start(logdir) first.",
            )
        _session.recorder = None
        recorder.stop()
        if save:
            with translated(_session.logdir):
                write_profile(recorder, _session.logdir)


class Profile:
    """A block of which a profile is recorded.

    Args:
        logdir: The folder, as for `start`.
        options: The options; by default operations and all above them are recorded.

    Example:
        >>> import tempfile
        >>> import tapeflow as tf
        >>> with tf.profiler.experimental.Profile(tempfile.mkdtemp()):
        ...     total = tf.reduce_sum(tf.ones([2, 3]))
    """

    def __init__(self, logdir: Any, options: ProfilerOptions | None = None) -> None:
        self._logdir = logdir
        self._options = options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        stop()


class Trace:
    """A named section of a program in a profile; a step, if it has a `step_num`.

    Args:
        name: The name.
        **kwargs: What the profile shows beside it.

    Example:
        >>> import tapeflow as tf
        >>> with tf.profiler.experimental.Trace("train", step_num=1, _r=1):
        ...     x = tf.constant(1) + 1
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._recorder = _session.recorder
        if self._recorder is not None:
            self._name = name
            self._details = kwargs
            self._start = time.perf_counter_ns()

    def __enter__(self) -> Trace:
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """Add to what the profile shows beside the name."""
        if self._recorder is not None:
            self._details |= kwargs

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if self._recorder is not None:
            category = "step" if "step_num" in self._details else "user"
            if self._recorder.records(category):
                end = time.perf_counter_ns()
                self._recorder.add(category, self._name, self._start, end, self._details)
