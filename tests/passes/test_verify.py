"""The verifier: what it finds wrong with graphs that were tampered with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.passes import pipeline
from tapeflow._src.passes.verify import InvalidGraph, verify
from tests.passes.graphs import Traced

X = ((2,), "float32")


def last(body: Body) -> Any:
    return body.graph.nodes[-1]


def put_first(body: Body) -> None:
    body.graph.nodes.insert(0, body.graph.nodes.pop())


def name_twice(body: Body) -> None:
    last(body).name = body.graph.nodes[0].name


def take_from_elsewhere(body: Body) -> None:
    other = Traced(lambda x: x, X).body
    last(body).operands = (other.inputs[0], last(body).operands[1])


def lose_an_operand(body: Body) -> None:
    last(body).operands = last(body).operands[:1]


def make_a_list(body: Body) -> None:
    last(body).operands = (last(body).operands, last(body).operands[1])


def add_an_attribute(body: Body) -> None:
    last(body).attrs = {"axis": 1}


def change_the_dtype(body: Body) -> None:
    last(body).outputs[0]._dtype = tf.int32


def change_the_shape(body: Body) -> None:
    last(body).outputs[0].static_shape = (5,)


def give_another_output(body: Body) -> None:
    node = last(body)
    node.outputs = (*node.outputs, SymbolicTensor(node, 1, (2,), tf.float32))


def belong_elsewhere(body: Body) -> None:
    last(body).graph = Traced(lambda x: x, X).body.graph


def wait_for_the_future(body: Body) -> None:
    body.graph.nodes[0].control_inputs = (last(body),)


def give_what_is_not_there(body: Body) -> None:
    body.outputs = (Traced(lambda x: x, X).body.inputs[0],)


def take_what_is_no_input(body: Body) -> None:
    body.inputs = (last(body).outputs[0],)


@pytest.mark.parametrize(
    ("tamper", "message"),
    [
        (put_first, "not computed before it"),
        (name_twice, "the name of another"),
        (take_from_elsewhere, "not computed before it"),
        (lose_an_operand, "has 1 operands, not 2"),
        (make_a_list, "an operand of kind T"),
        (add_an_attribute, "has the attributes"),
        (change_the_dtype, "should be"),
        (change_the_shape, "should be"),
        (give_another_output, "has 2 outputs, not 1"),
        (belong_elsewhere, "belongs to another graph"),
        (wait_for_the_future, "does not come before it"),
        (give_what_is_not_there, "is not computed in the graph"),
        (take_what_is_no_input, "is a placeholder of its graph"),
    ],
)
def test_what_is_wrong_with_a_graph(tamper: Callable[[Body], None], message: str) -> None:
    body = Traced(lambda x: tf.exp(x) + x, X).body
    tamper(body)
    with pytest.raises(InvalidGraph, match=message):
        verify(body)


def branch(body: Body) -> Any:
    return next(node for node in body.graph.nodes if node.type == "StatelessIf")


def lose_an_input(body: Body) -> None:
    inner = branch(body).attrs["then_branch"]
    inner.inputs = inner.inputs[:-1]


def lose_a_result(body: Body) -> None:
    branch(body).attrs["else_branch"].outputs = ()


@pytest.mark.parametrize("tamper", [lose_an_input, lose_a_result])
def test_bodies_that_do_not_fit(tamper: Callable[[Body], None]) -> None:
    body = Traced(lambda x: tf.cond(x[0] > 0.0, lambda: x * 2.0, lambda: x), X).body
    tamper(body)
    with pytest.raises(InvalidGraph):
        verify(body)


def test_every_pass_can_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "_VERIFYING", True)
    checked: list[Body] = []
    monkeypatch.setattr(pipeline, "verify", lambda body: checked.append(verify(body)) or body)
    traced = Traced(lambda x: tf.identity(x) * 1.0, X)
    assert not [n for n in pipeline.optimize(traced.body).nodes() if n.type == "Mul"]
    assert len(checked) == len(pipeline.PASSES)  # the body itself, and all but the stripping
