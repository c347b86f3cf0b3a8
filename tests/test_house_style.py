"""Limits that keep the code readable: sizes, docstrings, and no loose ends in the library."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.source_tree import Source, parse, sources

FILE_LINES = 600
FUNCTION_LINES = 60
LOOSE_ENDS = re.compile(r"#.*\b(TODO|FIXME|XXX|HACK)\b")

# Names of variables and parameters that say nothing about a value, and how many are left. Choose
# a word of the field instead: index, positions, static_shape, cached, expected, received, result.
VAGUE_NAMES = {
    "found": 2,
    "given": 7,
    "told": 0,
    "place": 36,
    "places": 17,
    "made": 5,
    "kept": 8,
    "wanted": 10,
    "known": 39,
    "there": 5,
    "aside": 0,
    "asked": 6,
    "said": 2,
    "taken": 9,
    "mine": 1,
    "theirs": 8,
    "have": 0,
    "wish": 0,
    "want": 0,
    "wants": 0,
    "held": 8,
    "named": 29,
    "nothing": 1,
}
# Words and phrases of docstrings and comments that paraphrase, and how many are left. Write what
# the code does, verb first: return, compute, raise, request, with respect to.
PARAPHRASE = {
    "gives": 7,
    "gave": 11,
    "told": 3,
    "tells": 1,
    "wanted": 5,
    "wants": 1,
    "aside": 1,
    "asked for": 14,
    "comes to": 0,
    "goes by": 1,
    "left alone": 3,
    "there and back": 0,
    "makes of": 5,
    "What is": 17,
    "by its input": 0,
}
COMMENT = re.compile(r"(?:^|\s)# (.*)$")
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def _docstring_lines(node: ast.AST) -> int:
    """Return how many lines the docstring of a class or function takes; 0 without one."""
    if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return 0
    if ast.get_docstring(node, clean=False) is None:
        return 0
    return (node.body[0].end_lineno or 0) - node.body[0].lineno + 1


def size_violations(source: Source) -> list[str]:
    """Which files and functions are long; docstrings, which the reference needs, do not count."""
    found = []
    lines = len(source.text.splitlines()) - sum(map(_docstring_lines, ast.walk(source.tree)))
    if lines > FILE_LINES:
        found.append(f"{source.path} has {lines} lines; {FILE_LINES} is the limit")
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1 - _docstring_lines(node)
            if length > FUNCTION_LINES:
                found.append(
                    f"{source.path}:{node.lineno} {node.name} has {length} lines; "
                    f"{FUNCTION_LINES} is the limit"
                )
    return found


def loose_ends(source: Source) -> list[str]:
    """What a reader cannot rely on: missing module docstrings, `assert`, notes of work undone."""
    found = []
    if source.text.strip() and not ast.get_docstring(source.tree):
        found.append(f"{source.path} has no module docstring saying what it knows")
    found += [
        f"{source.path}:{node.lineno} asserts; library code raises an error that explains itself"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Assert)
    ]
    found += [
        f"{source.path}:{number} leaves work undone: {line.strip()}"
        for number, line in enumerate(source.text.splitlines(), 1)
        if LOOSE_ENDS.search(line)
    ]
    return found


def vague_names(source: Source) -> Iterator[str]:
    """Yield the vague names that a file binds, once for each binding."""
    for node in ast.walk(source.tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) if name in VAGUE_NAMES:
                yield name


def paraphrase(source: Source) -> Iterator[str]:
    """Yield the phrases of `PARAPHRASE` in the docstrings and comments of a file."""
    texts = [ast.get_docstring(n) for n in ast.walk(source.tree) if isinstance(n, DOCUMENTED)]
    texts += [found[1] for line in source.text.splitlines() if (found := COMMENT.search(line))]
    for text in filter(None, texts):
        for phrase in PARAPHRASE:
            if phrase in text:
                yield from re.findall(rf"(?<!\w){phrase}\b", text)


def above_ceilings(counts: Counter[str], ceilings: dict[str, int]) -> list[str]:
    return [
        f"{word!r} occurs {counts[word]} times; at most {ceiling} are left from before this rule"
        for word, ceiling in ceilings.items()
        if counts[word] > ceiling
    ]


def test_files_and_functions_are_short() -> None:
    violations = [line for source in sources() for line in size_violations(source)]
    assert not violations, "\n" + "\n".join(violations)


def test_no_loose_ends() -> None:
    violations = [line for source in sources() for line in loose_ends(source)]
    assert not violations, "\n" + "\n".join(violations)


def test_vague_names_only_decrease() -> None:
    counts = Counter(name for source in sources() for name in vague_names(source))
    violations = above_ceilings(counts, VAGUE_NAMES)
    assert not violations, "\n" + "\n".join(violations)


def test_paraphrase_only_decreases() -> None:
    counts = Counter(phrase for source in sources() for phrase in paraphrase(source))
    violations = above_ceilings(counts, PARAPHRASE)
    assert not violations, "\n" + "\n".join(violations)


@pytest.mark.parametrize(
    ("text", "names", "phrases"),
    [
        ("def f(given):\n    found = given", ["given", "found"], []),
        ("for place in x: y(place)", ["place"], []),
        ("index = x.found", [], []),
        ('"""Gives x. It gives y."""', [], ["gives"]),
        ("x = 1  # what is left alone\ny = '# told'", [], ["left alone"]),
    ],
)
def test_the_rule_of_words(text: str, names: list[str], phrases: list[str]) -> None:
    source = parse("ops/math.py", text)
    assert sorted(vague_names(source)) == sorted(names)
    assert list(paraphrase(source)) == phrases


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("x = 1\n" * 600, 0),
        ("x = 1\n" * 601, 1),
        ("def f():\n" + "    x = 1\n" * 59, 0),
        ("class A:\n    async def f(self):\n" + "        x = 1\n" * 60, 1),
    ],
)
def test_the_rule_of_sizes(text: str, count: int) -> None:
    assert len(size_violations(parse("ops/math.py", text))) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('"""What it knows."""\nx = 1', 0),
        ("", 0),
        ("x = 1", 1),
        ('"""Knows."""\nassert True', 1),
        ('"""Knows."""\nx = 1  # TODO: y', 1),
        ('"""Knows."""\nx = "TODO"', 0),
    ],
)
def test_the_rule_of_loose_ends(text: str, count: int) -> None:
    assert len(loose_ends(parse("ops/math.py", text))) == count
