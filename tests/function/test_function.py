"""`tf.function`: which calls trace, what is traced, and the function as an object."""

from __future__ import annotations

import collections
import copy
import functools
import gc
import inspect
import pickle
import weakref

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.function.polymorphic import Function


class Thing:
    pass


def count_traces(calls, **options):
    """The number of traces after each call; a tuple is a list of arguments."""
    traces = []

    @tf.function(**options)
    def function(*args):
        traces.append(args)
        return 0

    counts = []
    for call in calls:
        function(*call) if isinstance(call, tuple) else function(call)
        counts.append(len(traces))
    assert function.experimental_get_tracing_count() == len(traces)
    return counts


V, W = tf.Variable(1.0), tf.Variable(2.0)


@pytest.mark.parametrize(
    ("calls", "counts"),
    [
        ([tf.constant(1.0), tf.constant(2.0), tf.constant(1), tf.constant([1.0])], [1, 1, 2, 3]),
        ([1, 2, 1, 2], [1, 2, 2, 2]),
        # TensorFlow takes these three for one, and gives the second the result of the first.
        ([1, True, 1.0, 1, True, 1.0], [1, 2, 3, 3, 3, 3]),
        ([float("nan"), float("nan")], [1, 1]),
        (["a", b"a", "a"], [1, 2, 2]),
        ([None, None], [1, 1]),
        ([[1, 2], ((1, 2),), [1, 2]], [1, 2, 2]),
        ([{"a": 1, "b": 2}, {"b": 2, "a": 1}, collections.OrderedDict(a=1, b=2)], [1, 1, 1]),
        (
            [np.float32(1), np.float32(2), tf.constant(3.0), np.zeros(()), np.ones(3)],
            [1, 1, 1, 2, 3],
        ),
        ([range(3), range(3), range(2)], [1, 1, 2]),
        ([tf.float32, tf.float32, tf.int32], [1, 1, 2]),
        ([(V, V), (V, W), (W, V), (W, W), (V, tf.Variable([1.0]))], [1, 2, 2, 2, 3]),
        ([([V, {"x": V}],), ([V, {"x": W}],), ([W, {"x": W}],)], [1, 2, 2]),
        ([len, print, len], [1, 2, 2]),
        ([(1,), (1, 2), (1,)], [1, 2, 2]),
        (
            [tf.ragged.constant([[1]]), tf.ragged.constant([[2]]), tf.ragged.constant([[1], [2]])],
            [1, 1, 2],
        ),
    ],
    ids=lambda value: "",
)
def test_the_rules_of_tracing(calls, counts):
    assert count_traces(calls) == counts
    assert count_traces(calls * 3) == counts + [counts[-1]] * 2 * len(calls)


@pytest.mark.parametrize(
    ("shapes", "counts"),
    [
        ([[1], [2], [3], [1, 1], [1, 2], [1, 1, 1]], [1, 2, 2, 3, 3, 3]),
        ([[2, 1], [2, 2], [2, 3], [3, 3], [4, 4]], [1, 2, 2, 3, 3]),
    ],
)
def test_reduced_retracing(shapes, counts):
    assert count_traces([tf.zeros(s) for s in shapes], reduce_retracing=True) == counts
    assert count_traces([tf.zeros(s) for s in shapes], experimental_relax_shapes=True) == counts


def test_python_values_are_not_generalized():
    assert count_traces([1, 2, 3, 3], reduce_retracing=True) == [1, 2, 3, 3]
    calls = [
        {"a": tf.zeros([n]), "b": b} for n, b in [(1, 1), (2, 1), (3, 1), (3, 2), (4, 2), (5, 2)]
    ]
    assert count_traces(calls, reduce_retracing=True) == [1, 2, 2, 3, 4, 4]


def test_variables_are_generalized_by_shape():
    calls = [tf.Variable(tf.zeros([n])) for n in (1, 2, 3)]
    assert count_traces(calls, reduce_retracing=True) == [1, 2, 2]


@pytest.mark.parametrize(
    ("known", "asked", "found"),
    [
        ([None, [None], [3]], [3], None),  # a wide trace keeps narrower ones from being made
        ([[3], [None], None], [3], [3]),
        ([[3], [None], None], [4], [None]),
        ([[3], [None], None], [4, 4], None),
        ([[None, 3], [3, None]], [3, 3], [None, 3]),
        ([[3, None], [None, 3]], [3, 3], [3, None]),
    ],
)
def test_the_most_specific_trace_serves(known, asked, found):
    function = tf.function(lambda x: x)
    for shape in known:
        function.get_concrete_function(tf.TensorSpec(shape))
    before = function.experimental_get_tracing_count()
    concrete = function.get_concrete_function(tf.zeros(asked))
    assert function.experimental_get_tracing_count() == before
    assert concrete.structured_input_signature[0][0].shape == tf.TensorShape(found)


