"""Patterns, inputs and rewrites for the regular expressions of `tf.strings`.

`python -m tests.parity.record_regex` asks TensorFlow and writes `tests/golden/regex.json`.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

# A pattern, an input, a rewrite.
Case = tuple[bytes, bytes, bytes]

_PATTERNS = [
    # literals, classes, escapes
    *("", "a", "abc", ".", "..", "a.c", "[abc]", "[^abc]", "[a-c]", "[^a-c]", "[]a]", "[^]a]"),
    *("[a-]", "[-a]", r"[\-a]", r"[\]]", r"[a\]]", "[a^]", "[[a]", "[--a]", "[&&a]", "[a||b]"),
    *(r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"[\d\s]", r"[^\w]", r"[\W_]", r"\.", r"\*"),
    *(r"\a", r"\f", r"\t", r"\n", r"\r", r"\v", r"\101", r"\07", r"\0", r"\x41", r"\x{41}"),
    *(r"\x{1F600}", r"\x{e9}", r"\xe9", r"\xff", "é", "é+", "[é]", "[^é]", "[à-ü]", "😀", r"\C"),
    *(r"\C+", r"\Ca", r"(?i)k", r"(?i)ſ", r"(?i)[k-l]", r"(?i)É", r"(?i)straße", r"(?i)[^a]"),
    # POSIX, Perl and Unicode classes
    *("[[:alpha:]]", "[[:^alpha:]]", "[[:word:]]+", "[[:space:]]", "[[:punct:]]", "[[:digit:]x]"),
    *("[[:lower:]]", "[[:upper:]]+", "[[:xdigit:]]+", "[[:graph:]]+", "[[:blank:]]", "[:alpha:]"),
    *(r"\pL", r"\PL", r"\pN", r"\p{Lu}", r"\p{^Lu}", r"\P{^L}", r"\p{Greek}", r"\p{Latin}+"),
    *(r"[\pL\d]", r"[^\pL]", r"\p{Any}", r"\pZ", r"\p{Cyrillic}", r"\pS", r"\p{Han}", r"\pM"),
    # repetition
    *("a*", "a+", "a?", "a*?", "a+?", "a??", "a{2}", "a{2,}", "a{1,2}", "a{0}", "a{,2}", "a{2,1}"),
    *("a{0,1}", "a{2}?", "(ab)*", "(ab)+", "(a|b)*", "(a*)*", "(a+)+", "(a*)+b", "(a?){3}", "a{1"),
    *("(?U)a+", "(?U)a+?", "(?U)a*", "x*", "(x)?b", "(a|ab)(c|bcd)(d*)", "a|ab", "ab|a"),
    *("|a", "a|", "(|a)+", "(|a)*", "(a|)+", "(a{2}){2}"),
    *("a{1000}", "a{1001}", "(a{100}){11}", "a**"),
    *("a++", "*a", "+", "?", "a*+", "(*)", "{2}", "^*", "$*"),
    *(r"\b*", "(^)*", "(a){0}b", "(?:a){0}"),
    # groups and flags
    *("(a)(b)", "(?:a)(b)", "(?P<n>a)b", "(?<n>a)b", "(?P<n>a)(?P<n>b)", "((a)(b))", "(a(b)?)+"),
    *("(?i)ab", "(?i:a)b", "a(?i)b", "(a(?i)b)c", "(?s).", "(?s:.)b", "(?-s).", "(?m)^a", "(?m)a$"),
    *("(?m:^)a", "(?i-s)a.", "(?im)^A", "(?)a", "(?:)", "()", "(?i)(?-i)A", "(?-i)a", "(?x)a b"),
    # anchors
    *("^", "$", "^a", "a$", "^a$", r"\Aa", r"a\z", r"a\Z", r"\ba", r"a\b", r"\Ba", r"\b", r"\B"),
    *(r"\bfoo\b", "^$", "(^a|b)", "(a$|b)", r"\n$", r"(?m)$", r"(?m)^", r"\b.", r".\b", r"\B."),
    # quoting
    *(r"\Qa.b\E", r"\Qa", r"\Q\E", r"\Qa\Eb+", r"\E", r"\Qab\E+", r"\Q[\E", r"\Q\\E"),
    # refused
    *("(", ")", "(a", "a)", "[", "[a", "[]", "[^]", r"(a)\1", "(?=a)", "(?!a)", "(?<=a)", "(?<!a)"),
    *("(?>a)", "[z-a]", r"[a-\d]", "[[:foo:]]", r"\p{Foo}", r"\p", r"\pX", r"\y", "\\"),
    *(r"\x{110000}", r"\x", r"\x{}", r"\8", r"\18", r"\G", r"\K"),
    *(r"\X", r"\R", r"\h", r"\H", r"\N"),
    *("(?P<n", "(?#c)", "(?P=n)", "(?P<1>a)", "(?P<>a)"),
    *("(?P<a-b>c)", "(?a)b", "(?i", "(?-)a", "(?i-)a"),
    *("[a-z-9]", r"[\d-z]", r"[a-\x{10}]", "(?P>n)", "(?|a)", "(?'n'a)", "a{1001,}"),
    *("((((a{10}){10}){10}){10})", "((a{30}){30})"),
]

_TEXTS = [
    "",
    "a",
    "abc",
    "aaaa",
    "abcb ABC",
    "a\nb\na",
    "ab12 a.b a_b\t\v\f\r",
    "éÉ aé straße STRASSE ſK",
    "αβγ Жж 漢字 😀 e\u0301",
    "foo éfoo foo.",
    "xab]-^[&|{,2}",
]
_BROKEN_TEXTS = [
    b"a\xffb",
    b"\xc3",
    b"\xed\xa0\x80a",
    b"\xf4\x90\x80\x80",
    b"\xc0\x80b",
    b"\x80\x80a",
    b"a\x00b",
]
_REWRITES = [
    *(rb"-", rb"<\0>", rb"[\1]", rb"\2\1", rb"\\", b"", rb"\3", rb"\9", rb"\a", b"\\", rb"\1\\\1"),
    *("é".encode(), b"\xff", b"\x00", rb"\10", b"$1"),
]
_BROKEN_PATTERNS = [b"\xff", b"a\xc3", b"[\xff]", b"\xed\xa0\x80", b"a\x00b", b"(?P<\xff>a)"]


def cases() -> Iterator[Case]:
    """Every pattern with a few inputs, then random patterns, the same in each run."""
    rng = random.Random(11)
    texts = [text.encode() for text in _TEXTS] + _BROKEN_TEXTS
    patterns = [pattern.encode() for pattern in _PATTERNS] + _BROKEN_PATTERNS
    for pattern in patterns:
        for text in [b"abcb ABC", *rng.sample(texts, 3)]:
            yield pattern, text, rng.choice(_REWRITES[:5])
    for rewrite, pattern in itertools.product(_REWRITES, ["b", "(b)", "(a)(b)?", "x", ""]):
        yield pattern.encode(), b"abcb", rewrite
    for _ in range(600):
        text = "".join(rng.choices("ab1 é\n", k=rng.randrange(9)))
        yield random_pattern(rng).encode(), text.encode(), rng.choice(_REWRITES[:3])


def random_pattern(rng: random.Random, depth: int = 3) -> str:
    """A pattern that is nearly always valid."""
    atoms = ["a", "b", ".", "é", r"\d", r"\w", "[ab]", "[^a]", r"\b", "^", "$", r"\pL", " ", "1"]
    if depth == 0 or rng.random() < 0.25:
        return rng.choice(atoms)
    kind = rng.randrange(5)
    inner = [random_pattern(rng, depth - 1) for _ in range(rng.randint(1, 3))]
    if kind == 0:
        return "|".join(inner)
    if kind == 1:
        return f"({''.join(inner)})" + rng.choice(["", "*", "+", "?", "*?", "{2}", "{1,3}"])
    if kind == 2:
        return f"(?:{'|'.join(inner)})" + rng.choice(["", "*", "+", "+?", "{0,2}"])
    if kind == 3:
        return rng.choice(["(?i)", "(?s)", "(?m)", ""]) + "".join(inner)
    return "".join(inner)
