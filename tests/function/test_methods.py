"""`tf.function` in classes: by descriptor, with traces for each object that die with it."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import weakref

import pytest

import tapeflow as tf


class Scaler:
    def __init__(self, factor):
        self.factor = factor
        self.traces = 0

    @tf.function
    def scale(self, x, *, times=1):
        """Its text."""
        self.traces += 1
        return x * self.factor * times

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def total(self, x):
        self.traces += 1
        return tf.reduce_sum(x) * self.factor

    @tf.function
    def __call__(self, x):
        return x * self.factor

    @staticmethod
    @tf.function
    def double(x):
        return 2 * x

    @tf.function
    @staticmethod
    def triple(x):
        return 3 * x

    @classmethod
    @tf.function
    def name_length(cls, x):
        return x + len(cls.__name__)

    @classmethod
    @tf.function(input_signature=[tf.TensorSpec([])])
    def with_signature(cls, x):
        return x + len(cls.__name__)


class Other(Scaler):
    @tf.function
    def scale(self, x):
        return super().scale(x) + 100


ONE = tf.constant(1.0)


def test_each_object_has_its_own_traces():
    two, three = Scaler(2.0), Scaler(3.0)
    for _ in range(3):
        assert two.scale(ONE).numpy() == 2
        assert three.scale(ONE).numpy() == 3
        assert two.scale(ONE, times=2).numpy() == 4
        assert two(ONE).numpy() == 2
    assert (two.traces, three.traces) == (2, 1)
    assert two.scale.experimental_get_tracing_count() == 2


def test_static_and_class_methods():
    for owner in (Scaler, Scaler(2.0)):
        assert owner.double(ONE).numpy() == 2
        assert owner.triple(ONE).numpy() == 3
        assert owner.name_length(ONE).numpy() == 7
        assert owner.with_signature(1).numpy() == 7
    assert Other.name_length(ONE).numpy() == 6


def test_inheritance():
    assert Other(2.0).scale(ONE).numpy() == 102


def test_the_input_signature_leaves_out_the_object():
    scaler = Scaler(2.0)
    assert scaler.total([1, 2]).numpy() == 6
    assert scaler.total(tf.ones([5])).numpy() == 10
    assert scaler.traces == 1
    assert Scaler.total(scaler, [1, 2]).numpy() == 6
    assert scaler.traces == 1
    with pytest.raises(TypeError, match="too many positional arguments"):
        scaler.total(1.0, 2.0)
    concrete = scaler.total.get_concrete_function()
    assert list(concrete.function_type.parameters) == ["x"]


def test_unbound_calls():
    scaler = Scaler(2.0)
    assert Scaler.scale(scaler, ONE).numpy() == 2
    assert Scaler.scale is Scaler.__dict__["scale"]


def test_it_looks_like_a_method():
    scaler = Scaler(2.0)
    method = scaler.scale
    assert method.__name__ == "scale"
    assert method.__doc__ == "Its text."
    assert str(inspect.signature(method)) == "(x, *, times=1)"
    assert str(method.function_type) == "(x, *, times=<captured_default_value>)"
    assert method.__self__ is scaler
    assert method.python_function.__self__ is scaler
    assert method == scaler.scale
    assert method != Scaler(2.0).scale
    assert len({method, scaler.scale}) == 1


def test_text():
    scaler = Scaler(2.0)
    scaler.scale(ONE)
    spec = "TensorSpec(shape=(), dtype=tf.float32, name=None)"
    assert scaler.scale.pretty_printed_concrete_signatures() == (
        f"Input Parameters:\n  x (POSITIONAL_OR_KEYWORD): {spec}\n"
        f"  times (KEYWORD_ONLY): Literal[1]\nOutput Type:\n  {spec}\nCaptures:\n  None"
    )


def test_a_method_keeps_its_object():
    method = Scaler(2.0).scale
    gc.collect()
    assert method(ONE).numpy() == 2
    assert Scaler(3.0).scale(ONE).numpy() == 3


def test_traces_die_with_the_object():
    scaler = Scaler(2.0)
    scaler.scale(ONE)
    weak = weakref.ref(scaler)
    graph = weakref.ref(scaler.scale._list_all_concrete_functions()[0].graph)
    before = len(Scaler.scale._methods)
    del scaler
    gc.collect()
    assert weak() is None
    assert graph() is None
    assert len(Scaler.scale._methods) == before - 1


def test_objects_are_told_apart_by_identity():
    class Alike:
        def __init__(self, n):
            self.n = n

        def __eq__(self, other):
            return True

        __hash__ = None

        @tf.function
        def value(self, x):
            return x + self.n

    one, two = Alike(1.0), Alike(2.0)
    assert (one.value(ONE).numpy(), two.value(ONE).numpy()) == (2, 3)


def test_objects_without_weak_references():
    class Slotted:
        __slots__ = ()

        @tf.function
        def value(self, x):
            return x

    with pytest.raises(TypeError, match=r"Add '__weakref__' to the __slots__ of Slotted"):
        Slotted().value(ONE)


def test_a_method_as_an_argument():
    scaler = Scaler(2.0)
    traces = []

    @tf.function
    def apply(method, x):
        traces.append(1)
        return method(x)

    for _ in range(3):
        assert apply(scaler.scale, ONE).numpy() == 2
    assert len(traces) == 1
    other = Scaler(5.0)
    assert apply(other.scale, ONE).numpy() == 5


def test_deep_copies_of_the_object():
    scaler = Scaler(2.0)
    scaler.scale(ONE)
    clone = copy.deepcopy(scaler)
    clone.factor = 7.0
    assert clone.scale(ONE).numpy() == 7
    assert copy.deepcopy(clone.scale)(ONE).numpy() == 7
    assert scaler.scale(ONE).numpy() == 2


def test_pickles_of_the_method():
    method = pickle.loads(pickle.dumps(Scaler(2.0).scale))
    assert method(ONE).numpy() == 2


def test_modules():
    class Dense(tf.Module):
        def __init__(self):
            super().__init__()
            self.built = False

        @tf.function
        def __call__(self, x):
            if not self.built:
                self.w = tf.Variable(tf.ones([3, 2]))
                self.built = True
            return x @ self.w

    layer = Dense()
    assert layer(tf.ones([1, 3])).numpy().tolist() == [[3, 3]]
    assert len(layer.trainable_variables) == 1
    assert layer(tf.ones([2, 3])).shape == [2, 2]


def test_a_missing_constraint_outside_of_classes_is_told_at_once():
    with pytest.raises(TypeError, match="missing type constraint for y"):
        tf.function(lambda x, y: x, input_signature=[tf.TensorSpec([])])


def test_a_static_function_of_a_class_is_not_a_method():
    function = tf.function(vars(Scaler)["__init__"], input_signature=[tf.TensorSpec([])])
    with pytest.raises(TypeError, match="missing type constraint for factor"):
        function(1.0)
