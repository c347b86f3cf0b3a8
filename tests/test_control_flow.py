"""Branches, loops and Python functions: eagerly and in graphs, and what is refused."""

from __future__ import annotations

import sys
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

ROWS = np.arange(6.0, dtype=np.float32).reshape(3, 2)
both = pytest.mark.parametrize("traced", [False, True], ids=["eager", "graph"])
Pair = namedtuple("Pair", "a b")


def run(traced: bool, function: Any, *args: Any) -> Any:
    return (tf.function(function, autograph=False) if traced else function)(*args)


def plain(result: Any) -> Any:
    """Nested lists of what tensors hold."""
    return tf.nest.map_structure(
        lambda t: t.to_list() if isinstance(t, tf.RaggedTensor) else np.asarray(t).tolist(), result
    )


# -- branches ---------------------------------------------------------------------------------


@both
def test_cond_takes_a_branch(traced: bool) -> None:
    def program(x: Any) -> Any:
        return tf.cond(x > 0, lambda: {"a": x * 2, "b": [x]}, lambda: {"a": x, "b": [-x]})

    assert plain(run(traced, program, tf.constant(3.0))) == {"a": 6, "b": [3]}
    assert plain(run(traced, program, tf.constant(-3.0))) == {"a": -3, "b": [3]}


@both
def test_cond_takes_composites_and_nothing(traced: bool) -> None:
    yes = tf.constant(True)

    def arrays() -> Any:
        return tf.cond(
            tf.identity(yes),
            lambda: tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0]),
            lambda: tf.TensorArray(tf.float32, 2).unstack([3.0, 4.0]),
        ).stack()

    assert plain(run(traced, arrays)) == [1, 2]
    assert run(traced, lambda: tf.cond(tf.identity(yes), lambda: None, lambda: None)) is None


@both
def test_case_takes_the_first_that_holds(traced: bool) -> None:
    def program(x: Any) -> Any:
        return tf.case(
            [(x < 0, lambda: tf.constant(-1)), (x < 10, lambda: tf.constant(1))],
            default=lambda: tf.constant(2),
        )

    assert [plain(run(traced, program, tf.constant(v))) for v in (-5, 5, 50)] == [-1, 1, 2]


@both
def test_case_without_default_or_with_two(traced: bool) -> None:
    def one(x: Any) -> Any:
        return tf.case([(x < 0, lambda: tf.constant(1)), (x > 9, lambda: tf.constant(2))])

    assert plain(run(traced, one, tf.constant(10))) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="no predicate is True"):
        run(traced, one, tf.constant(5))

    def two(x: Any) -> Any:
        pairs = [(x < 10, lambda: tf.constant(1)), (x < 20, lambda: tf.constant(2))]
        return tf.case(pairs, default=lambda: tf.constant(3), exclusive=True)

    assert plain(run(traced, two, tf.constant(15))) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="more than 1 predicate"):
        run(traced, two, tf.constant(5))


@pytest.mark.parametrize("exclusive", [False, True])
def test_case_asserts_where_a_session_runs_the_graph(exclusive: bool) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.int32, [])
        pairs = [(x > 1, lambda: tf.constant(1)), (x > 0, lambda: tf.constant(2))]
        chosen = tf.case(pairs if exclusive else pairs[:1], exclusive=exclusive)
        assert session.run(chosen, {x: 1 if exclusive else 2}) == (2 if exclusive else 1)
        for wrong in (0, 2) if exclusive else (0, 1):
            with pytest.raises(tf.errors.InvalidArgumentError, match="predicate"):
                session.run(chosen, {x: wrong})


@both
def test_switch_case_counts_and_falls_back(traced: bool) -> None:
    def functions() -> Any:
        return [lambda: tf.constant(10), lambda: tf.constant(11)]

    def last(i: Any) -> Any:
        return tf.switch_case(i, functions())

    def default(i: Any) -> Any:
        return tf.switch_case(i, dict(enumerate(functions())), lambda: tf.constant(99))

    places = [tf.constant(i) for i in (0, 1, 7, -1)]
    assert [plain(run(traced, last, i)) for i in places] == [10, 11, 11, 11]
    assert [plain(run(traced, default, i)) for i in places] == [10, 11, 99, 99]


