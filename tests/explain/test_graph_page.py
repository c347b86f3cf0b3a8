"""The page of a graph in a browser: scopes open and close, stages change, nothing fails."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--window-size=1000,700", "--virtual-time-budget=2000", "--dump-dom"),
)
# Runs after the viewer: does what a user does, and writes down what is seen.
SCRIPT = """
<script>
{
const seen = [], boxes = () => document.querySelectorAll("#canvas .node").length;
const click = (selector) => document.querySelector(selector)
  .dispatchEvent(new MouseEvent("click", { bubbles: true }));
window.addEventListener("error", (event) => seen.push("error " + event.message));
seen.push("expanded " + boxes());
click("#collapse"); seen.push("collapsed " + boxes());
click('.node[data-key="scope layer"]'); seen.push("opened " + boxes());
click('.node[data-key="op layer/Relu"]');
seen.push("details " + document.querySelector("#details").textContent);
const stage = document.querySelector("#stage");
stage.value = 0; stage.dispatchEvent(new Event("change"));
seen.push("traced " + boxes());
const search = document.querySelector("#search");
search.value = "layer/relu"; search.dispatchEvent(new Event("input"));
seen.push("matches " + document.querySelectorAll(".node.match").length);
const before = document.querySelector("#canvas").getAttribute("viewBox");
document.querySelector("#canvas").dispatchEvent(
  new WheelEvent("wheel", { deltaY: -300, clientX: 300, clientY: 300, cancelable: true }));
const [, , w0] = before.split(" ").map(Number);
const [, , w1] = document.querySelector("#canvas").getAttribute("viewBox").split(" ").map(Number);
seen.push("zoomed " + (w1 < w0));
document.body.dataset.seen = seen.join(" | ");
}
</script>
"""


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_the_viewer_works_in_a_browser(tmp_path: Path) -> None:
    @tf.function
    def small(x: Any) -> Any:
        with tf.name_scope("layer"):
            hidden = tf.nn.relu(x @ tf.ones([2, 2])) * 1.0
        return tf.reduce_sum(hidden)

    explained = tf.explain.graph(small, tf.ones([3, 2]), profile=True)
    path = tmp_path / "graph.html"
    path.write_text(explained.to_html().replace("</body>", SCRIPT + "</body>"), "utf-8")
    command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", path.as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    match = re.search(r'data-seen="([^"]*)"', dom)
    assert match, dom[-2000:]
    seen = dict(part.split(" ", 1) for part in match[1].split(" | "))
    nodes, traced = explained.stage().nodes, explained.stage("as traced").nodes
    inside = sum(node.name.startswith("layer/") for node in nodes)
    assert "error" not in seen
    assert int(seen["expanded"]) == len(nodes) + 1
    assert int(seen["collapsed"]) == len(nodes) - inside + 2
    assert int(seen["opened"]) > int(seen["collapsed"])
    assert "float32[3, 2]" in seen["details"]
    assert "test_graph_page.py:" in seen["details"]
    assert int(seen["traced"]) == len(traced) + 1
    assert seen["matches"] == "1"
    assert seen["zoomed"] == "true"
