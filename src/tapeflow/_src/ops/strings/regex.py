"""Finding and replacing by regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import fmt_shape, invalid
from tapeflow._src.core.registry import InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import ELEMENTWISE, PACKS
from tapeflow._src.kernels.codecs.re2 import Regex, compiled
from tapeflow._src.kernels.strings.automaton import automaton
from tapeflow._src.kernels.strings.packed import split_at_zeros, without
from tapeflow._src.ops.strings.text import HOST, STRING, bytes_array, each, each_byte

_Change = Callable[[bytes], bytes]


def _infer(dtype: dtypes.DType) -> Callable[..., Spec]:
    def rule(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
        for name, spec in zip(op.input_names[1:], specs[1:], strict=True):
            if spec.shape not in ((), None):
                raise InferError(
                    f"{name.capitalize()} must be scalar, but received {fmt_shape(spec.shape)}"
                )
        return Spec(specs[0].shape, dtype)

    return rule


def _bytes(value: Any) -> bytes:
    raw = value.item() if isinstance(value, np.ndarray) else value
    return raw if isinstance(raw, bytes) else str(raw).encode()


@op(
    "RegexFullMatch",
    infer=_infer(dtypes.bool),
    dtypes=STRING,
    grad=None,
    host=HOST,
    checked=True,
    traits=(ELEMENTWISE, PACKS),
)
def regex_full_match(xp, input, pattern):
    """Whether each string as a whole matches the pattern."""
    return _full_match(input, _bytes(pattern))


@op(
    "StaticRegexFullMatch",
    infer=_infer(dtypes.bool),
    dtypes=STRING,
    grad=None,
    host=HOST,
    traits=(ELEMENTWISE, PACKS),
)
def static_regex_full_match(xp, input, *, pattern):
    """Like `RegexFullMatch`, with a static pattern."""
    return _full_match(input, _bytes(pattern))


@regex_full_match.kernel("packed")
def _(xp, input, pattern):
    return _full_match_packed(input, _bytes(pattern))


@static_regex_full_match.kernel("packed")
def _(xp, input, *, pattern):
    return _full_match_packed(input, _bytes(pattern))


def _full_match_packed(strings: Any, pattern: bytes) -> Any:
    compiled(pattern)  # which refuses invalid ones
    strings = strings.trimmed()
    machine = _automaton(pattern) if strings.text.isascii() else None
    if machine is None:
        return NotImplemented
    return machine.full_matches(strings).reshape(strings.shape)


_automaton = lru_cache(128)(automaton)


def _full_match(array: np.ndarray, pattern: bytes) -> np.ndarray:
    matches = compiled(pattern).full_matches(array.reshape(-1).tolist())
    return np.array(matches, bool).reshape(array.shape)


@op(
    "RegexReplace",
    infer=_infer(dtypes.string),
    dtypes=STRING,
    grad=None,
    host=HOST,
    checked=True,
    traits=(ELEMENTWISE, PACKS),
)
def regex_replace(xp, input, pattern, rewrite, *, replace_global=True):
    """Replace matches by `rewrite`, in which `\\1` is the first group, `\\0` all of it."""
    return _replace(input, _bytes(pattern), _bytes(rewrite), replace_global)


@op(
    "StaticRegexReplace",
    infer=_infer(dtypes.string),
    dtypes=STRING,
    grad=None,
    host=HOST,
    traits=(ELEMENTWISE, PACKS),
)
def static_regex_replace(xp, input, *, pattern, rewrite, replace_global=True):
    """Like `RegexReplace`, with a static pattern and rewrite."""
    return _replace(input, _bytes(pattern), _bytes(rewrite), replace_global)


@regex_replace.kernel("packed")
def _(xp, input, pattern, rewrite, *, replace_global):
    return _replace_packed(input, _bytes(pattern), _bytes(rewrite), replace_global)


@static_regex_replace.kernel("packed")
def _(xp, input, *, pattern, rewrite, replace_global):
    return _replace_packed(input, _bytes(pattern), _bytes(rewrite), replace_global)


def _replace_packed(strings: Any, pattern: bytes, rewrite: bytes, everywhere: bool) -> Any:
    """Replace in the text of all strings; NotImplemented if a match may depend on its string."""
    regex = compiled(pattern)
    parts = _rewrite_parts(rewrite)
    if not everywhere or any(isinstance(part, int) and part > regex.groups for part in parts):
        return NotImplemented
    literal = b"".join(part for part in parts if isinstance(part, bytes))
    plain = all(isinstance(part, bytes) for part in parts)
    characters = regex.characters if plain and len(literal) <= 1 else None
    if characters is not None and literal:
        strings = strings.trimmed()
        table = bytes.maketrans(characters, literal * len(characters))
        return strings.with_text(strings.text.translate(table))
    if characters is not None:
        return without(strings, characters)
    whole = strings.separated(0)
    changed = _replaced_whole(
        regex, pattern, parts, whole, strings.size, literal if plain else None
    )
    return NotImplemented if changed is None else split_at_zeros(changed, strings.shape)


def _replace(array: np.ndarray, pattern: bytes, rewrite: bytes, everywhere: bool) -> np.ndarray:
    regex = compiled(pattern)
    parts = _rewrite_parts(rewrite)
    if any(isinstance(part, int) and part > regex.groups for part in parts):
        # TensorFlow leaves the strings alone when the rewrite names a group that does not exist.
        return array.copy()
    literal = b"".join(part for part in parts if isinstance(part, bytes))
    plain = everywhere and all(isinstance(part, bytes) for part in parts)
    if plain and regex.characters is not None and len(literal) <= 1:
        # Delete characters, or replace each by one other: what bytes do themselves, in C.
        if not literal:
            return each_byte(array, None, regex.characters)
        replaced = literal * len(regex.characters)
        return each_byte(array, bytes.maketrans(regex.characters, replaced))
    if everywhere and array.size > 1:
        whole = b"\0".join(array.reshape(-1).tolist())
        own = literal if plain else None
        changed = _replaced_whole(regex, pattern, parts, whole, array.size, own)
        if changed is not None:
            return bytes_array(changed.split(b"\0")).reshape(array.shape)
    change = _exact_change(regex, parts, everywhere)
    if regex.simple is not None:
        change = _simple_change(regex.simple, parts, everywhere, change)
    return each(change, array)


# What makes a match depend on where a text begins and ends.
_ASSERTION = re.compile(rb"[\^$]|\\[AzbBCQ]|\(\?")


def _replaced_whole(
    regex: Regex,
    pattern: bytes,
    parts: list[bytes | int],
    whole: bytes,
    count: int,
    literal: bytes | None,
) -> bytes | None:
    """Replace in `count` texts as one, between bytes of 0; None if a match could depend on that.

    A match in the whole that contains no byte of 0 is the match in its text: the whole has all
    matches of the texts, and prefers them in the same order.
    """
    if whole.count(b"\0") != count - 1 or any(b"\0" in p for p in parts if type(p) is bytes):
        return None
    if regex.simple is not None and literal is not None:
        try:
            template = literal.decode().replace("\\", r"\\")
            changed = regex.simple.sub(template, whole.decode()).encode()
        except UnicodeDecodeError:
            return None
        # Otherwise a match took a byte of 0 away.
        return changed if changed.count(b"\0") == count - 1 else None
    if _ASSERTION.search(pattern):
        return None
    pieces: list[bytes] = []
    done = 0
    while (spans := regex.search(whole, done)) is not None:
        start, end = spans[0]
        if start == end or whole.find(b"\0", start, end) >= 0:
            return None
        pieces.append(whole[done:start])
        pieces += [p if isinstance(p, bytes) else whole[slice(*spans[p])] for p in parts]
        done = end
    pieces.append(whole[done:])
    return b"".join(pieces)


def _exact_change(regex: Regex, parts: list[bytes | int], everywhere: bool) -> _Change:
    """Replace by RE2, on bytes."""
    search = regex.search

    def change(text: bytes) -> bytes:
        pieces: list[bytes] = []
        at = done = 0
        last = -1
        while (spans := search(text, at)) is not None:
            start, end = spans[0]
            if start == end == last:
                # No empty match directly after another match: go on behind the next character.
                at += _character_length(text, at)
                if at > len(text):
                    break
                continue
            pieces.append(text[done:start])
            pieces += [p if isinstance(p, bytes) else text[slice(*spans[p])] for p in parts]
            at = done = last = end
            if not everywhere:
                break
        return b"".join(pieces) + text[done:] if pieces else text

    return change


def _character_length(text: bytes, at: int) -> int:
    """Return the bytes of the character at a position; one if it is invalid UTF-8."""
    first = text[at] if at < len(text) else 0
    if first < 0xC2:
        return 1
    size = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    try:
        # RE2 accepts the encodings of surrogates.
        text[at : at + size].decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return 1
    return size


def _simple_change(
    finder: re.Pattern[str], parts: list[bytes | int], everywhere: bool, exact: _Change
) -> _Change:
    """Replace by `re`; texts that are not UTF-8 are left to `exact`."""
    try:
        literals = [p if isinstance(p, int) else p.decode().replace("\\", r"\\") for p in parts]
    except UnicodeDecodeError:
        return exact
    template = "".join(r"\g<0>" if isinstance(p, int) else p for p in literals)
    count = 0 if everywhere else 1
    substitute = finder.sub

    def change(text: bytes) -> bytes:
        try:
            return substitute(template, text.decode(), count).encode()
        except UnicodeDecodeError:
            return exact(text)

    return change


_REWRITE_PART = re.compile(rb"([^\\]+)|\\(.?)", re.DOTALL)


def _rewrite_parts(rewrite: bytes) -> list[bytes | int]:
    """Return the literal texts and the group numbers of a rewrite."""
    parts: list[bytes | int] = []
    for literal, escape in _REWRITE_PART.findall(rewrite):
        if literal or escape == b"\\":
            parts.append(literal or b"\\")
        elif escape.isdigit():
            parts.append(int(escape))
        else:
            raise invalid(
                f"Invalid rewrite: {rewrite.decode(errors='backslashreplace')!r}. A backslash must "
                f"stand before a digit (a group) or before another backslash."
            )
    return parts
