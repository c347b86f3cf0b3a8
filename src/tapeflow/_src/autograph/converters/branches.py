"""`if` statements."""

from __future__ import annotations

import ast

from tapeflow._src.autograph.converters.blocks import Frame
from tapeflow._src.autograph.converters.templates import statements


def convert(node: ast.If, frame: Frame) -> list[ast.stmt]:
    """Return the statements that replace an `if`."""
    state = frame.state(node, [*node.body, *node.orelse])
    body = frame.function("if_body", node.body, state)
    functions: list[ast.stmt] = [body]
    other: str | ast.expr = ast.Constant(None)
    if node.orelse:
        orelse = frame.function("else_body", node.orelse, state)
        functions.append(orelse)
        other = orelse.name
    call = statements(
        "ag__.if_stmt(TEST, BODY, ORELSE, STATE=STATE)",
        node.test,
        TEST=node.test,
        BODY=body.name,
        ORELSE=other,
        STATE=frame.keywords(state, node.test),
    )
    return functions + call
