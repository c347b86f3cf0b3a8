"""Limits that keep the code readable: sizes, docstrings, and no loose ends in the library."""

from __future__ import annotations

import ast
import re

import pytest

from tests.source_tree import Source, parse, sources

FILE_LINES = 600
FUNCTION_LINES = 60
LOOSE_ENDS = re.compile(r"#.*\b(TODO|FIXME|XXX|HACK)\b")


def size_violations(source: Source) -> list[str]:
    found = []
    lines = len(source.text.splitlines())
    if lines > FILE_LINES:
        found.append(f"{source.path} has {lines} lines; {FILE_LINES} is the limit")
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
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


def test_files_and_functions_are_short() -> None:
    violations = [line for source in sources() for line in size_violations(source)]
    assert not violations, "\n" + "\n".join(violations)


def test_no_loose_ends() -> None:
    violations = [line for source in sources() for line in loose_ends(source)]
    assert not violations, "\n" + "\n".join(violations)


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