REFUSED_ALWAYS = {
    (TypeError, "'false_fn' argument required"): lambda c: tf.cond(c, lambda: 1),
    (TypeError, "'true_fn' must be callable"): lambda c: tf.cond(c, 1, lambda: 2),
    (TypeError, "must be a pair"): lambda c: tf.case([(c, c, c)]),
    (TypeError, "must be a tensor, received"): lambda c: tf.case([(True, lambda: 1)]),
    (TypeError, "must be a list"): lambda c: tf.case(3),
    (TypeError, "'branch_index' must be a Tensor"): lambda c: tf.switch_case(1, [lambda: 1]),
    (TypeError, "must be an integer"): lambda c: tf.switch_case(tf.constant(1.0), [print]),
    (ValueError, "branch_fns must contain one"): lambda c: tf.switch_case(tf.constant(1), []),
    (ValueError, "must be 0 to 1"): (
        lambda c: tf.switch_case(tf.constant(1), {0: print, 3: print})
    ),
    (TypeError, "'cond' must be callable"): lambda c: tf.while_loop(1, print, [1]),
    (TypeError, "'body' must be callable"): lambda c: tf.while_loop(print, 1, [1]),
    (TypeError, "positive integer"): (
        lambda c: tf.while_loop(print, print, [1], parallel_iterations=0)
    ),
    (ValueError, "maximum_iterations must be a scalar"): (
        lambda c: tf.while_loop(print, print, [1], maximum_iterations=[3])
    ),
    (ValueError, "must have an axis to iterate"): lambda c: tf.map_fn(lambda x: x, [1, 2]),
    (ValueError, "must contain one tensor"): lambda c: tf.map_fn(lambda x: x, ()),
    (ValueError, "Dimensions 3 and 2 are not compatible"): (
        lambda c: tf.map_fn(lambda x: x[0], (ROWS, ROWS[:2]), fn_output_signature=tf.float32)
    ),
    (TypeError, "fn must be callable"): lambda c: tf.map_fn(1, ROWS),
    (ValueError, "The structures differ"): (
        lambda c: tf.map_fn(lambda x: (x, x), ROWS, fn_output_signature=tf.float32)
    ),
    (ValueError, "structures differ"): lambda c: tf.scan(lambda a, x: (a, x), ROWS),
    (TypeError, "needs Tout, the dtypes"): lambda c: tf.py_function(print, []),
    (ValueError, "func must be callable, received"): lambda c: tf.py_function(1, [], tf.int32),
}


