"""Convert docstrings to Markdown: sections in Google's style, doctests and prose.

Knows text only. What a docstring belongs to is the business of `api_reference`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc
from textwrap import dedent

# Sections of `name: text` items, and the headings that the pages show for them.
ITEMS = {
    "Args": "Arguments",
    "Arguments": "Arguments",
    "Call arguments": "Call arguments",
    "Attributes": "Attributes",
    "Properties": "Properties",
    "Raises": "Raises",
    "Warns": "Warns",
}
PROSE = (
    *("Returns", "Yields", "Note", "Notes", "References", "Reference", "See also"),
    *("Input shape", "Output shape", "Warning"),
)
CODE = ("Example", "Examples", "Usage")
HEADER = re.compile(rf"^({'|'.join([*ITEMS, *PROSE, *CODE])}):\s*$")
ITEM = re.compile(r"^(\**[\w.`\\-]+(?:, *\**[\w.`-]+)*)(?: \(([^)]*)\))?: ?(.*)$")
BULLET = re.compile(r"^(\s*)([-*+]|\d+\.) (.*)$")
SPAN = re.compile(r"(``.+?``|`[^`]*`)")


def escape(text: str) -> str:
    """Escape what Markdown and HTML would interpret, outside of code spans."""
    parts = SPAN.split(text)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([\\*_\[\]])", r"\\\1", parts[i]).replace("<", "&lt;")
    return "".join(parts)


def to_markdown(docstring: str) -> str:
    """Return the Markdown of a whole docstring."""
    parts = []
    for title, lines in _sections(cleandoc(docstring).splitlines()):
        if title is None:
            parts += _prose(lines)
            continue
        body = dedent("\n".join(lines)).strip("\n").splitlines()
        parts.append(f"**{ITEMS.get(title, title)}**")
        if title in ITEMS:
            parts += _items(body)
        elif title in CODE and not any(line.startswith((">>>", "```")) for line in body):
            parts.append(_fence("python", body))
        else:
            parts += _prose(body)
    return "\n\n".join(part for part in parts if part.strip()) + "\n"


def summary(docstring: str) -> str:
    """Return the first paragraph as one escaped line."""
    first = cleandoc(docstring).partition("\n\n")[0] if docstring else ""
    return "" if first.startswith(">>>") else escape(" ".join(first.split()))


def _sections(lines: list[str]) -> Iterator[tuple[str | None, list[str]]]:
    """Split at section headers; a section ends at the first line that is not indented."""
    title: str | None = None
    body: list[str] = []
    for line in lines:
        match = HEADER.match(line)
        ends = title is not None and line.strip() and not line.startswith(" ")
        if match or ends:
            yield title, body
            title, body = (match[1], []) if match else (None, [line])
        else:
            body.append(line)
    yield title, body


def _items(lines: list[str]) -> Iterator[str]:
    """Render `name: text` items with indented continuation lines as one list."""
    items: list[list[str]] = []
    for line in lines:
        if line.strip() and not line.startswith(" "):
            items.append([line])
        elif items:
            items[-1].append(line)
    rendered = []
    for first, *rest in items:
        match = ITEM.match(first)
        text = match[3] if match else first
        label = f"`{match[1].strip('`')}`" if match else ""
        if match and match[2]:
            label += f" ({escape(match[2])})"
        paragraphs = _prose([text, *dedent("\n".join(rest)).splitlines()])
        body = "\n\n".join(paragraph for paragraph in paragraphs if paragraph)
        joined = f"{label}: {body}" if label else body
        rendered.append("- " + joined.replace("\n", "\n    "))
    yield "\n".join(rendered)


def _prose(lines: list[str]) -> Iterator[str]:
    """Render paragraphs, lists, doctests and code; each yielded part is one block."""
    block: list[str] = []
    position = 0
    while position < len(lines):
        line = lines[position]
        if line.lstrip().startswith(">>>") or line.startswith("```"):
            yield _paragraph(block)
            block = []
            end = _end_of_code(lines, position)
            code = lines[position:end]
            yield "\n".join(code) if line.startswith("```") else _fence("pycon", code)
            position = end
            continue
        if not line.strip():
            yield _paragraph(block)
            block = []
        else:
            block.append(line)
        position += 1
    yield _paragraph(block)


def _end_of_code(lines: list[str], start: int) -> int:
    """Return the index behind a doctest, which a blank line ends, or behind a fenced block."""
    fenced = lines[start].startswith("```")
    for index in range(start + 1, len(lines)):
        if fenced and lines[index].startswith("```"):
            return index + 1
        if not fenced and not lines[index].strip():
            # Doctests that only blank lines separate are one block.
            following = next((line for line in lines[index:] if line.strip()), "")
            if not following.lstrip().startswith(">>>"):
                return index
    return len(lines)


def _paragraph(lines: list[str]) -> str:
    if not lines:
        return ""
    if all(line.startswith("    ") for line in lines):
        return _fence("text", lines)
    if any(line.lstrip().startswith("|") for line in lines):
        return "\n".join(lines)
    rendered = []
    for line in lines:
        match = BULLET.match(line)
        if match and not rendered:
            rendered.append(f"{match[1]}{match[2]} {escape(match[3])}")
        elif match:
            # A list needs a blank line before it, unless the line before belongs to it.
            previous = BULLET.match(rendered[-1]) or rendered[-1].startswith(" ")
            rendered += [] if previous else [""]
            rendered.append(f"{match[1]}{match[2]} {escape(match[3])}")
        else:
            rendered.append(escape(line))
    return "\n".join(rendered)


def _fence(language: str, lines: list[str]) -> str:
    return (
        f"``` {{ .{language} data-search-exclude }}\n"
        + dedent("\n".join(lines)).strip("\n")
        + "\n```"
    )
