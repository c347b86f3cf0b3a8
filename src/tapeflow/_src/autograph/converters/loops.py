"""`while` and `for` loops, whose `break`, `continue` and `else` have been rewritten."""

from __future__ import annotations

import ast

from tapeflow._src.autograph.analysis.notes import exit_flag_of, options_of
from tapeflow._src.autograph.converters.blocks import Frame, State
from tapeflow._src.autograph.converters.lists import appended
from tapeflow._src.autograph.converters.templates import expression, statements


def convert_while(node: ast.While, frame: Frame) -> list[ast.stmt]:
    """Return the statements that replace a `while` loop."""
    state = frame.state(node, [node.test, *node.body])
    lists = _lists(node, state)
    result: list[ast.stmt] = [ast.copy_location(ast.Return(node.test), node.test)]
    test = frame.function("loop_test", result, state)
    body = frame.function("loop_body", node.body, state)
    call = statements(
        "ag__.while_stmt(TEST, BODY, STATE=STATE)",
        node.test,
        TEST=test.name,
        BODY=body.name,
        STATE=[*frame.keywords(state, node.test), *lists, *_options(node)],
    )
    return [test, body, *call]


def convert_for(node: ast.For, frame: Frame) -> list[ast.stmt]:
    """Return the statements that replace a `for` loop."""
    state = frame.state(node, [node.target, *node.body])
    lists = _lists(node, state)
    item = frame.context.fresh("item")
    bind = statements("TARGET = ITEM", node.target, TARGET=node.target, ITEM=item)
    body = frame.function("loop_body", [*bind, *node.body], state, parameter=item)
    call = statements(
        "ag__.for_stmt(ITERABLE, BODY, STATE=STATE)",
        node.iter,
        ITERABLE=node.iter,
        BODY=body.name,
        STATE=[*frame.keywords(state, node.iter), *lists, *_ends(node, state), *_options(node)],
    )
    return [body, *call]


def _lists(node: ast.For | ast.While, state: State) -> list[ast.keyword]:
    """Return the keyword for lists that grow in the loop."""
    names = sorted(appended(node.body) & state.live)
    constants: list[ast.expr] = [ast.Constant(name) for name in names]
    return [ast.keyword("lists", ast.Tuple(constants, ast.Load()))] if names else []


def _ends(node: ast.For, state: State) -> list[ast.keyword]:
    """Return the further keywords of a `for` loop: its break flag and its target."""
    keywords = []
    until = exit_flag_of(node)
    if until is not None:
        keywords.append(ast.keyword("until", expression("lambda: FLAG", node.iter, FLAG=until)))
    if isinstance(node.target, ast.Name) and node.target.id in state.live:
        keywords.append(ast.keyword("target", ast.Constant(node.target.id)))
    return keywords


def _options(node: ast.For | ast.While) -> list[ast.keyword]:
    """Return the options, evaluated only if the loop is staged, and before it starts."""
    options = options_of(node)
    if not options:
        return []
    mapping = ast.Dict([ast.Constant(each.arg) for each in options], [o.value for o in options])
    return [ast.keyword("options", expression("lambda: GIVEN", node, GIVEN=mapping))]
