"""Compiled regular expressions with RE2's syntax and its guarantee of linear time.

RE2 itself (`google-re2`) decides which patterns are valid and what they match. Its Python binding
costs about a microsecond per call, which is much when one long text has many matches, so patterns
that Python's `re` also matches in linear time have a second form for replacing: concatenations and
alternatives of single characters and classes, and one class repeated with `+`. Both forms agree on
every text that is valid UTF-8.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.lazy import LazyModule

# The class of the C++ library, which the public module wraps at twice the cost of a call.
_re2 = LazyModule("re2._re2", "the regular expressions of tf.strings", install="google-re2")

# A compiled pattern may hold automata of up to 8 MiB.
_MOST_CACHED = 128


_NO_SPAN = (-1, -1)


class Regex:
    """A pattern compiled by RE2, and by `re` where that is linear too.

    Attributes:
        groups: The number of capturing groups.
        simple: The pattern for `re`, or None.
        characters: If the pattern matches single characters and all of them are ASCII, those; else
            None. They are the same in every text, whether it is UTF-8 or not.
    """

    def __init__(self, pattern: bytes) -> None:
        options = _re2.RE2.Options()
        options.log_errors = False
        regex = _re2.RE2(pattern, options)
        if not regex.ok():
            why = regex.error().decode(errors="backslashreplace")
            raise InvalidArgumentError(
                None,
                None,
                f"Invalid pattern: {pattern.decode(errors='backslashreplace')!r} ({why}). Patterns "
                f"have RE2's syntax, which has no look-around and no back references.",
            )
        self._match = regex.Match
        self._anchor = _re2.RE2.Anchor.ANCHOR_BOTH
        self._anywhere = _re2.RE2.Anchor.UNANCHORED
        self.groups: int = regex.NumberOfCapturingGroups()
        self.simple = _simple(pattern)
        self.characters = None if self.simple is None else _ascii_characters(pattern, self.simple)

    def full_matches(self, texts: list[bytes]) -> list[bool]:
        """Return whether the pattern matches the whole of each text."""
        match, whole = self._match, self._anchor
        return [match(whole, text, 0, len(text))[0] != _NO_SPAN for text in texts]

    def search(self, text: bytes, start: int) -> list[tuple[int, int]] | None:
        """Return the spans of the first match from `start` on and of its groups."""
        spans = self._match(self._anywhere, text, start, len(text))
        return None if spans[0] == _NO_SPAN else spans


@lru_cache(_MOST_CACHED)
def compiled(pattern: bytes) -> Regex:
    """Compile a pattern.

    Raises:
        InvalidArgumentError: The pattern is not one of RE2's.
    """
    return Regex(pattern)


# -- patterns that `re` matches in linear time -----------------------------------------------------

_SETS = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\n\f\r "}
_ATOM = re.compile(
    r"""(?P<set>\\[dswDSW]) | \\(?P<quoted>[!-/:-@\[-^`{-~]) | (?P<any>\.)
      | \[(?P<not>\^?)(?P<class>(?:[^\[\]\\]|\\[dswDW]|\\[!-/:-@\[-^`{-~])+)\]
      | (?P<literal>[^\\.+*?()|\[\]{}^$])""",
    re.VERBOSE | re.DOTALL,
)
_CLASS_ITEM = re.compile(r"\\([dswDW])|(?:\\(.)|([^\\]))(?:-(?:\\([^dswDW])|([^\\])))?", re.DOTALL)


def _simple(pattern: bytes) -> re.Pattern[str] | None:
    """Return the pattern for `re`, or None where `re` may need more than linear time.

    Without groups, repetition and empty matches, an attempt at one position costs at most the
    length of the pattern. `+` after the only atom costs no more than the match it makes.
    """
    try:
        text = pattern.decode()
    except UnicodeDecodeError:
        return None
    parts: list[str] = []
    at = 0
    while at < len(text):
        atom = _ATOM.match(text, at)
        if atom is not None:
            translated = _atom(atom)
            if translated is None:
                return None
            parts.append(translated)
            at = atom.end()
        elif text[at] == "|" and parts and parts[-1] != "|" and at + 1 < len(text):
            parts.append("|")
            at += 1
        elif text[at:] == "+" and len(parts) == 1:
            parts.append("+")
            at += 1
        else:
            return None
    return re.compile("".join(parts), re.ASCII) if parts else None


_SEQUENCE = re.compile(r"(?:[^\[\\|]|\\.|\[(?:[^\]\\]|\\.)*\])", re.DOTALL)


def _ascii_characters(pattern: bytes, simple: re.Pattern[str]) -> bytes | None:
    """Return the characters that a pattern matches one at a time, if all are ASCII."""
    alternatives = re.split(r"\|", _SEQUENCE.sub("x", simple.pattern))
    if any(len(each) != 1 for each in alternatives) or not pattern.isascii():
        return None
    # Classes of ASCII characters and their complements: all other characters go together.
    if simple.fullmatch("\x80") is not None:
        return None
    return bytes(code for code in range(128) if simple.fullmatch(chr(code)))


def _atom(atom: re.Match[str]) -> str | None:
    """Return a single-character matcher in the syntax of `re`, or None where the two may differ."""
    escape = atom["set"]
    if escape:
        negated = "^" if escape[1].isupper() else ""
        return f"[{negated}{_SETS[escape[1].lower()]}]"
    if atom["any"]:
        return "."
    if atom["class"]:
        inside = _class_inside(atom["class"])
        return None if inside is None else f"[{atom['not']}{inside}]"
    return re.escape(atom["quoted"] or atom["literal"])


def _class_inside(text: str) -> str | None:
    parts: list[str] = []
    at = 0
    while at < len(text):
        item = _CLASS_ITEM.match(text, at)
        if item is None:
            return None
        at = item.end()
        escape = item[1]
        first, last = item[2] or item[3], item[4] or item[5]
        if escape:
            parts.append(_SETS.get(escape, f"\\{escape}"))
        elif last:
            parts.append(f"{re.escape(first)}-{re.escape(last)}")
        elif item[3] == "-" and 1 < at < len(text):
            return None  # what a hyphen after a range means is for RE2 to say
        else:
            parts.append(re.escape(first))
    return "".join(parts)
