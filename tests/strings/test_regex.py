"""Regular expressions: RE2's syntax and results, as TensorFlow has them, in linear time."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tapeflow as tf
from tapeflow._src.kernels.codecs.re2 import compiled
from tests import fuzzing
from tests.parity.regex_cases import random_pattern

_RECORD = Path(__file__).parents[1] / "golden" / "regex.json"
ROWS = json.loads(_RECORD.read_text())
REFUSED = ["InvalidArgumentError"]


def _outcomes(pattern: bytes, text: bytes, rewrite: bytes) -> list[Any]:
    """The full match, all matches replaced, the first one replaced, as the record has them."""

    def replace(everywhere: bool) -> Any:
        return tf.strings.regex_replace(text, pattern, rewrite, everywhere).numpy().decode("latin1")

    calls = [
        lambda: bool(tf.strings.regex_full_match(text, pattern)),
        lambda: replace(True),
        lambda: replace(False),
    ]
    outcomes: list[Any] = []
    for call in calls:
        try:
            outcomes.append(call())
        except tf.errors.InvalidArgumentError:
            outcomes.append(REFUSED)
    return outcomes


def _is_deviation(pattern: bytes, rewrite: bytes) -> bool:
    """What differs on purpose.

    `(?<name>…)` is accepted: RE2 does so since 2023, later than the RE2 in TensorFlow 2.21.
    A bad escape in a rewrite is refused; TensorFlow logs it and drops the rest of the rewrite.
    """
    return pattern.startswith(b"(?<n>") or rewrite in (rb"\a", b"\\")


def test_results_are_those_that_tensorflow_recorded() -> None:
    different = []
    for pattern, text, rewrite, *expected in ROWS:
        case = tuple(part.encode("latin1") for part in (pattern, text, rewrite))
        received = _outcomes(*case)
        if received != expected and not _is_deviation(case[0], case[2]):
            different.append((case, expected, received))
    assert len(ROWS) > 1500
    assert not different


def test_a_bad_escape_in_a_rewrite_is_refused() -> None:
    for rewrite in (r"\a", "x\\"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="backslash"):
            tf.strings.regex_replace("b", "b", rewrite)


@pytest.mark.parametrize("pattern", [r"(a)\1", "(?=a)", "[z-a]", b"\xff", "a{1001}", "(?P<n"])
def test_refused_patterns_name_the_pattern_and_the_reason(pattern: str | bytes) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Invalid pattern.*RE2"):
        compiled(pattern.encode() if isinstance(pattern, str) else pattern)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\\")))
def test_text_between_quoting_marks_matches_itself(text: str) -> None:
    assert compiled(rf"\Q{text}\E".encode()).full_matches([text.encode()]) == [True]


# -- the second form, for `re` ------------------------------------------------------------------

SIMPLE = [
    "a",
    "ab",
    "a|bc|é",
    ".",
    r"\s+",
    r"[^\w\s]",
    r"[!-/:-@]",
    r"\.",
    r"[a\-z]",
    "[-a]",
    "<b>",
]
NOT_SIMPLE = [
    "",
    "(a)",
    "a*",
    "ab+",
    "a|",
    "|a",
    "^a",
    r"\ba",
    "a{2}",
    "[[:alpha:]]",
    r"\pL",
    r"\C",
]


def test_which_patterns_have_a_simple_form() -> None:
    assert [pattern for pattern in SIMPLE if compiled(pattern.encode()).simple is None] == []
    assert [pattern for pattern in NOT_SIMPLE if compiled(pattern.encode()).simple] == []


_ATOMS = [
    *"ab .é😀",
    r"\d",
    r"\W",
    r"\s",
    r"\S",
    r"\.",
    "[ab]",
    "[^a]",
    r"[\d-]",
    "[a-cé]",
    r"[^\s]",
]
_PUNCTUATION = r'[!"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']'


def test_both_forms_replace_alike() -> None:
    rng = random.Random(5)
    compared = 0
    for _ in range(400):
        pattern = "".join(rng.choices([*_ATOMS, "|"], k=rng.randint(1, 4)))
        pattern = rng.choice([pattern, rng.choice(_ATOMS) + "+", _PUNCTUATION])
        simple = compiled(pattern.encode()).simple
        if simple is None:
            continue
        text = "".join(rng.choices("ab1 .-\n\v\té😀_[]", k=12))
        # A group around everything changes nothing, and leaves the pattern to RE2.
        exact = tf.strings.regex_replace(text, f"({pattern})", r"<\0>")
        assert exact == tf.strings.regex_replace(text, pattern, r"<\0>"), (pattern, text)
        compared += 1
    assert compared > 250


# -- linear time --------------------------------------------------------------------------------

_ATTACKS = [
    ("(a+)+b", "'a' * 2000"),
    ("(a|a)*b", "'a' * 2000"),
    ("(a|aa)+$", "'a' * 2000 + 'b'"),
    ("(.*)*x", "'y' * 2000"),
    ("(a?){100}a{100}", "'a' * 100"),
    ("(x+x+)+y", "'x' * 2000"),
    (r"^(\w+\s?)*$", "'word ' * 1000 + '!'"),
    (r"(?:(?:a|a)(?:a|a)){20}b", "'a' * 2000"),
    ("|".join(["aaaaaaaaaaaa"] * 30) + "b", "'a' * 2000"),
]


def test_patterns_that_take_exponential_time_by_backtracking_end() -> None:
    """All attacks end in a child process; by backtracking each alone would take years."""
    lines = ["import tapeflow as tf"]
    for pattern, text in _ATTACKS:
        lines.append(f"tf.strings.regex_full_match({text}, {pattern!r})")
        lines.append(f"tf.strings.regex_replace({text}, {pattern!r}, '-')")
    program = "\n".join([*lines, "print('ended')"])
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=240, check=False
    )
    assert done.stdout.strip() == "ended", done.stderr[-2000:]


def _match_and_replace(data: bytes) -> None:
    pattern, _, text = data.partition(b"\0")
    tf.strings.regex_full_match([text, text * 50], pattern)
    tf.strings.regex_replace([text, text * 50], pattern, r"<\0>")


def _pattern_samples(seed: int, count: int) -> list[bytes]:
    rng = random.Random(seed)
    texts = ["".join(rng.choices("ab1 é\n", k=rng.randrange(20))) for _ in range(count)]
    return [f"{random_pattern(rng, 4)}\0{text}".encode() for text in texts]


@pytest.mark.parametrize("count", [400, pytest.param(12_000, marks=pytest.mark.slow)])
def test_mutated_patterns_and_texts_match_or_are_refused(count: int) -> None:
    report = fuzzing.check(_match_and_replace, _pattern_samples(1, 60), count, seed=count)
    assert report.returned > count // 4