@both
@pytest.mark.parametrize(("kind", "message"), REFUSED_ALWAYS)
def test_what_is_refused(traced: bool, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        run(traced, lambda: REFUSED_ALWAYS[kind, message](tf.constant(True)))


REFUSED_IN_GRAPHS = {
    (TypeError, "received the Python bool"): lambda c: tf.cond(True, lambda: 1, lambda: 2),
    (TypeError, "must be a bool tensor"): lambda c: tf.cond(tf.constant(1), lambda: 1, lambda: 2),
    (TypeError, "have different types"): lambda c: tf.cond(c, lambda: 1, lambda: 1.0),
    (TypeError, "must return the same structure"): lambda c: tf.cond(c, lambda: (1,), lambda: [1]),
    (TypeError, "One branch returns"): lambda c: tf.cond(c, lambda: 1, lambda: None),
    (TypeError, r"branches\[0\] and branches\[1\]"): (
        lambda c: tf.switch_case(tf.constant(0), [lambda: 1, lambda: 2.0])
    ),
    (TypeError, "dtype int32 before the loop and float32 after"): (
        lambda c: tf.while_loop(lambda i: i < 3, lambda i: tf.cast(i, tf.float32), [0])
    ),
    (ValueError, r"shape \(1,\) before the loop and \(2,\) after"): (
        lambda c: tf.while_loop(lambda x: c, lambda x: tf.concat([x, x], 0), [tf.constant([1.0])])
    ),
    (ValueError, "must return a value for each of the loop_vars"): (
        lambda c: tf.while_loop(lambda i, j: c, lambda i, j: i, [1, 2])
    ),
    (ValueError, "None values not supported"): (
        lambda c: tf.while_loop(lambda i: c, lambda i: i, [None])
    ),
    (TypeError, "must return a bool"): lambda c: tf.while_loop(lambda i: i, lambda i: i, [1]),
}


@pytest.mark.parametrize(("kind", "message"), REFUSED_IN_GRAPHS)
def test_what_graphs_refuse(kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        run(True, lambda: REFUSED_IN_GRAPHS[kind, message](tf.constant(True)))


# -- loops ------------------------------------------------------------------------------------


@both
def test_while_loop_carries_structures(traced: bool) -> None:
    def program(n: Any) -> Any:
        return tf.while_loop(
            lambda i, p, t: i < n,
            lambda i, p, t: (i + 1, Pair(p.a + i, p.b * 2.0), {"x": [t["x"][0] - 1]}),
            (tf.constant(0), Pair(tf.constant(0), tf.constant(1.0)), {"x": [tf.constant(7)]}),
        )

    assert plain(run(traced, program, tf.constant(4))) == (4, Pair(6, 16), {"x": [3]})


@both
def test_while_loop_stops_at_the_limit(traced: bool) -> None:
    def program(limit: Any) -> Any:
        return tf.while_loop(lambda i: i < 10, lambda i: i + 1, [0], maximum_iterations=limit)

    for limit, expected in ((3, 3), (30, 10), (-1, 0)):
        assert plain(run(traced, program, tf.constant(limit))) == [expected]


@both
def test_shapes_may_grow_within_their_invariants(traced: bool) -> None:
    def program(n: Any) -> Any:
        _, x = tf.while_loop(
            lambda i, x: i < n,
            lambda i, x: (i + 1, tf.concat([x, x], 0)),
            [tf.constant(0), tf.constant([1.0])],
            shape_invariants=[tf.TensorShape([]), tf.TensorSpec([None], tf.float32)],
        )
        return x

    assert run(traced, program, tf.constant(3)).shape == (8,)
    assert run(traced, program, tf.constant(0)).shape == (1,)


@both
@pytest.mark.parametrize("rank", [None, [None]])
def test_the_rank_of_a_sparse_variable_may_grow(traced: bool, rank: Any) -> None:
    def program(n: Any) -> Any:
        first = tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [3, 3])
        _, last = tf.while_loop(
            lambda i, x: i < n,
            lambda i, x: (i + 1, tf.sparse.expand_dims(x)),
            [tf.constant(0), first],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape(rank)],
        )
        return last.dense_shape, last.values

    assert plain(run(traced, program, tf.constant(2))) == ([3, 3, 1, 1], [1, 2])


@both
@pytest.mark.parametrize("shape", [None, [None, None]])
def test_the_rows_of_a_ragged_variable_may_grow(traced: bool, shape: Any) -> None:
    def program(n: Any) -> Any:
        _, last = tf.while_loop(
            lambda i, x: i < n,
            lambda i, x: (i + 1, tf.concat([x, x], 0)),
            [tf.constant(0), tf.ragged.constant([[1, 2], [3]])],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape(shape)],
        )
        return last.flat_values, last.row_splits

    assert plain(run(traced, program, tf.constant(1))) == ([1, 2, 3] * 2, [0, 2, 3, 5, 6])


@both
def test_arrays_in_loops(traced: bool) -> None:
    def program(n: Any) -> Any:
        array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        _, array = tf.while_loop(
            lambda i, a: i < n,
            lambda i, a: (i + 1, a.write(i, [1.0, tf.cast(i, tf.float32)])),
            [tf.constant(0), array],
        )
        return array.stack()

    assert plain(run(traced, program, tf.constant(3))) == [[1, 0], [1, 1], [1, 2]]


def test_shapes_known_after_loops_and_branches() -> None:
    def program(x: Any) -> None:
        yes = x[0] > 0
        assert tf.cond(yes, lambda: x, lambda: x[:2]).shape.as_list() == [None]
        assert tf.cond(yes, lambda: x, lambda: x[0]).shape.rank is None
        array = tf.TensorArray(tf.float32, 3)
        _, array = tf.while_loop(
            lambda i, a: i < 3, lambda i, a: (i + 1, a.write(i, x)), [tf.constant(0), array]
        )
        assert array.stack().shape == (3, 3)
        assert tf.map_fn(tf.reduce_sum, tf.ones([4, 2])).shape == (4,)
        assert tf.scan(lambda a, b: a + b, tf.ones([4, 2])).shape == (4, 2)

    run(True, program, tf.constant([1.0, 2.0, 3.0]))


