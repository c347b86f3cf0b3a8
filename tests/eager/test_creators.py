"""Variables that are made through the creators of the scopes around them."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from typing import Any

import pytest

import tapeflow as tf

SCOPES = {"eager": lambda make: make(), "function": lambda make: tf.function(make)()}


def noting(log: list[Any], name: str) -> Callable[..., Any]:
    def creator(next_creator: Callable[..., Any], **arguments: Any) -> Any:
        log.append((name, arguments))
        return next_creator(**arguments)

    return creator


@pytest.mark.parametrize("run", SCOPES.values(), ids=SCOPES)
def test_the_innermost_scope_is_asked_first(run: Callable[..., Any]) -> None:
    log: list[Any] = []
    made: list[Any] = []

    def make() -> Any:
        with tf.variable_creator_scope(noting(log, "inner")):
            if not made:
                made.append(tf.Variable(2.0, name="v"))
        return made[0] + 1.0

    with tf.variable_creator_scope(noting(log, "outer")):
        assert float(run(make)) == 3.0
    assert [name for name, _ in log] == ["inner", "outer"]
    assert log[0][1] == log[1][1]
    assert set(log[0][1]) == set(inspect.signature(tf.Variable).parameters)
    assert log[0][1]["initial_value"] == 2.0
    assert log[0][1]["name"] == "v"
    assert log[0][1]["trainable"] is None
    assert log[0][1]["aggregation"] is tf.VariableAggregation.NONE


def test_a_creator_changes_what_is_made() -> None:
    def frozen(next_creator: Callable[..., Any], **arguments: Any) -> Any:
        arguments.update(name="renamed", trainable=False, more="for other creators")
        return next_creator(**arguments)

    with tf.variable_creator_scope(frozen):
        variable = tf.Variable([1.0])
    assert type(variable) is tf.Variable
    assert (variable.name, variable.trainable) == ("renamed:0", False)
    assert tf.Variable([1.0]).trainable


def test_a_creator_may_return_anything() -> None:
    with tf.variable_creator_scope(lambda next_creator, **arguments: "instead"):
        assert tf.Variable(1.0) == "instead"


def test_next_creators_take_arguments_by_name() -> None:
    with (
        tf.variable_creator_scope(lambda next_creator, initial_value, **rest: next_creator(1.0)),
        pytest.raises(TypeError, match="positional"),
    ):
        tf.Variable(1.0)


def test_the_scope_ends_after_an_error() -> None:
    log: list[Any] = []
    with pytest.raises(ValueError, match="initial_value"):  # noqa: SIM117  the error leaves both
        with tf.variable_creator_scope(noting(log, "creator")):
            tf.Variable()
    tf.Variable(1.0)
    assert len(log) == 1


def test_graphs_have_their_own_scopes() -> None:
    log: list[Any] = []
    with tf.variable_creator_scope(noting(log, "eager")), tf.Graph().as_default():
        tf.Variable(1.0)
        with tf.variable_creator_scope(noting(log, "graph")):
            tf.Variable(1.0)
            with tf.Graph().as_default():
                tf.Variable(1.0)
    assert [name for name, _ in log] == ["graph"]


def test_init_scope_leaves_the_scopes_of_the_function() -> None:
    log: list[Any] = []
    made: list[Any] = []

    @tf.function
    def function() -> Any:
        with tf.variable_creator_scope(noting(log, "inner")), tf.init_scope():
            made.append(tf.Variable(1.0))
        return made[0].read_value()

    with tf.variable_creator_scope(noting(log, "outer")):
        function()
    assert {name for name, _ in log} == {"outer"}


def test_scopes_belong_to_their_thread() -> None:
    log: list[Any] = []
    with tf.variable_creator_scope(noting(log, "creator")):
        thread = threading.Thread(target=lambda: tf.Variable(1.0))
        thread.start()
        thread.join()
    assert log == []


def test_subclasses_are_made_as_they_are() -> None:
    class Own(tf.Variable):
        def __init__(self, start: float) -> None:
            super().__init__(start)

    log: list[Any] = []
    with tf.variable_creator_scope(noting(log, "creator")):
        assert type(Own(1.0)) is Own
    assert log == []
    assert list(inspect.signature(Own).parameters) == ["start"]
