"""What the documents show, works: code runs, links lead somewhere."""

from __future__ import annotations

import linecache
import re
from pathlib import Path

import pytest

from tests.public_api import NAMESPACES

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_the_tour_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(
        r"^```python\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.S | re.M
    )
    assert len(blocks) >= 2
    names: dict[str, object] = {}
    for i, block in enumerate(blocks):
        # As in a notebook: the code is to be found where Python looks for the lines of a file.
        name = f"<README block {i}>"
        linecache.cache[name] = (len(block), None, block.splitlines(keepends=True), name)
        exec(compile(block, name, "exec"), names)
    output = capsys.readouterr().out
    assert "tf.Tensor(12.0, shape=(), dtype=float32)" in output
    assert "MatMul" in output


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    # Messages in blocks of code may look like links.
    text = re.sub(r"^```.*?^```|^    .*?$", "", document.read_text("utf-8"), flags=re.S | re.M)
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    missing = [target for target in targets if not _exists(document.parent / target)]
    assert not missing


def _exists(path: Path) -> bool:
    """Whether a file exists, or the site generates it (`docsite`)."""
    inside = path.resolve().relative_to(ROOT)
    match inside.parts:
        case ("docs", "assets", "graph.html"):
            return True
        case ("docs", "api", page):
            return page == "index.md" or page.removesuffix(".md") in NAMESPACES
        case ("docs", "examples", page) if page != "index.md":
            return (ROOT / "examples" / page).with_suffix(".py").exists()
    return path.exists()


def test_performance_page_has_a_benchmark_table() -> None:
    text = (ROOT / "docs" / "performance.md").read_text("utf-8")
    assert text.index("benchmark table: begin") < text.index("benchmark table: end")


def test_files_of_the_architecture_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = set(re.findall(r"`([a-z_]+/[a-z_/*]*(?:\.py|/))`", text)) - {"tapeflow/"}
    assert len(named) > 50
    roots = (ROOT / "src" / "tapeflow" / "_src", ROOT / "src", ROOT)
    missing = [path for path in named if not any(any(root.glob(path)) for root in roots)]
    assert not missing


def test_the_examples_of_the_profiling_page_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "profiling.md").read_text("utf-8")
    names: dict[str, object] = {}
    for block in re.findall(r"^```python\n(.*?)^```", text, re.S | re.M):
        exec(compile(block, "<docs/profiling.md>", "exec"), names)
    assert "2 steps" in capsys.readouterr().out
    assert len(list((tmp_path / "logs").rglob("*.xplane.pb"))) == 1
    assert len(list((tmp_path / "logs" / "train").glob("events.out.tfevents.*"))) == 1


def test_the_examples_of_the_page_on_explanations_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "explain.md").read_text("utf-8")
    names: dict[str, object] = {}
    for i, block in enumerate(re.findall(r"^```python\n(.*?)^```", text, re.S | re.M)):
        name = f"<docs/explain.md block {i}>"
        linecache.cache[name] = (len(block), None, block.splitlines(keepends=True), name)
        exec(compile(block, name, "exec"), names)
    output = capsys.readouterr().out
    for part in (
        "its path to the target ends at ArgMax",
        "best = tf.argmax(w * 2.0)",
        "argument `factor`: Python value 2.0 -> 3.0",
        "[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)]",
        "SqrtGrad gradient of Sqrt y = tf.norm(x[:1]) * 2.0",
        "Advice: ",
        "executables",
    ):
        assert part in output
    assert (tmp_path / "graph.html").stat().st_size > 10_000
    assert str(names["svg"]).startswith("<svg")