@both
def test_variables_change_in_order(traced: bool) -> None:
    v = tf.Variable(1.0)

    def program(n: Any) -> Any:
        def body(i: Any) -> Any:
            v.assign(v * 2.0)
            tf.cond(i > 1, lambda: v.assign_add(1.0), lambda: v.assign_sub(1.0))
            return [i + 1]

        tf.while_loop(lambda i: i < n, body, [tf.constant(0)])
        return v.read_value()

    assert plain(run(traced, program, tf.constant(4))) == 7
    assert v.numpy() == 7


@both
def test_map_fn(traced: bool) -> None:
    cases = [
        (lambda: tf.map_fn(lambda x: x * 2, ROWS), (ROWS * 2).tolist()),
        (lambda: tf.map_fn(lambda x: 1, ROWS), [1, 1, 1]),
        (lambda: tf.map_fn(lambda x: x + "!", tf.constant(["a", "b"])), [b"a!", b"b!"]),
        (
            lambda: tf.map_fn(
                lambda e: {"s": e["a"] + e["b"]},
                {"a": ROWS, "b": ROWS},
                fn_output_signature={"s": tf.float32},
            ),
            {"s": (2 * ROWS).tolist()},
        ),
        (
            lambda: tf.map_fn(lambda x: (x, tf.cast(x, tf.int32)), ROWS, (tf.float32, tf.int32)),
            (ROWS.tolist(), ROWS.astype(int).tolist()),
        ),
        (lambda: tf.map_fn(lambda x: x, tf.zeros([0, 2], tf.int32)), []),
    ]
    for program, expected in cases:
        assert plain(run(traced, program)) == expected


@both
def test_map_fn_over_ragged_rows(traced: bool) -> None:
    rows = tf.ragged.constant([[1, 2], [], [3]])
    spec = tf.RaggedTensorSpec([None], tf.int32)

    def sums() -> Any:
        return tf.map_fn(tf.reduce_sum, rows, fn_output_signature=tf.int32)

    assert plain(run(traced, sums)) == [3, 0, 3]
    assert plain(run(traced, lambda: tf.map_fn(lambda r: r + 1, rows))) == [[2, 3], [], [4]]

    def ranges() -> Any:
        return tf.map_fn(tf.range, tf.constant([1, 0, 2]), fn_output_signature=spec)

    assert plain(run(traced, ranges)) == [[0], [], [0, 1]]
    deep = tf.ragged.constant([[[1], [2, 3]], [[4, 5, 6]]])
    assert plain(run(traced, lambda: tf.map_fn(lambda r: r, deep))) == deep.to_list()


@both
def test_scans_and_folds(traced: bool) -> None:
    x = np.array([1, 2, 3, 4], np.int32)

    def subtract(a: Any, b: Any) -> Any:
        return a - b

    cases = [
        (lambda: tf.scan(subtract, x), [1, -1, -4, -8]),
        (lambda: tf.scan(subtract, x, initializer=10), [9, 7, 4, 0]),
        (lambda: tf.scan(subtract, x, reverse=True), [-2, -1, 1, 4]),
        (
            lambda: tf.scan(lambda a, e: (a[0] + e, a[1] * e), x, (0, 1)),
            ([1, 3, 6, 10], [1, 2, 6, 24]),
        ),
        (lambda: tf.scan(lambda a, e: a + e[0] * e[1], (x, x), 0), [1, 5, 14, 30]),
        (lambda: tf.foldl(subtract, x), -8),
        (lambda: tf.foldr(subtract, x), -2),
        (lambda: tf.foldl(subtract, x, 10), 0),
        (lambda: tf.foldr(lambda a, e: (a[0] - e, a[1] + e), x, (10, 0)), (0, 10)),
    ]
    for program, expected in cases:
        assert plain(run(traced, program)) == expected


# -- Python functions -------------------------------------------------------------------------


