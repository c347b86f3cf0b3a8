"""The source of a function, wherever it was written."""

from __future__ import annotations

import ast
import linecache
import os
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest

import tapeflow
from tapeflow._src.autograph import sources
from tapeflow._src.autograph.errors import SourceNotFound
from tests.autograph.helpers import define


def text_of(function: Any) -> str:
    return ast.unparse(sources.definition_of(function).node)


def decorated(function: Any) -> Any:
    return function


@decorated
@decorated
def with_decorators(x: int) -> int:
    return x


class Owner:
    def method(self, x: int) -> int:
        return x

    @staticmethod
    def static(x: int) -> int:
        return x

    def __private(self, __x: int) -> int:
        return __x

    class Inner:
        def method(self) -> int:
            return 1


def test_functions_in_files() -> None:
    assert text_of(with_decorators).startswith("@decorated\n@decorated\ndef with_decorators(x")
    assert text_of(Owner.method).startswith("def method(self, x")
    assert text_of(Owner.static).startswith("@staticmethod")


def test_the_class_of_a_method() -> None:
    assert sources.definition_of(with_decorators).class_name is None
    assert sources.definition_of(Owner.method).class_name == "Owner"
    assert sources.definition_of(Owner.Inner.method).class_name == "Inner"
    private: Any = vars(Owner)["_Owner__private"]
    assert sources.definition_of(private).class_name == "Owner"


def test_nodes_know_their_lines() -> None:
    node = sources.definition_of(with_decorators).node
    assert isinstance(node, ast.FunctionDef)
    assert node.body[0].lineno == with_decorators.__code__.co_firstlineno + 3


def test_a_tree_may_be_changed_at_will() -> None:
    sources.definition_of(with_decorators).node.args.args.clear()
    assert "x: int" in text_of(with_decorators)


def test_lambdas_on_one_line() -> None:
    one, two, (three, four) = (lambda x: x), (lambda x: x + 1), (lambda x: 2, lambda x: lambda y: x)
    assert text_of(one) == "lambda x: x"
    assert text_of(two) == "lambda x: x + 1"
    assert text_of(three) == "lambda x: 2"
    assert text_of(four) == "lambda x: lambda y: x"
    assert text_of(four(1)) == "lambda y: x"


def test_equal_lambdas_on_one_line() -> None:
    one, two = (lambda x: x), (lambda x: x)
    assert text_of(one) == text_of(two) == "lambda x: x"


def test_lambdas_over_several_lines() -> None:
    function = [
        lambda x: (
            x
            + 1
        )
    ][0]  # fmt: skip
    assert text_of(function) == "lambda x: x + 1"


def test_text_in_linecache_as_notebooks_have_it() -> None:
    assert text_of(define("def f(x):\n    return x")) == "def f(x):\n    return x"


def test_text_run_by_exec() -> None:
    text = "def early(): pass\n\ndef typed(x):\n    return x * 2\n"
    scope: dict[str, Any] = {"__name__": "typed_module"}
    exec(text, scope)
    assert text_of(scope["typed"]) == "def typed(x):\n    return x * 2"


def test_text_run_by_exec_from_a_literal() -> None:
    scope: dict[str, Any] = {}
    exec("literal = lambda x: x * 3", scope)
    assert text_of(scope["literal"]) == "lambda x: x * 3"


def from_elsewhere() -> Any:
    scope: dict[str, Any] = {"__name__": "gone"}
    exec("".join(["def gone", "(x): return x"]), scope)
    return scope["gone"]


def test_text_that_is_gone() -> None:
    with pytest.raises(SourceNotFound, match=r"gone is not available.*<string>.*linecache"):
        sources.definition_of(from_elsewhere())


def test_other_text_with_the_same_name_is_not_believed() -> None:
    gone = "def gone(x): return x + 1"
    assert gone
    with pytest.raises(SourceNotFound):
        sources.definition_of(from_elsewhere())


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    scope: dict[str, Any] = {}
    exec(compile("def f(): pass", str(tmp_path / "gone.py"), "exec"), scope)
    with pytest.raises(SourceNotFound, match=r"no such function in line 1 of .*gone\.py"):
        sources.definition_of(scope["f"])


def test_a_file_that_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("def f(x): return x\n")
    scope: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    assert text_of(scope["f"]) == "def f(x):\n    return x"
    path.write_text("# a comment more\ndef f(x): return x\n")
    linecache.clearcache()
    with pytest.raises(SourceNotFound):
        sources.definition_of(scope["f"])


PROGRAM = """
import tapeflow as tf
from tapeflow._src.autograph.api import convert_entity
def f(x):
    if x > 0:
        y = x
    else:
        y = -x
    return y

g = tf.function(convert_entity(f), autograph=False)
print('result', g(tf.constant(-3)).numpy())
"""


def run(*arguments: str, given: str | None = None, file: IO[str] | None = None) -> str:
    source = str(Path(tapeflow.__file__).parents[1])
    stdin: dict[str, Any] = {"input": given} if file is None else {"stdin": file}
    result = subprocess.run(
        [sys.executable, *arguments],
        **stdin,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": source},
    )
    return result.stdout + result.stderr


def test_a_program_on_the_command_line() -> None:
    assert "result 3" in run("-c", PROGRAM)


@pytest.mark.skipif(not hasattr(os, "pread"), reason="no reading at a position here")
def test_a_program_from_a_file_as_standard_input(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM + "print('and on')\n")
    with program.open() as file:
        told = run("-", file=file)
    assert "result 3" in told and "and on" in told


def test_a_shell_with_a_history() -> None:
    """What `readline` keeps is what was typed; here it is put there by hand."""
    typed = PROGRAM.strip().split("\n")
    remember = "; ".join(f"readline.add_history({line!r})" for line in typed if line)
    program = f"import readline; {remember}\n" + PROGRAM
    pytest.importorskip("readline", reason="this Python was built without readline")
    assert "result 3" in run("-i", given=program)
