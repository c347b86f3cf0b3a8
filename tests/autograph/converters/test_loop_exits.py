"""`break`, `continue` and `else` of loops, rewritten alone."""

from __future__ import annotations

import ast
import itertools
import textwrap
from contextlib import nullcontext
from typing import Any

import pytest

from tapeflow._src.autograph.analysis.notes import exit_flag_of
from tapeflow._src.autograph.converters import loop_exits
from tapeflow._src.autograph.converters.templates import statements
from tapeflow._src.autograph.errors import UnsupportedFeature
from tests.autograph.helpers import outcome, parsed, stepped

PROGRAMS = [
    "for i in range(a):\n  if i == b: break\n  log.append(i)",
    "for i in range(a):\n  if i == b: continue\n  log.append(i)",
    "for i in range(a):\n  if i == b: break\nelse:\n  log.append('else')",
    "for i in range(a):\n  log.append(i)\nelse:\n  log.append('else')",
    "while a:\n  a -= 1\n  if a == b: break\n  log.append(a)\nelse:\n  log.append('else')",
    "for i in range(a):\n  if i:\n    if i == b: continue\n    log.append('x')\n  log.append(i)",
    "for i in range(a):\n  if i:\n    if i == b: break\n    log.append('x')\n  log.append(i)",
    "for i in range(a):\n  if i == b:\n    log.append('y')\n    continue\n  else:\n"
    "    log.append(1)",
    "for i in range(a):\n  if i > 1: continue\n  if i == b: break\n  log.append(i)",
    "for i in range(a):\n  for j in range(b):\n    if j == i: break\n  else:\n"
    "    continue\n  log.append(i)",
    "for i in range(a):\n  with nullcontext():\n    if i == b: continue\n"
    "    log.append('w')\n  log.append(i)",
    "for i in range(a):\n  with nullcontext():\n    if i == b: continue\n    log.append('w')",
    "for i in range(a):\n  try:\n    if i == b: break\n  finally:\n"
    "    log.append('f')\n  log.append(i)",
    "for i in range(a):\n  try:\n    if i == b: continue\n  except KeyError: pass\n"
    "  else:\n    log.append('e')\n  log.append(i)",
    "for i in range(a):\n  match i:\n    case 1: continue\n    case 2: break\n  log.append(i)",
    "while True:\n  if a > 3: break\n  a += 1\n  if b: continue\n  log.append(a)",
    "for i in range(a):\n  break\n  log.append(1)",
    "while (x := a - 1) > 0:\n  a = x\n  if x == b: continue\n  log.append(x)\nlog.append(x)",
    "while (x := a - 1) > 0:\n  a = x\n  if x == b: break\nelse:\n  log.append('e')\nlog.append(x)",
    "for i in range(a):\n  continue\n  log.append(1)",
    "for i in range(a):\n  if i == b: pass\n  elif i == 1: break\n  else: continue\n"
    "  log.append(i)",
]


class _Runnable(ast.NodeTransformer):
    """Gives a `for` loop that carries a flag the `break` that its operator would do."""

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        flag = exit_flag_of(node)
        if flag is not None:
            node.body += statements("if FLAG: break", node, FLAG=flag)
        return node


def run(body: str, a: int, b: int, *, rewritten: bool) -> Any:
    node, context = parsed("def f(a, b):\n" + textwrap.indent(body, "    "))
    if rewritten:
        node = _Runnable().visit(loop_exits.convert(node, context))
    log: list[Any] = []
    scope: dict[str, Any] = {"log": log, "nullcontext": nullcontext}
    exec(ast.unparse(node), scope)
    return outcome(scope["f"], a, b), log


@pytest.mark.parametrize("body", PROGRAMS)
def test_the_function_does_the_same(body: str) -> None:
    for a, b in itertools.product(range(5), range(4)):
        assert run(body, a, b, rewritten=True) == run(body, a, b, rewritten=False)


@pytest.mark.parametrize("body", PROGRAMS)
def test_no_exit_is_left(body: str) -> None:
    node, context = parsed("def f(a, b):\n" + textwrap.indent(body, "    "))
    loop_exits.convert(node, context)
    kinds = (ast.Break, ast.Continue)
    assert not any(isinstance(each, kinds) for each in ast.walk(node))
    loops = [each for each in ast.walk(node) if isinstance(each, ast.For | ast.While)]
    assert not any(loop.orelse for loop in loops)


def test_continue_needs_no_flag_where_the_rest_can_be_the_other_branch() -> None:
    text = stepped(loop_exits.convert, "def f(x):\n  for i in x:\n    if i: continue\n    g(i)")
    assert text == textwrap.dedent("""\
        def f(x):
            for i in x:
                if i:
                    pass
                else:
                    g(i)""")


def test_an_exit_in_finally_is_refused() -> None:
    with pytest.raises(UnsupportedFeature, match="finally"):
        stepped(loop_exits.convert, "def f(x):\n  for i in x:\n    try: pass\n    finally: break")