@both
def test_py_function_runs_every_time(traced: bool) -> None:
    seen: list[Any] = []

    def note(x: Any) -> Any:
        seen.append(x.numpy())
        return x * 2

    def program(x: Any) -> Any:
        return tf.py_function(note, [x], tf.float32) + 1.0

    function = tf.function(program, autograph=False) if traced else program
    assert plain([function(tf.constant(v)) for v in (1.0, 2.0)]) == [3, 5]
    assert seen == [1, 2]


@both
def test_what_py_function_returns(traced: bool) -> None:
    one = tf.constant(1.0)
    ragged = tf.ragged.constant([[1], [2, 3]])
    cases = [
        (lambda: tf.py_function(lambda x: (x, x + 1), [one], [tf.float32] * 2), [1, 2]),
        (lambda: tf.py_function(lambda x: [x], [one], [tf.float32]), [1]),
        (lambda: tf.py_function(lambda x: 3, [one], tf.float32), 3),
        (lambda: tf.py_function(lambda x: "a", [one], tf.string), b"a"),
        (lambda: tf.py_function(lambda x: None, [one], []), []),
        (
            lambda: tf.py_function(lambda: ragged, [], tf.RaggedTensorSpec([None, None], tf.int32)),
            [[1], [2, 3]],
        ),
        (lambda: tf.py_function(lambda r: r.values, [ragged], tf.int32), [1, 2, 3]),
    ]
    for program, expected in cases:
        assert plain(run(traced, program)) == expected


@both
@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (ValueError, tf.errors.InvalidArgumentError),
        (TypeError, tf.errors.InvalidArgumentError),
        (StopIteration, tf.errors.OutOfRangeError),
        (NotImplementedError, tf.errors.UnimplementedError),
        (KeyError, tf.errors.UnknownError),
    ],
)
def test_errors_of_python_functions(traced: bool, raised: Any, told: Any) -> None:
    def fail(x: Any) -> Any:
        raise raised("out of luck")

    with pytest.raises(told, match="out of luck"):
        run(traced, lambda: tf.py_function(fail, [tf.constant(1.0)], tf.float32))


@both
def test_gradients_of_py_function_without_a_second_run(traced: bool) -> None:
    runs: list[int] = []

    def cube(x: Any) -> Any:
        runs.append(1)
        return x**3

    x = tf.constant(2.0)
    program = run(False, lambda: lambda x: tf.py_function(cube, [x], tf.float32) * 2.0)
    function = tf.function(program, autograph=False) if traced else program
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    assert tape.gradient(y, x).numpy() == 24
    assert len(runs) == 1


def test_second_gradients_of_py_function_in_a_graph() -> None:
    def program(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.py_function(lambda a, b: a**3 * b, [x, x], tf.float32)
            first = inner.gradient(y, x)
        return first, outer.gradient(first, x)

    first, second = run(True, program, tf.constant(2.0))
    assert (first.numpy(), second.numpy()) == (32, 48)


@both
def test_one_value_is_a_condition_whatever_its_rank(traced: bool) -> None:
    start = tf.constant([[5.0]])
    (found,) = run(traced, lambda: tf.while_loop(lambda x: x < 45.0, lambda x: (x * 3.0,), [start]))
    assert plain(found) == [[45.0]]


@both
def test_py_function_makes_tensors_of_lists(traced: bool) -> None:
    ragged = tf.RaggedTensorSpec([None, None], tf.int32)
    lengths = tf.constant([3, 1], tf.int64)
    found = run(
        traced,
        lambda: tf.py_function(tf.RaggedTensor.from_row_lengths, [[1, 2, 3, 4], lengths], [ragged]),
    )
    assert plain(found) == [[[1, 2, 3], [4]]]


@both
@pytest.mark.parametrize(
    ("given", "told", "reason"),
    [
        (tf.ragged.constant([[1], [2, 3]]), tf.int32, "is not a Tensor"),
        (
            tf.constant([[1, 2]]),
            tf.RaggedTensorSpec([None, None], tf.int32),
            "is not compatible with RaggedTensorSpec",
        ),
    ],
    ids=["ragged", "tensor"],
)
def test_py_function_says_what_does_not_match(
    traced: bool, given: Any, told: Any, reason: str
) -> None:
    message = rf"(?s)returned .* which is not Tout=.*{reason}"
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        run(traced, lambda: tf.py_function(lambda x: x, [given], [told]))


@pytest.mark.parametrize("function", [tf.py_function, tf.numpy_function])
@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"func": abs, "inp": [1]}, "needs Tout, the dtypes"),
        ({"func": tf.int32}, "needs Tout, the dtypes"),
        ({"func": abs, "Tout": tf.int32}, "Missing argument `inp`"),
        ({"inp": [1], "Tout": tf.int32}, "no `inp`: the arguments"),
    ],
    ids=["dtype", "decorator's dtype", "arguments", "function"],
)
def test_what_python_functions_need(function: Any, given: Any, missing: str) -> None:
    with pytest.raises(TypeError, match=missing):
        function(**given)


