"""The results of calls in a graph have the names that TensorFlow gives them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tapeflow as tf
from tests.parity.naming.programs import FAMILIES, expressions, names_of

# Programs rarely depend on these names: `make parity` compares them, `make test` does not.
pytestmark = pytest.mark.peer

GOLDEN = Path(__file__).parents[2] / "golden" / "graph_names"
RECORDED: dict[str, list[str]] = {
    expression: names
    for family in FAMILIES
    for expression, names in json.loads((GOLDEN / f"{family}.json").read_text("utf-8")).items()
}
SAME = [each for family in FAMILIES for each in expressions(family)[0]]
IN_SCOPE = [each for family in FAMILIES for each in expressions(family)[1]]


def scope(name: str) -> str:
    return name.rpartition("/")[0]


@pytest.mark.parametrize("expression", SAME)
def test_named_as_in_tensorflow(expression: str) -> None:
    assert names_of(tf, expression) == RECORDED[expression]


@pytest.mark.parametrize("expression", IN_SCOPE)
def test_in_the_scope_as_in_tensorflow(expression: str) -> None:
    ours, recorded = names_of(tf, expression), RECORDED[expression]
    assert list(map(scope, ours)) == list(map(scope, recorded))
    # Otherwise it belongs to those that are named alike.
    assert ours != recorded


def test_every_expression_has_one_record() -> None:
    assert len(set(SAME) | set(IN_SCOPE)) == len(SAME) + len(IN_SCOPE)
    assert set(SAME) | set(IN_SCOPE) == set(RECORDED)
