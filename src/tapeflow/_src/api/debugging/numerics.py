"""`tf.debugging.enable_check_numerics`: raise at the first op that returns NaN or infinity."""

from __future__ import annotations

import linecache
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeflow._src.api.debugging.observer import Observer
from tapeflow._src.core.dtypes import FLOATING
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.source import Location, is_library_file
from tapeflow._src.core.traits import INHERITS_NUMERICS

# Statistics of a batch without elements are no numbers, and nobody uses them.
_BATCH_NORMS = frozenset({"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})


class _Watch(Observer):
    def __init__(self) -> None:
        self.stack_height_limit: int | None = 30
        self.path_length_limit: int | None = 50

    def see(self, op: Any, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        if INHERITS_NUMERICS in op.traits:
            return
        for index, tensor in enumerate(outputs[:1] if op.name in _BATCH_NORMS else outputs):
            if tensor.dtype in FLOATING and not np.isfinite(tensor._array).all():
                raise InvalidArgumentError(
                    None, None, self._message(op, inputs, outputs, index, tensor._array)
                )

    def _message(self, op: Any, inputs: Any, outputs: Any, index: int, array: Any) -> str:
        lines = [
            "",
            "",
            f"!!! Detected Infinity or NaN in output {index} of eagerly-executing op "
            f'"{op.name}" (# of outputs: {len(outputs)}) !!!',
            f"  dtype: {outputs[index].dtype}",
            f"  shape: {outputs[index].shape}",
        ]
        counts = _counts(array)
        lines += [f"  # of {_SIGNED[kind]} elements: {n}" for kind, n in counts.items()]
        flat = [t for v in inputs for t in (v if type(v) is tuple else (v,))]
        if len(flat) == 1:
            lines += ["", f"  Input tensor: {flat[0]!s}"]
        elif flat:
            lines += ["", f"  Input tensors ({len(flat)}):"]
            lines += [f"         {i}: {tensor!s}" for i, tensor in enumerate(flat)]
        lines += ["", "  Called by (innermost last):", *self._stack(), ""]
        return (
            "\n".join(lines) + f"\n : Tensor had {_enumeration(list(counts))} values [Op:{op.name}]"
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


_SIGNED = {"-Inf": "-Inf", "+Inf": "+Inf", "NaN": "+NaN"}


def _counts(array: Any) -> dict[str, int]:
    """Describe how many elements are infinite or NaN, per kind."""
    infinite = np.isinf(array)
    counts = {
        "-Inf": int((infinite & (array < 0)).sum()),
        "+Inf": int((infinite & (array > 0)).sum()),
        "NaN": int(np.isnan(array).sum()),
    }
    return {kind: count for kind, count in counts.items() if count}


def _enumeration(words: list[str]) -> str:
    return " and ".join(words) if len(words) < 3 else f"{words[0]}, {words[1]}, and {words[2]}"


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

    Args:
        stack_height_limit: How many of the user's lines the message shows.
        path_length_limit: How many characters of file names the message shows.

    Returns:
        None. Functions run operation by operation meanwhile, which takes longer.
    """
    watch = _watches.watch
    watch.stack_height_limit = stack_height_limit
    watch.path_length_limit = path_length_limit
    watch.start()


def disable_check_numerics() -> None:
    """Stop checking the results of ops for NaN and infinity.

    Returns:
        None.
    """
    _watches.watch.stop()