@both
def test_numpy_function(traced: bool) -> None:
    def double(x: Any) -> Any:
        assert isinstance(x, (np.ndarray, np.generic))
        return x * 2

    one = tf.constant([1.0, 2.0])
    assert plain(run(traced, lambda: tf.numpy_function(double, [one], tf.float32))) == [2, 4]
    several = run(traced, lambda: tf.numpy_function(lambda x: (x, x), [one], [tf.float32] * 2))
    assert plain(several) == [[1, 2], [1, 2]]
    text = run(traced, lambda: tf.numpy_function(lambda: np.array(["a", "bc"]), [], tf.string))
    assert plain(text) == [b"a", b"bc"]
    with tf.GradientTape() as tape:
        tape.watch(one)
        y = run(traced, lambda: tf.numpy_function(double, [one], tf.float32))
    assert tape.gradient(y, one) is None


def test_numpy_functions_in_graphs_give_what_was_told() -> None:
    one = tf.constant(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="is float64, but expects float32"):
        run(True, lambda: tf.numpy_function(lambda x: 3.5, [one], tf.float32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="returns 2 values, but expects"):
        run(True, lambda: tf.numpy_function(lambda x: (x, x), [one], tf.float32))


@both
def test_as_decorators(traced: bool) -> None:
    @tf.py_function(Tout=tf.float32)
    def half(x: Any) -> Any:
        return x / 2

    @tf.numpy_function(Tout=tf.float32)
    def twice(x: Any) -> Any:
        return x * np.float32(2)

    assert plain(run(traced, lambda: (half(tf.constant(4.0)), twice(tf.constant(4.0))))) == (2, 8)


# -- things to wait for -----------------------------------------------------------------------


def test_groups_and_tuples() -> None:
    assert tf.no_op() is None and tf.group(tf.constant(1)) is None
    assert tf.tuple([1, None]) == [1, None]

    def program(x: Any) -> Any:
        together = tf.group(x, [x + 1], name="both")
        assert together.type == "NoOp" and len(together.control_inputs) == 2
        with tf.control_dependencies([together]):
            waiting = tf.identity(x)
        assert waiting.op.control_inputs == [together]
        assert tf.no_op().type == "NoOp"
        first, nothing = tf.tuple([x, None], control_inputs=[together])
        assert nothing is None
        with pytest.raises(TypeError, match="must be tensors, operations"):
            tf.group(1)
        with pytest.raises(ValueError, match="must contain one tensor"):
            tf.tuple([])
        with pytest.raises(ValueError, match="Unknown keyword arguments: y"):
            tf.group(x, y=1)
        return waiting + first

    assert run(True, program, tf.constant(2)).numpy() == 4


def test_branches_that_return_operations_give_a_tensor_to_wait_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def warn(condition: tf.Tensor) -> tf.Tensor:
        shout = lambda: tf.print("large", output_stream=sys.stdout)  # noqa: E731
        return tf.cond(condition, shout, tf.no_op)

    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [])
        warned = warn(x > 1.0)
        chosen = tf.switch_case(tf.cast(x, tf.int32), [tf.no_op, lambda: tf.group(x)])
        with tf.control_dependencies([warned, chosen]):
            y = tf.identity(x)
        with tf.compat.v1.Session() as session:
            assert session.run([y, warned, chosen], {x: 0.0}) == [0.0, False, 0]
            assert capsys.readouterr().out == ""
            assert session.run(y, {x: 2.0}) == 2.0
    assert capsys.readouterr().out == "large\n"
