"""RE2's regular expressions in Python's: what differs, and what RE2 refuses."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tapeflow as tf
from tapeflow.ops.regex_syntax import compiled


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"\d+", "1٣", ["1"]),
        (r"\D", "1é", ["é"]),
        (r"[\W1]", "a1é", ["1", "é"]),
        (r"\s", "\v \u00a0", [" "]),
        (r"\bé", "éa é", []),
        (r"[[:^alpha:]]", "a1", ["1"]),
        (r"[]a]", "]b", ["]"]),
        (r"[a-]", "-b", ["-"]),
        (r"\x{1F600}|\x41", "A😀", ["A", "😀"]),
        (r"\101\07", "A\a", ["A\a"]),
        (r"a{2,3}", "aaaa", ["aaa"]),
        (r"a{,2}", "a{,2}", ["a{,2}"]),
        (r"(?U)a+", "aa", ["a", "a"]),
        (r"(?U)a+?", "aa", ["aa"]),
        (r"(?i)a(?-i)b", "AbAB", ["Ab"]),
        (r"(x(?i)a|b)c", "xAcBc", ["xA", "B"]),
        (r"(?s)a.b", "a\nb", ["a\nb"]),
        (r"a.b", "a\nb", []),
        (r"\Aa\z", "a", ["a"]),
        (r"\p{Lu}|\p{^L}", "aA1", ["A", "1"]),
        (r"\pN", "a1", ["1"]),
        (r"(?P<n>a)(?<m>b)", "ab", [("a", "b")]),
        (r"\Q.*\E+", ".**", [".**"]),
    ],
)
def test_found(pattern: str, text: str, found: list[object]) -> None:
    assert compiled(pattern).findall(text) == found


@pytest.mark.parametrize(
    "pattern",
    [
        *("(", ")", "[", "[a", "a**", "*a", "a{1001}", "a{3,2}", r"(a)\1", "(?=a)", "(?!a)"),
        *("(?<=a)", "(?>a)", "a++", "[z-a]", r"[a-\d]", "[[:foo:]]", r"\p{Foo}", r"\y", "\\"),
        *("(?P<n", r"\x{110000}", "(?x)a"),
    ],
)
def test_refused(pattern: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern"):
        compiled(pattern)


@given(st.text())
def test_quoted_text_matches_itself(text: str) -> None:
    assert compiled(re.escape(text)).fullmatch(text)


@given(st.text(st.characters(exclude_characters="\\")))
def test_what_stands_between_quoting_marks_matches_itself(text: str) -> None:
    assert compiled(rf"\Q{text}\E").fullmatch(text)