def test_python_effects_happen_once_for_a_trace():
    seen = []

    @tf.function
    def function(x):
        seen.append(x)
        return x + 1

    assert [function(tf.constant(n)).numpy() for n in range(3)] == [1, 2, 3]
    assert len(seen) == 1
    assert not hasattr(seen[0], "numpy")


def test_arguments_reach_their_parameters():
    @tf.function
    def function(x, y=2, *rest, k=3, **more):
        return [x, y, list(rest), k, dict(sorted(more.items()))]

    def run(*args, **kwargs):
        return tf.nest.map_structure(lambda t: t.numpy(), function(*args, **kwargs))

    one, two, three = (tf.constant(n) for n in (1, 2, 3))
    for _ in range(2):
        assert run(one) == [1, 2, [], 3, {}]
        assert run(x=two) == [2, 2, [], 3, {}]
        assert run(one, k=two) == [1, 2, [], 2, {}]
        assert run(k=one, y=two, x=three) == [3, 2, [], 1, {}]
        assert run(one, two, three, one, b=two, a=three) == [1, 2, [3, 1], 3, {"a": 3, "b": 2}]
        assert run(one, two, three, one, a=two, b=three) == [1, 2, [3, 1], 3, {"a": 2, "b": 3}]
        assert run(one, a=one, k=two, y=three) == [1, 3, [], 2, {"a": 1}]
        assert run(one, 5, k=7) == [1, 5, [], 7, {}]


def test_a_default_that_is_a_tensor_is_passed_each_time():
    default = tf.constant(2.0)

    @tf.function
    def function(x, y=default):
        return x * y

    assert [function(tf.constant(3.0)).numpy() for _ in range(3)] == [6, 6, 6]
    assert function(tf.constant(3.0), tf.constant(5.0)).numpy() == 15
    assert function.experimental_get_tracing_count() == 1


def test_structures_keep_their_classes():
    Point = collections.namedtuple("Point", "x y")
    seen = []

    @tf.function
    def function(value):
        seen.append(type(value))
        return value

    for value in (
        Point(tf.constant(1), tf.constant(2)),
        {"b": tf.constant(1), "a": [tf.constant(2), (tf.constant(3),)]},
        collections.OrderedDict(b=tf.constant(1), a=tf.constant(2)),
    ):
        for _ in range(2):
            result = function(value)
            assert type(result) is type(value)
            tf.nest.assert_same_structure(result, value)
            assert [t.numpy() for t in tf.nest.flatten(result)] == [
                t.numpy() for t in tf.nest.flatten(value)
            ]
    assert len(seen) == 3


def test_a_type_of_ones_own_decides():
    class Bucket:
        def __init__(self, size):
            self.size = size

        def __tf_tracing_type__(self, context):
            return BucketType(self.size)

    class BucketType(tf.types.experimental.TraceType):
        def __init__(self, size):
            self.size = size

        def is_subtype_of(self, other):
            return isinstance(other, BucketType) and self.size >= other.size

        def most_specific_common_supertype(self, others):
            return None

        def placeholder_value(self, placeholder_context):
            return Bucket(self.size)

        def __eq__(self, other):
            return isinstance(other, BucketType) and self.size == other.size

        def __hash__(self):
            return hash(self.size)

    assert count_traces([Bucket(n) for n in (1, 1, 2, 0, 5)]) == [1, 1, 1, 2, 2]


def test_an_unhashable_argument():
    function = tf.function(lambda x: 0)
    for _ in range(2):
        with pytest.raises(TypeError, match=r"cannot be an argument of tf\.function"):
            function({1})


def test_a_spec_is_not_a_value():
    with pytest.raises((TypeError, ValueError), match="TensorSpec"):
        tf.function(lambda x: x)(tf.TensorSpec([]))


