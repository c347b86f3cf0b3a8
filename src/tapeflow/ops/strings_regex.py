"""Finding and replacing by regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core import dtypes
from tapeflow.core.errors import fmt_shape
from tapeflow.core.registry import InferError, op
from tapeflow.core.spec import Spec
from tapeflow.ops.regex_syntax import compiled
from tapeflow.ops.strings import HOST, STRING, each, invalid

# Bytes that are no UTF-8 stand for themselves, so that they come out again as they went in.
_ODD_BYTES = "surrogateescape"


def _infer(dtype: dtypes.DType) -> Callable[..., Spec]:
    def rule(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
        for name, spec in zip(op.input_names[1:], specs[1:], strict=True):
            if spec.shape not in ((), None):
                raise InferError(
                    f"{name.capitalize()} must be scalar, but received {fmt_shape(spec.shape)}"
                )
        return Spec(specs[0].shape, dtype)

    return rule


def _text(value: Any) -> str:
    raw = value.item() if isinstance(value, np.ndarray) else value
    return raw.decode(errors="replace") if isinstance(raw, bytes) else str(raw)


@op("RegexFullMatch", infer=_infer(dtypes.bool), dtypes=STRING, grad=None, host=HOST, checked=True)
def regex_full_match(xp, input, pattern):
    """Whether each string as a whole matches the pattern."""
    return _full_match(input, _text(pattern))


@op("StaticRegexFullMatch", infer=_infer(dtypes.bool), dtypes=STRING, grad=None, host=HOST)
def static_regex_full_match(xp, input, *, pattern):
    """As `RegexFullMatch`, of a pattern that is known."""
    return _full_match(input, _text(pattern))


def _full_match(array: np.ndarray, pattern: str) -> np.ndarray:
    matches = compiled(pattern).fullmatch
    texts = (text.decode(errors=_ODD_BYTES) for text in array.reshape(-1).tolist())
    return np.array([matches(text) is not None for text in texts], bool).reshape(array.shape)


@op("RegexReplace", infer=_infer(dtypes.string), dtypes=STRING, grad=None, host=HOST, checked=True)
def regex_replace(xp, input, pattern, rewrite, *, replace_global=True):
    """What matches replaced by `rewrite`, in which `\\1` is the first group, `\\0` all of it."""
    return _replace(input, _text(pattern), _text(rewrite), replace_global)


@op("StaticRegexReplace", infer=_infer(dtypes.string), dtypes=STRING, grad=None, host=HOST)
def static_regex_replace(xp, input, *, pattern, rewrite, replace_global=True):
    """As `RegexReplace`, of a pattern and a rewriting that are known."""
    return _replace(input, _text(pattern), _text(rewrite), replace_global)


def _replace(array: np.ndarray, pattern: str, rewrite: str, everywhere: bool) -> np.ndarray:
    finder = compiled(pattern)
    parts = _rewriting(rewrite)
    if any(isinstance(part, int) and part > finder.groups for part in parts):
        # TensorFlow leaves the strings alone when the rewriting asks for a group that is not there.
        return array.copy()

    def expand(match: re.Match[str]) -> str:
        return "".join(p if isinstance(p, str) else match.group(p) or "" for p in parts)

    def change(text: bytes) -> bytes:
        decoded = text.decode(errors=_ODD_BYTES)
        replaced = _substituted(finder, decoded, expand, everywhere)
        return replaced.encode(errors=_ODD_BYTES)

    return each(change, array)


def _substituted(
    finder: re.Pattern[str], text: str, expand: Callable[[re.Match[str]], str], everywhere: bool
) -> str:
    pieces: list[str] = []
    done = 0
    for match in finder.finditer(text):
        # Unlike Python, RE2 takes no empty match where the last one ended.
        if pieces and not match.group() and match.start() == done:
            continue
        pieces += [text[done : match.start()], expand(match)]
        done = match.end()
        if not everywhere:
            break
    return "".join(pieces) + text[done:]


def _rewriting(rewrite: str) -> list[str | int]:
    """The texts and the numbers of groups that a rewriting consists of."""
    parts: list[str | int] = []
    for literal, escape in re.findall(r"([^\\]+)|\\(.?)", rewrite, re.DOTALL):
        if literal or escape == "\\":
            parts.append(literal or "\\")
        elif escape.isascii() and escape.isdigit():
            parts.append(int(escape))
        else:
            raise invalid(
                f"Invalid rewrite pattern: {rewrite}; a backslash stands before a digit or another "
                f"backslash"
            )
    return parts
