"""Regular expressions of RE2, which TensorFlow uses, as those of Python's `re`.

The two agree on most of their syntax. RE2 reads classes like `\\d` and `\\b` as ASCII, knows POSIX
classes, `\\pL`, `\\Q…\\E`, `\\z` and flags in the middle of a pattern, and refuses what cannot be
matched in linear time: back references and looking around.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache

from tapeflow.core.errors import InvalidArgumentError
from tapeflow.ops.unicode_scripts import SCRIPT_NAMES, script_ranges

_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_PERL = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\n\f\r "}
_WORD = "[0-9A-Za-z_]"
_BOUNDARY = f"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))"
_NO_BOUNDARY = f"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))"
# Bytes that are no UTF-8 come as surrogates, and match nothing but themselves.
_ODD_BYTES = r"\udc80-\udcff"
_ANY, _ANY_IN_LINE = f"[^{_ODD_BYTES}]", rf"[^\n{_ODD_BYTES}]"
_PLAIN_ESCAPES = "aftnrv"
_COUNT = re.compile(r"\{(\d+)(,(\d*))?\}")
_GROUP = re.compile(r"\(\?(?:P?<(\w+)>|([imsU]*)(?:-([imsU]+))?([:)]))")
_MOST_REPEATS = 1000


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern for Python, or InvalidArgumentError."""
    try:
        return re.compile(_Translation(pattern).text())
    except (re.error, OverflowError) as error:
        raise _invalid(pattern, str(error)) from None


def _invalid(pattern: str, why: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, f"Invalid pattern: {pattern}, error: {why}")


