"""Code from templates."""

from __future__ import annotations

import ast

import pytest

from tapeflow._src.autograph.converters.templates import expression, statements

PLACE = ast.parse("\n\n   \nx = 1").body[0]


def test_parts_are_filled_in() -> None:
    made = statements(
        "def NAME(ITEM): BODY",
        PLACE,
        NAME="f",
        ITEM="x",
        BODY=ast.parse("y = x\nreturn y").body,
    )
    assert ast.unparse(made) == "def f(x):\n    y = x\n    return y"


def test_keywords_are_filled_in() -> None:
    made = expression("f(A, STATE=STATE)", PLACE, A="x", STATE=[ast.keyword("k", ast.Constant(1))])
    assert ast.unparse(made) == "f(x, k=1)"
    assert ast.unparse(expression("f(A, STATE=STATE)", PLACE, A="x", STATE=[])) == "f(x)"


def test_a_template_is_not_changed_by_its_use() -> None:
    for name in ("a", "b"):
        assert ast.unparse(expression("X + X", PLACE, X=name)) == f"{name} + {name}"


def test_new_nodes_stand_where_they_are_told_and_others_where_they_stood() -> None:
    inside = ast.parse("\n\n\n\n\n\ny").body[0].value  # type: ignore[attr-defined]
    made = expression("f(X)", PLACE, X=inside)
    assert made.lineno == PLACE.lineno == 4
    assert made.args[0].lineno == 7  # type: ignore[attr-defined]


def test_a_statement_is_no_expression() -> None:
    with pytest.raises(TypeError, match="not an expression"):
        expression("x = 1", PLACE)
