"""Write the whole documentation as a folder of plain Markdown and a configuration.

Any builder that reads `mkdocs.yml` can build that folder: what is generated is generated here, and
the sources stay as they are.
"""

from __future__ import annotations

import copy
import json
import posixpath
import re
import shutil
from pathlib import Path
from typing import Any

from docsite import tables
from docsite.api_reference import Reference
from docsite.graph_page import graph_page
from docsite.navigation import PAGES

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
PLACEHOLDER = re.compile(r"<!-- generated: (\w+) -->")
# Files of the repository that the site shows under another address.
SHOWN_AS = {
    "CONTRIBUTING.md": "contributing.md",
    "README.md": "index.md",
    "tests/public_api.txt": "api/index.md",
}


def stage(folder: Path) -> Path:
    """Write sources, generated pages and configuration to `folder`; return the configuration."""
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(ROOT / "docs", folder / "docs")
    reference = Reference()
    for path in sorted((folder / "docs").rglob("*.md")):
        here = path.relative_to(folder / "docs").as_posix()
        path.write_text(prepare(path.read_text("utf-8"), here, reference), "utf-8")
    for name, text in generated_pages(reference).items():
        target = folder / "docs" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    (folder / "docs" / "assets" / "graph.html").write_text(graph_page(), "utf-8")
    settings = Path(__file__).with_name("mkdocs.yml").read_text("utf-8")
    configuration = folder / "mkdocs.yml"
    # JSON is YAML.
    nav = json.dumps(navigation(reference), indent=1)
    configuration.write_text(f"{settings}\nnav: {nav}\n", "utf-8")
    return configuration


def generated_pages(reference: Reference) -> dict[str, str]:
    """Return the Markdown of all pages that are no files of `docs`, by their paths."""
    contributing = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    return {
        **reference.pages(),
        **tables.example_pages(ROOT / "examples"),
        "contributing.md": contributing.replace("](docs/", "]("),
    }


def navigation(reference: Reference) -> list[dict[str, list[Any]]]:
    """Return the order of the pages, with decisions, examples and namespaces."""
    nav = copy.deepcopy(PAGES)
    sections = {title: pages for entry in nav for title, pages in entry.items()}
    sections["Examples"] += sorted(tables.example_pages(ROOT / "examples"))
    sections["API"] += _namespaces(reference, "tf")
    decisions = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    sections["Guides"][-1]["Decisions"] += [f"decisions/{path.name}" for path in decisions]
    return nav


def prepare(markdown: str, here: str, reference: Reference) -> str:
    """Fill in generated tables; redirect or drop links that lead out of the documentation."""
    makers = {
        "namespaces": lambda: tables.namespaces(reference),
        "decisions": lambda: tables.decisions(ROOT / "docs" / "decisions"),
        "examples": lambda: tables.examples(ROOT / "examples"),
    }
    text = PLACEHOLDER.sub(lambda match: makers[match[1]](), markdown)
    return LINK.sub(lambda match: _link(match, here), text)


def _link(match: re.Match[str], here: str) -> str:
    """Return a link as it works on the site; only its text where the target is not on it."""
    target, _, anchor = match[3].partition("#")
    folder = posixpath.dirname(here)
    inside = posixpath.normpath(posixpath.join(folder, target))
    if not target or re.match(r"[a-z]+:", target) or not inside.startswith("../"):
        return match[0]
    in_repository = inside.removeprefix("../")
    page = SHOWN_AS.get(in_repository)
    if in_repository.startswith("examples/") and in_repository.endswith(".py"):
        page = in_repository.removesuffix(".py") + ".md"
    if page is None:
        return match[2]
    address = posixpath.relpath(page, folder or ".") + (f"#{anchor}" if anchor else "")
    return f"[{match[2]}]({address})"


def _namespaces(reference: Reference, path: str) -> list[Any]:
    """Return the navigation of a namespace and those below it."""
    page, children = reference.spaces[path].page, reference.spaces[path].children
    below = [entry for child in children for entry in _namespaces(reference, child)]
    if path == "tf":
        return [{"tf": page}, *below]
    return [{path: [page, *below]}] if below else [{path: page}]
