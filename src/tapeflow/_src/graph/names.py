"""Names of operations: after the user's call as it is named in TensorFlow, made unique.

TensorFlow's Python functions name most operations after the op; the others have a `display_name`.
"""

from __future__ import annotations

import re

# Unscoped names of operations and of scopes; names of scopes within others.
ROOT_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")
_INNER_NAME = re.compile(r"[A-Za-z0-9_.\\/>-]*")


def base_of(name: str) -> str:
    """Return a name without its scopes, and without the suffix that made it unique."""
    last = name.rpartition("/")[2]
    first, _, number = last.rpartition("_")
    return first if first and number.isdigit() else last


class Names:
    """The names used in one graph. Names are case-insensitive."""

    __slots__ = ("_used",)

    def __init__(self) -> None:
        self._used: dict[str, int] = {}

    def unique(self, name: str, mark_as_used: bool = True) -> str:
        """Return `name`, or `name_1`, `name_2` … if it is used."""
        key = name.lower()
        number = self._used.get(key, 0)
        if mark_as_used:
            self._used[key] = number + 1
        if number == 0:
            return name
        candidate = f"{name}_{number}"
        while candidate.lower() in self._used:
            number += 1
            candidate = f"{name}_{number}"
        if mark_as_used:
            self._used[key] = number + 1
            self._used[candidate.lower()] = 1
        return candidate

    def scope(self, outer: str, name: str | bytes | None) -> str:
        """Return the prefix of names in the scope `name` within `outer`; a final slash means
        absolute.

        Raises ValueError if no operation could have such a name.
        """
        if not name:
            return ""
        text = name.decode() if isinstance(name, bytes) else name
        kind, pattern = ("scope", _INNER_NAME) if outer else ("root scope", ROOT_NAME)
        if not pattern.fullmatch(text):
            raise ValueError(
                f"{text!r} is not a valid {kind} name; it must match ^{pattern.pattern}$"
            )
        return text if text.endswith("/") else f"{self.unique(outer + text)}/"

    def release(self, name: str) -> None:
        """Release `name` for the next one, unless another was derived from it since."""
        key = name.lower()
        first, _, number = key.rpartition("_")
        if self._used.get(key) != 1:
            return
        if number.isdigit() and self._used.get(first) == int(number) + 1:
            self._used[first] -= 1
        del self._used[key]
