"""Full matches of many ASCII strings, which go through a deterministic automaton together.

One character of every string is a step of NumPy. Patterns of literals, classes, groups,
alternatives and repetition have an automaton, unless it is large; anchors, flags and Unicode
classes have none, and RE2 matches one string after the other. Which patterns are valid is for RE2
to say.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tapeflow._src.kernels.strings.packed import PackedStrings

_MOST_STATES = 256
_MOST_REPEATS = 64
_CODES = 128
_ASCII = frozenset(range(_CODES))
_LETTERS = frozenset(range(65, 91)) | frozenset(range(97, 123))
_SETS = {
    "d": frozenset(range(48, 58)),
    "w": _LETTERS | frozenset(range(48, 58)) | {95},
    "s": frozenset(b"\t\n\f\r "),
}
_CONTROLS = {"t": 9, "n": 10, "r": 13, "f": 12, "v": 11, "a": 7}
_COUNTS = re.compile(r"\{(\d+)(,(\d*))?\}")


class _Unsupported(Exception):
    """The pattern has something that this file does not translate."""


class _Parser:
    """Translates a pattern to a nondeterministic automaton: moves by sets of characters."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        # For each state its moves: a set of characters, or None for no character, and a state.
        self.moves: list[list[tuple[frozenset[int] | None, int]]] = []
        self.start, self.end = self._alternatives()
        if self._at < len(pattern):
            raise _Unsupported

    def _state(self) -> int:
        if len(self.moves) > 8 * _MOST_STATES:
            raise _Unsupported
        self.moves.append([])
        return len(self.moves) - 1

    def _next(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _alternatives(self) -> tuple[int, int]:
        start, end = self._state(), self._state()
        while True:
            first, last = self._sequence()
            self.moves[start].append((None, first))
            self.moves[last].append((None, end))
            if self._next() != "|":
                return start, end
            self._at += 1

    def _sequence(self) -> tuple[int, int]:
        start = end = self._state()
        while self._next() not in ("", "|", ")"):
            begin = self._at
            first, last = self._atom()
            least, most = self._repeats()
            stop = self._at
            copies = [(first, last)]
            for _ in range(max(least, most or least, 1) - 1):
                # Every repetition has states of its own.
                self._at = begin
                copies.append(self._atom())
            self._at = stop
            end = self._repeated(end, copies, least, most)
        return start, end

    def _repeated(
        self, before: int, copies: list[tuple[int, int]], least: int, most: int | None
    ) -> int:
        end = self._state()
        at = before
        for index, (first, last) in enumerate(copies):
            if index >= least:
                self.moves[at].append((None, end))
            if most == 0:
                return end
            self.moves[at].append((None, first))
            at = last
        self.moves[at].append((None, end))
        if most is None:
            first, last = copies[-1]
            self.moves[last].append((None, first))
        return end

    def _repeats(self) -> tuple[int, int | None]:
        least, most = 1, 1
        mark = self._next()
        counts = _COUNTS.match(self._pattern, self._at)
        if mark in ("*", "+", "?") and mark:
            self._at += 1
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[mark]  # type: ignore[assignment]
        elif counts:
            self._at = counts.end()
            least = int(counts[1])
            most = int(counts[3]) if counts[3] else None if counts[2] else least  # type: ignore[assignment]
            if max(least, most or 0) > _MOST_REPEATS:
                raise _Unsupported
        else:
            return 1, 1
        if self._next() == "?":
            self._at += 1  # which of several ways is preferred does not matter
        return least, most

    def _atom(self) -> tuple[int, int]:
        character = self._next()
        self._at += 1
        if character == "(":
            if self._next() == "?":
                if self._pattern[self._at : self._at + 2] != "?:":
                    raise _Unsupported
                self._at += 2
            group = self._alternatives()
            if self._next() != ")":
                raise _Unsupported
            self._at += 1
            return group
        if character == "[":
            members = self._class()
        elif character == ".":
            members = _ASCII - {10}
        elif character == "\\":
            members = self._escape()
        elif character in "^$*+?{}])":
            raise _Unsupported
        else:
            members = frozenset({ord(character)})
        start, end = self._state(), self._state()
        self.moves[start].append((members, end))
        return start, end

    def _escape(self) -> frozenset[int]:
        letter = self._next()
        self._at += 1
        if letter.lower() in _SETS and letter:
            members = _SETS[letter.lower()]
            return _ASCII - members if letter.isupper() else members
        if letter in _CONTROLS and letter:
            return frozenset({_CONTROLS[letter]})
        if not letter or letter.isalnum():
            raise _Unsupported
        return frozenset({ord(letter)})

    def _class(self) -> frozenset[int]:
        negated = self._next() == "^"
        self._at += negated
        members: set[int] = set()
        first = True
        while first or self._next() != "]":
            low = self._member()
            if self._next() == "-" and self._pattern[self._at + 1 : self._at + 2] not in ("]", ""):
                self._at += 1
                high = self._member()
                if len(low) > 1 or len(high) > 1:
                    raise _Unsupported
                members |= set(range(min(low), min(high) + 1))
            else:
                members |= low
            first = False
        self._at += 1
        return _ASCII - members if negated else frozenset(members)

    def _member(self) -> frozenset[int]:
        character = self._next()
        self._at += 1
        if character in ("", "["):
            raise _Unsupported  # classes by name
        return self._escape() if character == "\\" else frozenset({ord(character)})


class Automaton:
    """Whether strings of ASCII characters match a pattern as a whole."""

    def __init__(self, parser: _Parser) -> None:
        self._moves = parser.moves
        # Characters that no part of the pattern distinguishes are tried once.
        signs: dict[tuple[bool, ...], int] = {}
        sets = list({members for state in self._moves for members, _ in state if members})
        columns = [tuple(code in members for members in sets) for code in range(_CODES)]
        for sign in columns:
            signs.setdefault(sign, len(signs))
        samples = [columns.index(sign) for sign in signs]
        start = self._closure({parser.start})
        # State 0 is that of strings that cannot match any more.
        numbers = {frozenset[int](): 0, start: 1}
        rows = [[0] * len(samples)]
        waiting = [start]
        while waiting:
            states = waiting.pop(0)
            row = []
            for code in samples:
                reached = self._closure(
                    {
                        to
                        for state in states
                        for members, to in self._moves[state]
                        if members and code in members
                    }
                )
                if reached not in numbers:
                    if len(numbers) >= _MOST_STATES:
                        raise _Unsupported
                    numbers[reached] = len(numbers)
                    waiting.append(reached)
                row.append(numbers[reached])
            rows.append(row)
        # A column for every character; states count in rows of the flat table.
        by_code = np.array(rows, np.intp)[:, [signs[sign] for sign in columns]]
        self._table = by_code.reshape(-1) * _CODES
        self._accepts = np.array([parser.end in states for states in numbers])

    def _closure(self, states: set[int]) -> frozenset[int]:
        """Return what can be reached without a character."""
        reached, waiting = set(states), list(states)
        while waiting:
            for members, to in self._moves[waiting.pop()]:
                if members is None and to not in reached:
                    reached.add(to)
                    waiting.append(to)
        return frozenset(reached)

    def full_matches(self, strings: PackedStrings) -> np.ndarray:
        """Return for each string of a vector whether the pattern matches the whole of it."""
        data, table = strings.data, self._table
        matches = np.zeros(strings.size, bool)
        where: Any = slice(None)
        at, left = strings.starts.copy(), strings.sizes
        shortest = int(left.min(initial=0))
        states = np.full(strings.size, _CODES, np.intp)
        position = 0
        while True:
            if position >= shortest:
                ended = left <= position
                indices = np.flatnonzero(ended)
                matches[_chosen(where, indices)] = self._accepts.take(states[indices] // _CODES)
                going = np.flatnonzero(~ended)
                if not going.size:
                    return matches
                where, at, left, states = (
                    _chosen(where, going),
                    at[going],
                    left[going],
                    states[going],
                )
                shortest = int(left.min())
            states = table.take(data.take(at) + states)
            at += 1
            position += 1
            alive = np.count_nonzero(states)
            # State 0 is never left: strings in it go along until they are many.
            if 2 * alive < len(states):
                if not alive:
                    return matches
                going = np.flatnonzero(states)
                where, at, left, states = (
                    _chosen(where, going),
                    at[going],
                    left[going],
                    states[going],
                )
                shortest = int(left.min())


def _chosen(where: Any, part: np.ndarray) -> np.ndarray:
    """Return the positions of a part of those that are left."""
    chosen: np.ndarray = part if isinstance(where, slice) else where[part]
    return chosen


def automaton(pattern: bytes) -> Automaton | None:
    """Return the automaton of a valid pattern, or None if it has none."""
    if not pattern.isascii():
        return None
    try:
        return Automaton(_Parser(pattern.decode()))
    except _Unsupported:
        return None
