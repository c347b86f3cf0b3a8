"""Docstrings become Markdown: sections, doctests, lists and text that Markdown would interpret."""

from __future__ import annotations

from docsite.docstrings import escape, summary, to_markdown

GOOGLE = """Compute a thing.

Longer text with `code * span` and a * b * c.

Args:
    x: The tensor,
        over two lines.
    *args: More of them.
    axis (int): An axis.

Returns:
    A tensor.

Raises:
    ValueError: If `x` is empty.

Example:
    x = 1
    if x:
        pass
"""


def test_sections_become_labels_and_lists() -> None:
    text = to_markdown(GOOGLE)
    assert "a \\* b \\* c" in text and "`code * span`" in text
    assert "**Arguments**\n\n- `x`: The tensor,\n    over two lines.\n- `*args`: More" in text
    assert "- `axis` (int): An axis." in text
    assert "**Returns**\n\nA tensor." in text
    assert "**Raises**\n\n- `ValueError`: If `x` is empty." in text


def test_examples_without_prompt_are_code() -> None:
    expected = "**Example**\n\n``` { .python data-search-exclude }\nx = 1\nif x:\n    pass\n```"
    assert expected in to_markdown(GOOGLE)


def test_doctests_are_code_in_prose_and_in_sections() -> None:
    bare = to_markdown("Add.\n\n>>> 1 + 1\n2\n\n>>> 2 + 2\n4\n\nMore text.")
    block = "``` { .pycon data-search-exclude }\n>>> 1 + 1\n2\n\n>>> 2 + 2\n4\n```"
    assert block in bare and bare.endswith("More text.\n")
    section = to_markdown("Add.\n\nExample:\n    Adding numbers:\n\n    >>> 1 + 1\n    2\n")
    assert "**Example**\n\nAdding numbers:\n\n``` { .pycon" in section
    assert ">>> 1 + 1\n2\n```" in section


def test_doctests_within_an_argument_stay_with_it() -> None:
    text = to_markdown("F.\n\nArgs:\n    x: A number:\n\n        >>> 1\n        1\n    y: Other.\n")
    assert "- `x`: A number:\n    \n    ``` { .pycon" in text
    assert "\n- `y`: Other." in text


def test_lists_get_the_blank_line_that_markdown_needs() -> None:
    assert to_markdown("F.\n\nCases:\n- one\n- two").endswith("Cases:\n\n- one\n- two\n")


def test_indented_text_is_code_and_tables_stay() -> None:
    assert "``` { .text data-search-exclude }\na -> b\n```" in to_markdown("F.\n\n    a -> b\n\nG.")
    assert "| a | b |\n|---|---|" in to_markdown("F.\n\n| a | b |\n|---|---|\n| 1 | 2 |")


def test_text_is_escaped_outside_of_code() -> None:
    assert escape("a_b <tag> [x](y) `a_b <c>`") == "a\\_b &lt;tag> \\[x\\](y) `a_b <c>`"
    assert summary("First line\nsecond_line.\n\nRest") == "First line second\\_line."
    assert summary(">>> 1") == "" and summary("") == ""
