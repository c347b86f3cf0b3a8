"""Build the site: `python -m docsite [--output site]`, usually by `make docs`."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from docsite.stage import ROOT, stage

# What a browser loads without being asked; links are not.
LOADED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\bsrc=[\"']?(https?:)?//[^\s\"'>]+"
    r"|<link\b(?=[^>]*rel=[\"']?(?:stylesheet|preconnect|preload|icon))[^>]*href=[\"']?https?://[^\s>]+"
)


def build(output: Path, work: Path) -> None:
    """Stage the documentation in `work` and build it to `output`; warnings are errors."""
    configuration = stage(work)
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"]
    command += ["--config-file", str(configuration), "--site-dir", str(output.resolve())]
    subprocess.run(command, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})


def shorten_search_index(folder: Path) -> None:
    """Leave names and summaries of the API reference: browsers read all of the index.

    It is stored twice, as JSON and, for pages that are opened as files, as a script.
    """
    path = folder / "search" / "search_index.json"
    index = json.loads(path.read_text("utf-8"))
    for entry in index["docs"]:
        page, _, anchor = entry["location"].partition("#")
        if page.startswith("api/tf") and anchor.startswith("tf."):
            entry.update(api_entry(page, anchor, entry["text"]))
    text = json.dumps(index, separators=(",", ":"))
    path.write_text(text, "utf-8")
    path.with_suffix(".js").write_text(f"var __index = {text}", "utf-8")


def api_entry(page: str, name: str, text: str) -> dict[str, str | float]:
    """Return title and text for the search, to which a dotted name is one word.

    `softmax` and `tf.nn.softmax` find the function, `Dataset.map` and `map` the method.
    """
    inside = name.removeprefix(page.removeprefix("api/").removesuffix("html"))
    paragraphs = re.findall(r"<p>(?!Also |Inherits ).*?</p>", text, re.S)
    # `softmax` also begins `Softmax.get_config`: functions and classes come first.
    is_method = "." in inside
    words = [f"<p>{inside.rpartition('.')[2]}</p>"] if is_method else []
    return {
        "title": f"{inside} · {name}",
        "text": " ".join(words + paragraphs[:1]),
        "boost": 0.2 if is_method else 1.0,
    }


def network_requests(folder: Path) -> list[str]:
    """Return what the pages of a built site would load from other hosts."""
    return [
        f"{path.relative_to(folder)}: {match[0]}"
        for path in sorted(folder.rglob("*.html"))
        for match in LOADED.finditer(path.read_text("utf-8"))
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("--output", type=Path, default=ROOT / "site")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "docs")
    options = parser.parse_args()
    try:
        build(options.output, options.work)
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
    shorten_search_index(options.output)
    requests = network_requests(options.output)
    if requests:
        sys.exit("these pages would load files from the network:\n" + "\n".join(requests))
    pages = sum(1 for _ in options.output.rglob("*.html"))
    print(f"{pages} pages: {(options.output / 'index.html').resolve().as_uri()}")


if __name__ == "__main__":
    main()
