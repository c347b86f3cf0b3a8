"""Variables made by functions: on the first call, and only then."""

from __future__ import annotations

import pytest

import tapeflow as tf

SINGLETON = "must be singletons"
LATE = "create variables on a call after the first"


def test_variables_are_created_once_and_traced_twice():
    made, traces = [], []

    @tf.function
    def function(x):
        traces.append(1)
        if not made:
            made.append(tf.Variable(2.0))
        return x * made[0]

    assert function(tf.constant(1.0)).numpy() == 2
    assert len(traces) == 2
    assert function(tf.constant(3.0)).numpy() == 6
    assert len(traces) == 2
    made[0].assign(5.0)
    assert function(tf.constant([3.0])).numpy() == [15]
    assert len(traces) == function.experimental_get_tracing_count() == 3


def test_without_variables_it_is_traced_once():
    function = tf.function(lambda x: x)
    function(tf.constant(1.0))
    assert function.experimental_get_tracing_count() == 1


def test_creating_variables_at_every_call_raises():
    @tf.function
    def function(x):
        return x + tf.Variable(1.0)

    for _ in range(2):
        with pytest.raises(ValueError, match=SINGLETON):
            function(tf.constant(1.0))
    with pytest.raises(ValueError, match=SINGLETON):
        function.get_concrete_function(tf.TensorSpec([]))


def test_variables_created_by_a_later_trace():
    made = []

    @tf.function
    def function(x, make):
        if make:
            made.append(tf.Variable(2.0))
        return x

    function(tf.constant(1.0), False)
    with pytest.raises(ValueError, match=LATE):
        function(tf.constant(1.0), True)


def test_one_more_made_late():
    made = []

    @tf.function
    def function(x, count):
        if len(made) < count:
            made.append(tf.Variable(2.0))
        return x

    function(tf.constant(1.0), 1)
    with pytest.raises(ValueError, match=SINGLETON):
        function(tf.constant(1.0), 2)
    assert len(made) == 1


@pytest.mark.parametrize(
    "initial",
    [
        lambda x: 3.0,
        lambda x: tf.constant(3.0),
        lambda x: x * 3,
        lambda x: lambda: 3.0,
        lambda x: tf.ones([]) + 2.0,
    ],
    ids=["number", "constant", "from an argument", "function", "computed"],
)
def test_initial_values(initial):
    made = []

    @tf.function
    def function(x):
        if not made:
            made.append(tf.Variable(initial(x)))
        return x + made[0]

    assert function(tf.constant(1.0)).numpy() == 4
    assert made[0].numpy() == 3
    assert function(tf.constant(10.0)).numpy() == 13


def test_initial_values_across_nested_functions():
    made = []

    @tf.function
    def inner(x):
        if not made:
            made.append(tf.Variable(x * 2))
        return x + made[0]

    @tf.function
    def outer(x):
        return inner(x + 1)

    assert outer(tf.constant(1.0)).numpy() == 6
    assert made[0].numpy() == 4
    assert outer(tf.constant(2.0)).numpy() == 7
    assert inner(tf.constant(2.0)).numpy() == 6


def test_a_concrete_function_makes_them_too():
    made = []

    @tf.function
    def function(x):
        if not made:
            made.append(tf.Variable(3.0))
        return x + made[0]

    concrete = function.get_concrete_function(tf.TensorSpec([]))
    assert concrete(tf.constant(1.0)).numpy() == 4
    assert function.experimental_get_tracing_count() == 2


def test_an_initial_value_from_a_spec_has_no_value():
    made = []

    @tf.function
    def function(x):
        if not made:
            made.append(tf.Variable(x))
        return made[0] + x

    with pytest.raises(ValueError, match="depends on an argument that has no value"):
        function.get_concrete_function(tf.TensorSpec([]))


def test_outside_of_the_graph_they_may_be_made_at_each_trace():
    made = []

    @tf.function
    def function(x):
        with tf.init_scope():
            made.append(tf.Variable(1.0))
        return x

    function(tf.constant(1.0))
    function(tf.constant([1.0]))
    assert len(made) == 2


def test_a_failed_first_call_is_not_the_first_call():
    made = []

    @tf.function
    def function(x, fail):
        if fail:
            raise KeyError("no")
        if not made:
            made.append(tf.Variable(2.0))
        return x * made[0]

    with pytest.raises(KeyError):
        function(tf.constant(1.0), True)
    assert function(tf.constant(1.0), False).numpy() == 2


def test_names():
    made = []

    @tf.function
    def function():
        if not made:
            with tf.name_scope("scope"):
                made.append(tf.Variable(2.0, name="v"))
        return made[0] + 0.0

    function()
    assert made[0].name == "scope/v:0"
