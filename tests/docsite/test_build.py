"""The site builds without a warning, and its pages load nothing from the network."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from docsite.__main__ import api_entry, network_requests

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="pip install '.[docs]'")
def test_the_site_builds(tmp_path: Path) -> None:
    site = tmp_path / "site"
    run = subprocess.run(
        [sys.executable, "-m", "docsite", "--output", str(site), "--work", str(tmp_path / "work")],
        cwd=ROOT,
        env={"PYTHONPATH": "src:.", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert (site / "index.html").as_uri() in run.stdout
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    titles = {entry["title"]: entry["location"] for entry in index["docs"]}
    assert titles["softmax · tf.nn.softmax"] == "api/tf.nn.html#tf.nn.softmax"
    assert (
        "GradientTape.gradient · tf.GradientTape.gradient" in titles
        and "Coming from TensorFlow" in titles
    )


def test_names_are_searched_whole_and_by_their_last_part() -> None:
    text = "<p>Also <code>tf.x</code>.</p> <p>Compute it.</p> <p>More.</p>"
    assert api_entry("api/tf.nn.html", "tf.nn.softmax", text) == {
        "title": "softmax · tf.nn.softmax",
        "text": "<p>Compute it.</p>",
        "boost": 1.0,
    }
    assert api_entry("api/tf.data.html", "tf.data.Dataset.map", text) == {
        "title": "Dataset.map · tf.data.Dataset.map",
        "text": "<p>map</p> <p>Compute it.</p>",
        "boost": 0.2,
    }


def test_requests_to_other_hosts_are_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text('<a href="https://a.org">a</a><script src="assets/b.js"></script>', "utf-8")
    assert network_requests(tmp_path) == []
    page.write_text(
        '<script src="https://a.org/b.js"></script><link rel=stylesheet href=https://a.org/c>'
        '<img src="//a.org/d.png">',
        "utf-8",
    )
    assert len(network_requests(tmp_path)) == 3