class TestVariablesAsArguments:
    def test_one_trace_serves_all(self):
        seen = []

        @tf.function
        def function(a, b):
            seen.append((a is b, type(a), a.trainable, a.shape, a.dtype))
            a.assign_add(1.0)
            return b + 0.0

        v, w = tf.Variable(1.0), tf.Variable(10.0)
        assert function(v, v).numpy() == 2
        assert function(v, w).numpy() == 10
        assert function(w, v).numpy() == 3
        assert function(w, w).numpy() == 12
        assert (v.numpy(), w.numpy()) == (3, 12)
        assert seen == [(same, tf.Variable, True, [], tf.float32) for same in (True, False)]

    def test_tapes_watch_them(self):
        function = tf.function(lambda v: v * v)
        for value in (3.0, 4.0):
            variable = tf.Variable(value)
            with tf.GradientTape() as tape:
                result = function(variable)
            assert tape.gradient(result, variable).numpy() == 2 * value

    def test_their_own_graph_differentiates_them(self):
        @tf.function
        def gradient(v):
            with tf.GradientTape() as tape:
                result = v * v
            return tape.gradient(result, v)

        assert gradient(tf.Variable(3.0)).numpy() == 6
        assert gradient(tf.Variable(5.0)).numpy() == 10


class TestMemory:
    def test_a_trace_dies_with_the_object_it_was_made_for(self):
        function = tf.function(lambda thing, x: x)
        for _ in range(10):
            thing = Thing()
            function(thing, tf.constant(1.0))
            assert len(function._list_all_concrete_functions()) == 1
            assert len(function._cache.by_key) == 1
            graph = weakref.ref(function._list_all_concrete_functions()[0].graph)
            del thing
            gc.collect()
            assert len(function._list_all_concrete_functions()) == 0
            assert not function._cache.by_key
            assert graph() is None
        assert function.experimental_get_tracing_count() == 10

    def test_the_function_does_not_keep_arguments_alive(self):
        thing, box = Thing(), [Thing()]
        function = tf.function(lambda *args: 0)
        function(thing, box, tf.zeros([3]))
        references = [weakref.ref(thing), weakref.ref(box[0])]
        del thing, box
        gc.collect()
        assert [reference() for reference in references] == [None, None]

    def test_a_function_is_freed(self):
        function = tf.function(lambda x: x + 1)
        function(tf.constant(1.0))
        function(tf.constant([1.0]))
        weak = weakref.ref(function)
        del function
        gc.collect()
        assert weak() is None

    def test_keys_without_end_do_not_fill_the_memory(self):
        function = tf.function(lambda x, y: x)
        function._cache.KEYS = 8
        for _ in range(100):
            function(tf.constant(1.0), float("nan"))
        assert function.experimental_get_tracing_count() == 1
        assert len(function._cache.by_key) <= 8


class TestDecoration:
    def test_with_and_without_arguments(self):
        @tf.function
        def one(x):
            return x + 1

        @tf.function(reduce_retracing=True, jit_compile=False)
        def two(x):
            return x + 2

        three = tf.function(lambda x: x + 3, autograph=False)
        assert [f(tf.constant(0)).numpy() for f in (one, two, three)] == [1, 2, 3]
        assert all(isinstance(f, tf.types.experimental.PolymorphicFunction) for f in (one, two))
        concrete = one.get_concrete_function(tf.constant(1))
        assert isinstance(concrete, tf.types.experimental.ConcreteFunction)

    def test_it_looks_like_the_function(self):
        def original(x: int, y=2):
            """Its text."""
            return x

        original.note = 7
        function = tf.function(original)
        assert function.__name__ == function.name == "original"
        assert function.__doc__ == "Its text."
        assert function.__wrapped__ is function.python_function is original
        assert function.note == 7
        assert inspect.signature(function) == inspect.signature(original)
        assert "original" in function.get_concrete_function(1).name

    def test_other_callables(self):
        class Adder:
            def __call__(self, x):
                return x + 1

        one = tf.constant(1)
        assert tf.function(Adder())(one).numpy() == 2
        assert tf.function(Adder().__call__)(one).numpy() == 2
        assert tf.function(functools.partial(lambda a, b: a - b, 5))(one).numpy() == 4
        assert tf.function(functools.partial(lambda a, b: a - b, b=5))(one).numpy() == -4
        assert tf.function(tf.function(lambda x: x + 1))(one).numpy() == 2
        assert tf.function(functools.partial(lambda x: x)).name == "function"

    def test_wrapped_functions(self):
        def double(function):
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                return 2 * function(*args, **kwargs)

            return wrapper

        @tf.function
        @double
        def inside(x, y=2):
            return x + y

        @double
        @tf.function
        def outside(x, y=2):
            return x + y

        for function in (inside, outside):
            assert function(tf.constant(1)).numpy() == 6
            assert function(y=tf.constant(3), x=tf.constant(1)).numpy() == 8
        assert str(inside.function_type) == "(x, y=<captured_default_value>)"

    def test_what_is_not_callable(self):
        with pytest.raises(TypeError, match="3 is not a callable object"):
            tf.function(3)
        with pytest.raises(TypeError, match="is not a callable object: put @classmethod above"):
            tf.function(classmethod(lambda cls: 1))

    def test_attributes(self):
        with pytest.raises(ValueError, match="`nonsense` is not an"):
            tf.function(lambda: 1, experimental_attributes={"nonsense": 1})
        function = tf.function(
            lambda: 1, experimental_attributes={"_noinline": True}, experimental_implements="f"
        )
        attributes = function.get_concrete_function().attributes
        assert attributes == {"_noinline": True, "_implements": "f"}

    def test_unknown_arguments(self):
        with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
            tf.function(lambda: 1, foo=1)


