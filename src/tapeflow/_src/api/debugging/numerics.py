"""`tf.debugging.enable_check_numerics`: raise at the first op that returns NaN or infinity."""

from __future__ import annotations

import linecache
import sys
import threading
from collections.abc import Iterator
from typing import Any

from tapeflow._src.api.debugging.observer import Observer
from tapeflow._src.backends.numpy import QUIET, set_errors, unsilence
from tapeflow._src.core import dispatch
from tapeflow._src.core.source import Location, is_library_file, user_location
from tapeflow._src.executors.numeric_checks import (
    BadResult,
    checked_outputs,
    counted,
    enumerated,
    error_of,
    is_finite,
    numbered,
)
from tapeflow._src.gradients.lined_ledger import backward, record_lines, stop_lines


class _Watch(Observer):
    # Functions that are called meanwhile check the results of their operations by themselves.
    checks_numerics = True

    def __init__(self) -> None:
        self.stack_height_limit: int | None = 30
        self.path_length_limit: int | None = 50
        self.name = f"check numerics in thread {threading.get_ident()}"

    def see(self, op: Any, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        for index in checked_outputs(op, outputs):
            array = outputs[index]._array
            token = set_errors(QUIET)  # a sum of squares may overflow
            try:
                is_good = is_finite(array)
            finally:
                unsilence(token)
            if not is_good:
                where = backward.location or user_location()
                text = self._message(op, inputs, outputs, index, array)
                raise error_of(BadResult(op.name, index, where), text)

    def _message(self, op: Any, inputs: Any, outputs: Any, index: int, array: Any) -> str:
        lines = [
            "",
            "",
            f"!!! Detected Infinity or NaN in output {index} of eagerly-executing op "
            f'"{op.name}" (# of outputs: {len(outputs)}) !!!',
            *_made_by(backward.location),
            f"  dtype: {outputs[index].dtype}",
            f"  shape: {outputs[index].shape}",
        ]
        counts = counted(array)
        lines += numbered(counts)
        flat = [t for v in inputs for t in (v if type(v) is tuple else (v,))]
        if len(flat) == 1:
            lines += ["", f"  Input tensor: {flat[0]!s}"]
        elif flat:
            lines += ["", f"  Input tensors ({len(flat)}):"]
            lines += [f"         {i}: {tensor!s}" for i, tensor in enumerate(flat)]
        lines += ["", "  Called by (innermost last):", *self._stack(), ""]
        return (
            "\n".join(lines) + f"\n : Tensor had {enumerated(list(counts))} values [Op:{op.name}]"
        )

    def _stack(self) -> list[str]:
        """Return the user's stack frames, the innermost last."""
        frames = list(_user_frames())
        limit = self.stack_height_limit
        left_out = 0 if limit is None else max(len(frames) - limit, 0)
        shown = [f"    + ... ({left_out} frames left out)"] if left_out else []
        for where in frames[left_out:]:
            path = _shortened(where.file, self.path_length_limit)
            code = linecache.getline(where.file, where.line).strip()
            shown += [f"    + {path} (L{where.line}) {where.function}", f"    |   {code}"]
        return shown


def _made_by(location: Location | None) -> list[str]:
    """Return the line of the forward pass, for an op of the backward pass."""
    if location is None:
        return []
    return [f"  It is the {location.note}, made by `{location.code()}` at {location.short()}"]


def _user_frames() -> Iterator[Location]:
    frames = []
    frame: Any = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not is_library_file(code.co_filename):
            frames.append(Location(code.co_filename, frame.f_lineno, code.co_name))
        frame = frame.f_back
    return reversed(frames)


def _shortened(path: str, limit: int | None) -> str:
    if limit is None or len(path) <= limit:
        return path
    return path[:limit] if limit <= 3 else f"...{path[len(path) - limit + 3 :]}"


class _Watches(threading.local):
    def __init__(self) -> None:
        self.watch = _Watch()


_watches = _Watches()


def enable_check_numerics(
    stack_height_limit: int | None = 30, path_length_limit: int | None = 50
) -> None:
    """Raise InvalidArgumentError at the first op of this thread that returns NaN or infinity.

    Functions check the results of their operations by themselves, compiled ones, too: a call that
    computes such a value is run again by the interpreter, which names the operation. An op of the
    backward pass is named with the line of the forward pass.

    Args:
        stack_height_limit: How many of the user's lines the message shows.
        path_length_limit: How many characters of file names the message shows.

    Returns:
        None.

    Example:
        >>> tf.debugging.enable_check_numerics()
        >>> try:
        ...     tf.math.log(tf.constant([0.0, 1.0]))
        ... except tf.errors.InvalidArgumentError as error:
        ...     print("Tensor had -Inf values" in error.message)
        True
        >>> tf.debugging.disable_check_numerics()
    """
    watch = _watches.watch
    watch.stack_height_limit = stack_height_limit
    watch.path_length_limit = path_length_limit
    record_lines(watch.name)
    watch.start()


def disable_check_numerics() -> None:
    """Stop checking the results of ops for NaN and infinity.

    Returns:
        None.

    Example:
        >>> tf.debugging.disable_check_numerics()
        >>> tf.math.log(tf.constant(0.0)).numpy()
        np.float32(-inf)
    """
    watch = _watches.watch
    watch.stop()
    stop_lines(watch.name)


def is_checking() -> bool:
    """Return whether the results of ops are checked in this thread."""
    return _watches.watch in dispatch.state.recorders