class _Translation:
    """One walk over a pattern. `_flags` are those in force, which end with their group."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._flags = frozenset[str]()
        self._out: list[str] = []
        # For every open group: the flags before it, and how many groups of ours stand in it.
        self._open: list[tuple[frozenset[str], int]] = []
        self._extra = 0
        self._repeatable = False

    def text(self) -> str:
        while self._at < len(self._pattern):
            self._step()
        if self._open:
            raise _invalid(self._pattern, f"missing ): {self._pattern}")
        return "".join(self._out) + ")" * self._extra

    def _step(self) -> None:
        character = self._pattern[self._at]
        if character == "\\":
            self._escape()
        elif character == "[":
            self._emit(self._class())
        elif character == "(":
            self._group()
        elif character == ")":
            self._close()
        elif character in "*+?" or (character == "{" and self._count() is not None):
            self._repeat()
        else:
            self._at += 1
            if character in "^$|.":
                self._special(character)
            else:
                self._emit(re.escape(character))

    def _emit(self, text: str, repeatable: bool = True) -> None:
        self._out.append(text)
        self._repeatable = repeatable

    def _special(self, character: str) -> None:
        many = "m" in self._flags
        match character:
            case "^":
                self._emit("(?m:^)" if many else r"\A")
            case "$":
                self._emit("(?m:$)" if many else r"\Z")
            case ".":
                self._emit(_ANY if "s" in self._flags else _ANY_IN_LINE)
            case _:
                self._alternative()

    def _alternative(self) -> None:
        """A group of ours ends before the bar, and what it says holds after it too."""
        case = "" if not self._extra else "(?i:" if "i" in self._flags else "(?-i:"
        self._emit(")" * self._extra + "|" + case, repeatable=False)
        self._extra = min(self._extra, 1)

    # -- groups ------------------------------------------------------------------------------

    def _group(self) -> None:
        if not self._pattern.startswith("(?", self._at):
            self._enter("(")
            self._at += 1
            return
        match = _GROUP.match(self._pattern, self._at)
        if match is None:
            shown = self._pattern[self._at : self._at + 3]
            raise _invalid(self._pattern, f"invalid perl operator: {shown}")
        name, on, off, end = match.groups()
        self._at = match.end()
        if name is not None:
            self._enter(f"(?P<{name}>")
            return
        flags = (self._flags | set(on)) - set(off or "")
        case = "(?i:" if "i" in flags else "(?-i:"
        if end == ":":
            self._enter(case)
            self._flags = flags
        else:
            # Flags in the middle hold to the end of the group around them: so does a group of ours.
            self._flags = flags
            self._emit(case, repeatable=False)
            self._extra += 1

    def _enter(self, text: str) -> None:
        self._open.append((self._flags, self._extra))
        self._extra = 0
        self._emit(text, repeatable=False)

    def _close(self) -> None:
        if not self._open:
            raise _invalid(self._pattern, f"unexpected ): {self._pattern}")
        closing = ")" * (self._extra + 1)
        self._flags, self._extra = self._open.pop()
        self._at += 1
        self._emit(closing)

    # -- repetition --------------------------------------------------------------------------

    def _count(self) -> re.Match[str] | None:
        return _COUNT.match(self._pattern, self._at)

    def _repeat(self) -> None:
        start = self._at
        count = self._count()
        operator = self._pattern[start] if count is None else count.group()
        self._at += len(operator)
        lazy = self._pattern.startswith("?", self._at)
        self._at += lazy
        if not self._repeatable:
            shown = self._pattern[max(0, start - 1) : self._at]
            kind = "bad repetition operator" if start else "no argument for repetition operator"
            raise _invalid(self._pattern, f"{kind}: {shown}")
        if count is not None:
            sizes = [int(n) for n in (count.group(1), count.group(3)) if n]
            if max(sizes) > _MOST_REPEATS or sizes != sorted(sizes):
                raise _invalid(self._pattern, f"bad repetition operator: {operator}")
        self._emit(operator + "?" * (lazy != ("U" in self._flags)), repeatable=False)

    # -- escapes -----------------------------------------------------------------------------

    def _escape(self) -> None:
        following = self._pattern[self._at + 1 : self._at + 2]
        if following == "Q":
            end = self._pattern.find("\\E", self._at)
            quoted = self._pattern[self._at + 2 : end if end >= 0 else None]
            self._at = len(self._pattern) if end < 0 else end + 2
            for character in quoted:
                self._emit(re.escape(character))
            return
        simple = {"A": r"\A", "z": r"\Z", "b": _BOUNDARY, "B": _NO_BOUNDARY, "C": "(?s:.)"}
        if following in simple and following:
            self._at += 2
            self._emit(simple[following])
            return
        text, is_set = self._item()
        self._emit(f"[{text}]" if is_set else text)

    def _item(self) -> tuple[str, bool]:
        """What an escape stands for, and whether that is the inside of a class."""
        start = self._at
        letter = self._pattern[start + 1 : start + 2]
        self._at += 2
        if letter.lower() in _PERL and letter:
            inside = _PERL[letter.lower()]
            return (inside if letter.islower() else _complement(inside)), True
        if letter in ("p", "P"):
            return self._property(letter == "P"), True
        if letter == "x":
            found = re.compile(r"\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2})").match(
                self._pattern, self._at
            )
            if found is not None and int(found.group(1) or found.group(2), 16) <= sys.maxunicode:
                self._at = found.end()
                return _escaped(int(found.group(1) or found.group(2), 16)), False
        octal = re.compile("0[0-7]{0,2}|[1-7][0-7]{1,2}").match(self._pattern, start + 1)
        if octal is not None:
            self._at = octal.end()
            return _escaped(int(octal.group(), 8)), False
        if letter and letter in _PLAIN_ESCAPES:
            return "\\" + letter, False
        if letter and not letter.isalnum():
            return _escaped(ord(letter)), False
        shown = self._pattern[start : start + 2]
        kind = "invalid escape sequence" if letter else "trailing \\"
        raise _invalid(self._pattern, f"{kind}: {shown}")

    def _property(self, negated: bool) -> str:
        """The inside of a class of the characters that have a property."""
        found = re.compile(r"\{(\^?)(\w+)\}|([A-Z])").match(self._pattern, self._at)
        name = "" if found is None else found.group(2) or found.group(3)
        ranges = _property_ranges(name)
        if found is None or ranges is None:
            raise _invalid(self._pattern, f"invalid character class range: \\p{name}")
        self._at = found.end()
        return _complement(ranges) if negated != bool(found.group(1)) else ranges

    # -- classes -----------------------------------------------------------------------------

    def _class(self) -> str:
        start = self._at
        self._at += 1
        negated = self._take("^")
        parts: list[str] = []
        while not (self._pattern.startswith("]", self._at) and parts):
            if self._at >= len(self._pattern):
                raise _invalid(self._pattern, f"missing ]: {self._pattern[start:]}")
            parts.append(self._class_part())
        self._at += 1
        return f"[^{''.join(parts)}{_ODD_BYTES}]" if negated else f"[{''.join(parts)}]"

    def _class_part(self) -> str:
        posix = re.compile(r"\[:(\^?)(\w+):\]").match(self._pattern, self._at)
        if posix is not None:
            if posix.group(2) not in _POSIX:
                raise _invalid(self._pattern, f"invalid character class range: {posix.group()}")
            self._at = posix.end()
            inside = _POSIX[posix.group(2)]
            return _complement(inside) if posix.group(1) else inside
        start = self._at
        first, is_set = self._class_character()
        ends_here = self._pattern.startswith("-]", self._at)
        if is_set or ends_here or not self._pattern.startswith("-", self._at):
            return first
        self._at += 1
        last, is_set = self._class_character()
        if is_set or _point(first) > _point(last):
            shown = self._pattern[start : self._at]
            raise _invalid(self._pattern, f"invalid character class range: {shown}")
        return f"{first}-{last}"

    def _class_character(self) -> tuple[str, bool]:
        if self._at >= len(self._pattern):
            raise _invalid(self._pattern, f"missing ]: {self._pattern}")
        if self._pattern[self._at] == "\\":
            return self._item()
        self._at += 1
        return _escaped(ord(self._pattern[self._at - 1])), False

    def _take(self, text: str) -> bool:
        found = self._pattern.startswith(text, self._at)
        self._at += len(text) * found
        return found


def _escaped(point: int) -> str:
    return f"\\U{point:08x}"


def _point(text: str) -> int:
    if text.startswith("\\U"):
        return int(text[2:], 16)
    return {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}[text[1]]


@cache
def _complement(inside: str) -> str:
    """The inside of a class of all characters that are not in the other."""
    matches = re.compile(f"[{inside}]").match
    # Most classes are of ASCII, and then nothing else needs to be looked at.
    looked_at = sys.maxunicode + 1 if "\\U" in inside else 128
    found = _ranges([p for p in range(looked_at) if not matches(chr(p))])
    return found if looked_at > 128 else f"{found}{_escaped(128)}-{_escaped(sys.maxunicode)}"


@cache
def _property_ranges(name: str) -> str | None:
    if name == "Any":
        return _ranges(list(range(sys.maxunicode + 1)))
    if name in SCRIPT_NAMES:
        return "".join(f"{_escaped(a)}-{_escaped(b - 1)}" for a, b in script_ranges(name))
    points = [p for p in range(sys.maxunicode + 1) if unicodedata.category(chr(p)).startswith(name)]
    return _ranges(points) if name and points else None


def _ranges(points: list[int]) -> str:
    """The inside of a class of those code points, which are sorted."""
    parts: list[str] = []
    first = 0
    for i, point in enumerate(points):
        if i + 1 == len(points) or points[i + 1] != point + 1:
            parts.append(f"{_escaped(points[first])}-{_escaped(point)}")
            first = i + 1
    return "".join(parts)