@tf.function
def at_module_level(x):
    return x + 1


class TestCopies:
    def test_deep_copies_have_traces_of_their_own(self):
        function = tf.function(lambda x: x + 1)
        function(tf.constant(1))
        clone = copy.deepcopy(function)
        assert clone.experimental_get_tracing_count() == 0
        assert clone(tf.constant(1)).numpy() == 2
        assert function.experimental_get_tracing_count() == 1

    def test_a_deep_copy_of_an_object_calls_the_copy(self):
        class Model(tf.Module):
            def __init__(self):
                super().__init__()
                self.scale = tf.Variable(2.0)
                self.run = tf.function(self.call)

            def call(self, x):
                return x * self.scale

        model = Model()
        model.run(tf.constant(1.0))
        clone = copy.deepcopy(model)
        clone.scale.assign(5.0)
        assert clone.run(tf.constant(1.0)).numpy() == 5
        assert model.run(tf.constant(1.0)).numpy() == 2

    def test_pickles_are_by_name_as_those_of_functions(self):
        assert pickle.loads(pickle.dumps(at_module_level)) is at_module_level
        with pytest.raises(Exception, match="pickle"):
            pickle.dumps(tf.function(lambda: 1))


class TestNesting:
    def test_functions_call_functions(self):
        inner = tf.function(lambda x: x + 1)
        outer = tf.function(lambda x: inner(x) * inner(x))
        assert outer(tf.constant(2)).numpy() == 9
        assert inner(tf.constant(2)).numpy() == 3
        assert inner.experimental_get_tracing_count() == 1

    def test_shapes_not_known_yet(self):
        inner = tf.function(lambda x: tf.reduce_sum(x))
        outer = tf.function(lambda x: inner(x), input_signature=[tf.TensorSpec([None])])
        assert outer(tf.ones([3])).numpy() == 3
        assert outer(tf.ones([5])).numpy() == 5
        assert inner(tf.ones([7])).numpy() == 7
        assert inner.experimental_get_tracing_count() == 1

    def test_recursion_on_python_values_ends(self):
        @tf.function
        def factorial(n):
            return tf.constant(1) if n <= 1 else n * factorial(n - 1)

        assert factorial(4).numpy() == 24
        assert factorial.experimental_get_tracing_count() == 4

    def test_recursion_on_tensors_does_not(self):
        @tf.function(autograph=False)
        def forever(n):
            return forever(n - 1)

        with pytest.raises(RecursionError, match="`forever` calls itself, with arguments of the"):
            forever(tf.constant(3))

    def test_a_failed_trace_leaves_nothing_behind(self):
        @tf.function(autograph=False)
        def function(x, fail):
            if fail:
                raise KeyError("no")
            return x

        for _ in range(2):
            with pytest.raises(KeyError):
                function(tf.constant(1), True)
        assert function(tf.constant(1), False).numpy() == 1
        assert len(function._list_all_concrete_functions()) == 1


class TestEagerly:
    @pytest.fixture(autouse=True)
    def eagerly(self):
        tf.config.run_functions_eagerly(True)
        yield
        tf.config.run_functions_eagerly(False)

    def test_functions_run_as_python(self):
        seen = []

        @tf.function
        def function(x, y=2):
            seen.append(x)
            return x + y

        assert tf.config.functions_run_eagerly()
        assert [function(n) for n in (1, 2)] == [3, 4]
        assert function(x=1, y={}.get("a", 5)) == 6
        assert len(seen) == 3
        assert function.experimental_get_tracing_count() == 0

    def test_signatures_are_not_checked(self):
        function = tf.function(lambda x: x, input_signature=[tf.TensorSpec([None])])
        assert function("anything") == "anything"

    def test_methods(self):
        class Model:
            @tf.function
            def double(self, x):
                return 2 * x

        assert Model().double(3) == 6

    def test_graphs_can_still_be_asked_for(self):
        concrete = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([]))
        assert concrete(tf.constant(1.0)).numpy() == 2


def test_the_type_of_the_function():
    assert type(tf.function(lambda: 1)) is Function
