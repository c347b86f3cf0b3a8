"""The scripts of characters: `unicode_scripts.txt`, read when needed.

The file lists where runs of one script begin and the number of the script, as ICU counts them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

_FILE = Path(__file__).with_name("unicode_scripts.txt")
LAST_POINT = 0x10FFFF

# The scripts that regular expressions name most, with their numbers.
SCRIPT_NAMES = {
    "Common": 0,
    "Arabic": 2,
    "Armenian": 3,
    "Bengali": 4,
    "Cyrillic": 8,
    "Devanagari": 10,
    "Ethiopic": 11,
    "Georgian": 12,
    "Greek": 14,
    "Gujarati": 15,
    "Gurmukhi": 16,
    "Han": 17,
    "Hangul": 18,
    "Hebrew": 19,
    "Hiragana": 20,
    "Kannada": 21,
    "Katakana": 22,
    "Khmer": 23,
    "Lao": 24,
    "Latin": 25,
    "Malayalam": 26,
    "Mongolian": 27,
    "Myanmar": 28,
    "Oriya": 31,
    "Sinhala": 33,
    "Tamil": 35,
    "Telugu": 36,
    "Thaana": 37,
    "Thai": 38,
    "Tibetan": 39,
}


@cache
def runs() -> tuple[np.ndarray, np.ndarray]:
    """Return where runs of characters of one script begin, and the numbers of those scripts."""
    pairs = [run.split(":") for run in _FILE.read_text(encoding="ascii").split()]
    starts = np.array([int(start, 16) for start, _ in pairs], np.int64)
    return starts, np.array([int(script) for _, script in pairs], np.int32)


@cache
def script_table() -> np.ndarray:
    """Return the number of the script of every code point, and -1 behind the last one."""
    starts, numbers = runs()
    counts = np.diff(starts, append=LAST_POINT + 1)
    return np.append(np.repeat(numbers, counts), -1).astype(np.int16)


def script_ranges(name: str) -> list[tuple[int, int]]:
    """Return the ranges of characters of a script: where each begins, and where the next does."""
    starts, numbers = runs()
    ends = [*starts[1:].tolist(), LAST_POINT + 1]
    number = SCRIPT_NAMES[name]
    return [
        (a, b)
        for a, b, n in zip(starts.tolist(), ends, numbers.tolist(), strict=True)
        if n == number
    ]
