"""Tables and pages made from other files: namespaces, decisions, examples."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from docsite.api_reference import Reference
from tapeflow._src.core import tensorflow_names


def namespaces(reference: Reference) -> str:
    """Return the table of namespaces: names of TensorFlow, names here, and which are missing."""
    rows = ["| namespace | TensorFlow 2.21 | here | not here |", "|---|---:|---:|---|"]
    total = present = 0
    for path, expected in sorted(_tensorflow_namespaces().items()):
        if path.startswith("tf.compat"):
            continue
        space = reference.spaces.get(path)
        offered = (
            set(space.members) | {c.rpartition(".")[2] for c in space.children} if space else set()
        )
        missing = sorted(expected - offered)
        total, present = total + len(expected), present + len(expected & offered)
        shown = f"[`{path}`](api/{path}.md)" if space else f"`{path}`"
        rows.append(
            f"| {shown} | {len(expected)} | {len(expected & offered)} | {_shorten(missing)} |"
        )
    rows.append(f"| **all** | **{total}** | **{present}** | |")
    return "\n".join(rows)


@cache
def _tensorflow_namespaces() -> dict[str, set[str]]:
    spaces = tensorflow_names.recorded().spaces
    return {f"tf.{path}".removesuffix("."): set(names) for path, names in spaces.items()}


def _shorten(names: list[str], limit: int = 8) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:limit])
    return shown + (f" and {len(names) - limit} more" if len(names) > limit else "")


def decisions(folder: Path) -> str:
    """List the decisions by number, with the title of each file."""
    rows = ["| | decision |", "|---:|---|"]
    for path in sorted(folder.glob("[0-9]*.md")):
        title = path.read_text("utf-8").splitlines()[0].removeprefix("# ")
        rows.append(f"| {int(path.name[:4])} | [{title}]({path.name}) |")
    return "\n".join(rows)


def examples(folder: Path) -> str:
    """List the example programs with what they say of themselves."""
    rows = ["| program | what it shows |", "|---|---|"]
    for path in sorted(folder.glob("*.py")):
        rows.append(f"| [`{path.name}`]({path.stem}.md) | {_docstring(path).splitlines()[0]} |")
    return "\n".join(rows)


def example_pages(folder: Path) -> dict[str, str]:
    """Return one page a program: its docstring, and its code."""
    pages = {}
    for path in sorted(folder.glob("*.py")):
        source = path.read_text("utf-8")
        first, _, rest = _docstring(path).partition("\n")
        pages[f"examples/{path.stem}.md"] = (
            f"# {path.name}\n\n{first}\n{rest}\n\n```python\n{source}```\n"
        )
    return pages


def _docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
