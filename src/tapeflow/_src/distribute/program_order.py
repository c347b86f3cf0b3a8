"""Whether all workers run the same programs in the same order: who differs, or is late, is named.

Gloo matches messages by their order alone. Where two workers run different programs it waits for
ever, mixes up their values, or ends the process. So each worker announces to the first what it is
about to run; the first compares, and halts all of them (`Liveness.halt`). A worker waits for its
answer only where a program follows another one for the first time: the steps of a loop wait once.
"""

from __future__ import annotations

import threading
import time
from typing import Any, NamedTuple

from tapeflow._src.distribute.liveness import Liveness

_KIND, _AGREED = "program", "agreed"


class _Step(NamedTuple):
    """A program that some workers have reached, and others not yet."""

    rank: int
    label: str
    signature: str
    since: float
    present: set[int]


class ProgramOrder:
    """Compares the programs of all workers, in the first one.

    Args:
        liveness: The connections of the workers.
        patience: Seconds to wait for a worker that is alive.
        setting: The name of the setting of `patience`, for messages.
    """

    def __init__(self, liveness: Liveness, patience: float, setting: str) -> None:
        self._liveness = liveness
        self._patience, self._setting = patience, setting
        self._count = 0
        self._lock = threading.Lock()
        self._steps: dict[int, _Step] = {}
        # The last program, and which ones have followed another one.
        self._last = "", ""
        self._followed: set[Any] = set()
        # Up to which program all workers are known to agree.
        self._until = 0
        self._agreed = threading.Condition()
        liveness.handle(_AGREED, self._confirmed)
        liveness.handle(_KIND, self._arrived)
        liveness.on_break.append(self._broken)
        if liveness.rank == 0:
            liveness.on_tick = self._check_late

    def announce(self, label: str, signature: str) -> None:
        """Say what this worker runs now.

        label: what users call it. signature: what has to be the same in all workers.
        """
        self._count += 1
        number = self._count
        pair = self._last, (label, signature)
        is_new = pair not in self._followed
        self._last = label, signature
        self._liveness.tell_first(_KIND, [number, label, signature, is_new])
        if is_new:
            self._followed.add(pair)
            with self._agreed:
                self._agreed.wait_for(lambda: self._until >= number or self._liveness.is_broken)
                agreed = self._until >= number
            if not agreed:
                self._liveness.check()

    def _confirmed(self, rank: int, number: int) -> None:
        """All workers run the same as this one, up to a number."""
        with self._agreed:
            self._until = max(self._until, number)
            self._agreed.notify_all()

    def _broken(self) -> None:
        with self._agreed:
            self._agreed.notify_all()

    def _arrived(self, rank: int, content: Any) -> None:
        number, label, signature, is_new = content
        with self._lock:
            step = self._steps.get(number)
            if step is None:
                step = _Step(rank, label, signature, time.monotonic(), set())
                self._steps[number] = step
            step.present.add(rank)
            complete = len(step.present) == len(self._liveness.names)
            if complete:
                del self._steps[number]
        if (step.label, step.signature) != (label, signature):
            names = self._liveness.names
            self._liveness.halt(
                "differ",
                f"The programs of the processes differ: as exchange {number}, {names[step.rank]} "
                f"runs {_described(step.label, step.signature)}, and {names[rank]} runs "
                f"{_described(label, signature)}. All processes must run the same operations on "
                f"tensors of their common mesh, with the same shapes and in the same order: what "
                f"only one of them does, such as printing, must not read or compute such tensors.",
            )
        elif complete and is_new:
            self._liveness.tell_all(_AGREED, number)

    def _check_late(self) -> None:
        """Halt the workers if one of them has been missing for too long."""
        with self._lock:
            number = min(self._steps, default=0)
            step = self._steps.get(number)
        if step is None or time.monotonic() - step.since < self._patience:
            return
        names = self._liveness.names
        missing = [name for rank, name in enumerate(names) if rank not in step.present]
        self._liveness.halt(
            "late",
            f"{', '.join(missing)} did not come to exchange {number}, {step.label}, within "
            f"{self._patience:g} seconds, and {names[step.rank]} waits for it there. All processes "
            f"must run the same operations on tensors of their common mesh; if one needs longer "
            f"for something else, set the environment variable {self._setting} to more seconds.",
        )


def _described(label: str, signature: str) -> str:
    return f"{label} ({signature})" if signature else label
