"""Several ways to compute the same: the fastest is found by timing calls, and found again later.

Times of single calls cannot be trusted: other programs take a core for a while, memory is faulted
in, a thread wakes late. So every way is tried several times, in turns, and its best time counts.
A choice is never final. The calls of the chosen way are timed, too, and after a while a few calls
go to it and to another way in turns; the other takes over if it is faster now. How long a while is
depends on how long the other way takes: slow ones cost a fifth of the time at first, less than
half a percent after several comparisons in vain.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

# Calls of each way that are timed before the fastest is chosen: on a busy machine few of them run
# undisturbed, least those on several threads.
TRIALS = 12
# A way that has taken this long is not tried further,
TRIAL_SECONDS = 0.03
# nor one that takes several times as long as another: after a few calls.
FEW_TRIALS, HOPELESS = 3, 2.5
# Another way is tried again when the calls since have taken so many times as long as it takes. The
# number is doubled whenever that was in vain.
FIRST_PAUSE, LONGEST_PAUSE = 16, 1024
# Calls of each of the two that are then compared: as many of both, for the best of many is lower.
DUEL = 6

Way = Callable[[Sequence[Any], dict[str, Any]], Any]

clock = time.perf_counter


class Ways:
    """Ways to run a call, and how long they take.

    `chosen` is the way that calls take, None until all have been tried; `best` are their best times
    when they were last tried, `runs` how often they ran in the first trial.
    """

    __slots__ = (
        *("_due", "_duel_calls", "_next_due", "_pauses", "_recent", "_rival", "_spent"),
        *("best", "chosen", "runs", "ways"),
    )

    def __init__(self, ways: list[Way]) -> None:
        self.ways = ways
        self.chosen: Way | None = None
        self.begin_trial(0)
        self._spent = 0.0  # the time of all calls of chosen ways
        # When the others are tried again, counted in `_spent`, and when the first of them is.
        self._due: list[float] = []
        self._next_due = math.inf
        self._pauses: list[int] = []
        # The way that is being tried again, the calls since, and the best time of the chosen one.
        self._rival: int | None = None
        self._duel_calls = 0
        self._recent = math.inf

    def begin_trial(self, runs: int) -> None:
        """Forget all times; the first call of a way is not timed unless there were `runs` of it."""
        self.best = [math.inf] * len(self.ways)
        self.runs = [runs] * len(self.ways)

    def __call__(self, arrays: Sequence[Any], attrs: dict[str, Any]) -> Any:
        chosen = self.chosen
        if chosen is None:
            return self.run_on_trial(arrays, attrs)
        if self._rival is not None:
            return self._run_duel(self._rival, arrays, attrs)
        start = clock()
        result = chosen(arrays, attrs)
        self._spent += clock() - start
        if self._spent > self._next_due:
            rival = self._due.index(self._next_due)
            self._duel_calls, self._recent, self.best[rival] = 0, math.inf, math.inf
            self._rival = rival
        return result

    def run_on_trial(self, arrays: Sequence[Any], attrs: dict[str, Any]) -> Any:
        """Run and time the way whose turn it is."""
        index = min(range(len(self.ways)), key=self._rank)
        start = clock()
        result = self.ways[index](arrays, attrs)
        elapsed = clock() - start
        self.runs[index] += 1
        if self.runs[index] > 1:  # much happens once, in the first call
            self.best[index] = min(self.best[index], elapsed)
        return result

    def is_tried(self, index: int) -> bool:
        """Whether a way has run often enough; a few times will do if it takes long."""
        runs, best = self.runs[index], self.best[index]
        if runs <= FEW_TRIALS:
            return False
        return runs > TRIALS or best > HOPELESS * min(self.best) or best * runs > TRIAL_SECONDS

    def all_tried(self) -> bool:
        """Whether the fastest way can be chosen."""
        return all(map(self.is_tried, range(len(self.runs))))

    def _rank(self, index: int) -> tuple[bool, float]:
        """Order ways: those on trial in turns, then the fastest."""
        tried = self.is_tried(index)
        return tried, self.best[index] if tried else self.runs[index]

    def choose(self) -> None:
        """Choose the way that was the fastest in the trial."""
        fastest = self.best.index(min(self.best))
        self._pauses = [FIRST_PAUSE] * len(self.ways)
        self._due = [pause * best for pause, best in zip(self._pauses, self.best)]
        self._take(fastest)
        self.chosen = self.ways[fastest]

    def _take(self, index: int) -> None:
        """Prepare for calls of a way; the others are due some time."""
        self._due[index] = math.inf
        self._next_due = min(self._due)

    def _run_duel(self, rival: int, arrays: Sequence[Any], attrs: dict[str, Any]) -> Any:
        """Run the chosen way or one that was slower, in turns; choose that one if it is faster."""
        chosen = self._due.index(math.inf)
        self._duel_calls += 1
        turn = rival if self._duel_calls % 2 == 0 else chosen
        start = clock()
        result = self.ways[turn](arrays, attrs)
        elapsed = clock() - start
        if turn == chosen:
            self._recent = min(self._recent, elapsed)
            return result
        best = self.best[rival] = min(self.best[rival], elapsed)
        few = self._duel_calls < 2 * FEW_TRIALS or best <= HOPELESS * self._recent
        if self._duel_calls < 2 * DUEL and few:
            return result
        self.best[chosen] = self._recent
        self._rival = None
        if best < self._recent:
            self._rest(chosen, FIRST_PAUSE)
            self._take(rival)
            self.chosen = self.ways[rival]
        else:
            self._rest(rival, min(2 * self._pauses[rival], LONGEST_PAUSE))
            self._take(chosen)
        return result

    def _rest(self, index: int, pause: int) -> None:
        """Set when a way that is slower now is tried again."""
        self._pauses[index] = pause
        self._due[index] = self._spent + pause * self.best[index]
