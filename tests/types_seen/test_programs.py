"""What type checkers and editors see of small programs such as users write.

In `programs/`, a comment behind `reveal_type(...)` says what it has to be, and `# error` stands
behind each line that is wrong; nothing else may be an error. The programs are not run.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
REVEALED = re.compile(r'(?:Revealed type is|Type of ".*" is) "(.+)"')
# By file and line: the types revealed there, and the errors.
Findings = dict[tuple[str, int], list[str]]


def _run(*arguments: str) -> str:
    result = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    return result.stdout or result.stderr


@cache
def mypy() -> Findings:
    output = _run("-m", "mypy", "--no-error-summary", *map(str, PROGRAMS))
    found: Findings = defaultdict(list)
    for line in output.splitlines():
        match = re.match(r"(.+?):(\d+): (?:note|error): (.*)", line)
        assert match, output
        found[Path(match[1]).name, int(match[2])].append(match[3])
    return found


@cache
def pyright() -> Findings:
    config = ROOT / "tests" / "types_seen" / "pyright.json"
    output = _run("-m", "basedpyright", "--project", str(config), "--outputjson")
    found: Findings = defaultdict(list)
    for diagnostic in json.loads(output)["generalDiagnostics"]:
        line = diagnostic["range"]["start"]["line"] + 1
        found[Path(diagnostic["file"]).name, line].append(diagnostic["message"])
    return found


CHECKERS = {"mypy": mypy, "pyright": pyright}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.parametrize("checker", CHECKERS)
def test_type_checkers_see_the_types_and_the_mistakes(program: Path, checker: str) -> None:
    found = CHECKERS[checker]()
    for number, line in enumerate(program.read_text(encoding="utf-8").splitlines(), 1):
        messages = found.get((program.name, number), [])
        revealed = [m[1] for message in messages if (m := REVEALED.match(message))]
        code, _, expected = line.partition("  # ")
        if "reveal_type(" in code:
            # `tapeflow._src.core.tensor.Tensor` or `ndarray[Any, dtype[Any]]`, by the checker.
            names = [re.sub(r"\[.*", "", name).rpartition(".")[2] for name in revealed]
            assert names == [expected], (line, messages)
        elif expected == "error":
            assert messages, line
        else:
            assert not messages, (line, messages)


COMPLETIONS = {
    "tf.keras.layers.De": "Dense",
    "tf.keras.layers.Multi": "MultiHeadAttention",
    "tf.reduce_me": "reduce_mean",
    "tf.constant(1.0).nu": "numpy",
    "tf.Variable(1.0).assign_": "assign_add",
    "tf.keras.Sequential([]).fi": "fit",
    "tf.data.Dataset.range(3).ba": "batch",
    "tf.nn.soft": "softmax",
    "tf.GradientTape().gra": "gradient",
}
# In a process of its own: jedi gives up where the stack is as deep as in a test.
_COMPLETE = """
import json, sys, jedi
root, *texts = sys.argv[1:]
project = jedi.Project(root, added_sys_path=[root + "/src"])
for text in texts:
    script = jedi.Script("import tapeflow as tf\\n" + text, project=project)
    print(json.dumps([each.name for each in script.complete(2, len(text))]))
"""


def test_editors_complete_names() -> None:
    output = _run("-c", _COMPLETE, str(ROOT), *COMPLETIONS)
    offered = dict(zip(COMPLETIONS, map(json.loads, output.splitlines()), strict=True))
    assert {text: name for text, name in COMPLETIONS.items() if name not in offered[text]} == {}


def test_the_package_says_that_it_is_typed() -> None:
    spec = importlib.util.find_spec("tapeflow")
    assert spec is not None and spec.origin is not None
    assert (Path(spec.origin).parent / "py.typed").exists()
