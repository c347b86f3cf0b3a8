"""Binding calls to parameters, with and without an input signature, and how functions print."""

from __future__ import annotations

import collections
import inspect
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core.trace_type import TracingContext
from tapeflow._src.function.retracing import explain
from tapeflow._src.function.signature import Binder

Spec = tf.TensorSpec
SCALAR = "TensorSpec(shape=(), dtype=tf.float32, name=None)"
VECTOR = "TensorSpec(shape=(None,), dtype=tf.float32, name=None)"


def everything(x, /, y, *args, k=1, **kw):
    return x


class TestBinding:
    @pytest.mark.parametrize(
        ("args", "kwargs", "names", "values"),
        [
            ((1, 2), {}, ["x", "y", "k"], [1, 2, 1]),
            ((1,), {"y": 2, "k": 3}, ["x", "y", "k"], [1, 2, 3]),
            ((1, 2, 3, 4), {}, ["x", "y", "args_0", "args_1", "k"], [1, 2, 3, 4, 1]),
            ((1, 2), {"b": 5, "k": 4, "a": 6}, ["x", "y", "k", "a", "b"], [1, 2, 4, 6, 5]),
        ],
    )
    def test_the_canonical_form(self, args, kwargs, names, values):
        bound = Binder(everything).bind(args, kwargs)
        assert [a.name for a in bound] == names
        assert [a.value for a in bound] == values

    @pytest.mark.parametrize(
        ("args", "names"),
        [
            ((1,), ("y", "k")),
            ((1,), ("k", "y")),
            ((1, 2), ("b", "a")),
            ((1, 2, 3), ("a", "k")),
        ],
    )
    def test_the_layout_is_the_canonical_order(self, args, names):
        binder = Binder(everything)
        kwargs = {name: f"value of {name}" for name in names}
        args = tuple(f"value {index}" for index in args)
        values = (*args, *kwargs.values())
        in_order = [values[index] for index in binder.layout(len(args), names)]
        assert in_order == [a.value for a in binder.bind(args, kwargs) if a.value != 1]

    @pytest.mark.parametrize(
        ("args", "kwargs", "why"),
        [
            ((), {}, "missing a required argument: 'x'"),
            ((1,), {}, "missing a required argument: 'y'"),
            ((1, 2, 3), {}, "too many positional arguments"),
            ((1, 2), {"w": 3}, "got an unexpected keyword argument 'w'"),
            ((1, 2), {"x": 3}, "multiple values for argument 'x'"),
        ],
    )
    def test_what_does_not_fit(self, args, kwargs, why):
        function = tf.function(lambda x, y: x)
        with pytest.raises(TypeError) as caught:
            function(*args, **kwargs)
        assert str(caught.value) == (
            f"The arguments do not fit the function: {why}. Received args {args} and kwargs "
            f"{kwargs}, expected (x, y)."
        )

    def test_the_declared_type(self):
        function = tf.function(lambda x, y=2, *args, z=3, **kw: x)
        assert str(function.function_type) == (
            "(x, y=<captured_default_value>, *args, z=<captured_default_value>, **kw)"
        )


@pytest.mark.parametrize(
    ("signature", "function", "message"),
    [
        ([Spec([])] * 2, lambda x: x, "input_signature contains 1 extra type constraints."),
        ([Spec([])], lambda x, y: x, "input_signature missing type constraint for y"),
        ([], lambda x: x, "input_signature missing type constraint for x"),
        (Spec([]), lambda x: x, "input_signature must be a tuple or list of specs"),
        (
            [1],
            lambda x: x,
            "or other specs only, received [1] of type int",
        ),
        ([None], lambda x: x, "received [None]"),
        ([tf.Variable(1.0)], lambda x: x, "received [<tf.Variable"),
        (
            [Spec([])],
            lambda x, *, k: x,
            "keyword-only `k` needs a default value",
        ),
    ],
)
def test_signatures_that_do_not_fit_the_function(signature, function, message):
    with pytest.raises(TypeError) as caught:
        tf.function(function, input_signature=signature)
    assert message in str(caught.value)


class TestInputSignature:
    @pytest.mark.parametrize(
        "value",
        [
            tf.constant([1.0, 2.0]),
            [1.0, 2.0],
            [1, 2],
            (1, 2),
            np.array([1.0, 2.0]),
            np.array([1, 2]),
            tf.Variable([1.0, 2.0]),
            [tf.constant(1.0), tf.constant(2.0)],
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_values_are_converted(self, value):
        function = tf.function(lambda x, y=3: x, input_signature=[Spec([None])])
        for _ in range(2):
            result = function(value)
            assert result.dtype is tf.float32
            np.testing.assert_array_equal(result, [1, 2])
        np.testing.assert_array_equal(function(x=value), [1, 2])
        assert function.experimental_get_tracing_count() == 1

    @pytest.mark.parametrize(
        ("args", "kwargs", "why"),
        [
            (
                (tf.constant([[1.0]]),),
                {},
                f"Cannot convert TensorSpec(shape=(1, 1), dtype=tf.float32, name=None) to {VECTOR}",
            ),
            (
                (tf.constant([1]),),
                {},
                f"Cannot convert TensorSpec(shape=(1,), dtype=tf.int32, name=None) to {VECTOR}",
            ),
            (("abc",), {}, "Cannot convert 'abc' to EagerTensor of dtype float"),
            ((None,), {}, "Cannot convert None of type NoneType"),
            (([1.0], 4), {}, "Cannot convert 4 to Literal[3]"),
            (([1.0],), {"y": 4}, "Cannot convert 4 to Literal[3]"),
            ((), {}, "missing a required argument: 'x'"),
            (([1.0],), {"q": 4}, "got an unexpected keyword argument 'q'"),
        ],
    )
    def test_values_that_do_not_fit(self, args, kwargs, why):
        function = tf.function(lambda x, y=3: x, input_signature=[Spec([None])])
        with pytest.raises(TypeError) as caught:
            function(*args, **kwargs)
        assert f"do not fit the function: {why}" in str(caught.value)
        expected = f"expected (x: {VECTOR}, y: Literal[3] = <captured_default_value>)."
        assert expected in str(caught.value)

    def test_structures(self):
        signature = [{"a": Spec([])}, [Spec([]), Spec([])]]
        function = tf.function(lambda d, items: d["a"] + items[1], input_signature=signature)
        assert function({"a": 1}, [2, 3]).numpy() == 4
        assert function(collections.OrderedDict(a=1), [2.0, tf.constant(3.0)]).numpy() == 4
        for wrong in [({"b": 1.0}, [1.0, 2.0]), ({"a": 1.0}, [1.0]), ({"a": 1.0}, (1.0, 2.0))]:
            with pytest.raises(TypeError, match="do not fit the function"):
                function(*wrong)
        assert function.experimental_get_tracing_count() == 1

    def test_further_positional_arguments(self):
        function = tf.function(lambda *a: a[0] - a[1], input_signature=[Spec([]), Spec([])])
        assert function(3.0, 1).numpy() == 2
        with pytest.raises(TypeError, match="too many positional arguments"):
            function(1.0, 2.0, 3.0)

    def test_defaults_take_the_spec_they_have(self):
        function = tf.function(lambda a, b=2: a + b, input_signature=[Spec([]), Spec([])])
        assert function(1).numpy() == 3

    def test_ragged(self):
        spec = tf.RaggedTensorSpec([None, None], tf.int32)
        function = tf.function(lambda r: r, input_signature=[spec])
        assert function(tf.ragged.constant([[1], [2, 3]])).to_list() == [[1], [2, 3]]
        with pytest.raises(TypeError, match="do not fit the function"):
            function(tf.constant([[1]]))


class TestConcrete:
    @pytest.fixture
    def power(self):
        function = tf.function(lambda a, b: a**b)
        return function.get_concrete_function(a=Spec(None), b=2)

    def test_text(self, power):
        unknown = "TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)"
        assert str(power) == (
            f"ConcreteFunction Input Parameters:\n"
            f"  a (POSITIONAL_OR_KEYWORD): {unknown}\n"
            f"  b (POSITIONAL_OR_KEYWORD): Literal[2]\n"
            f"Output Type:\n  {unknown}\nCaptures:\n  None"
        )
        line = f"(a: {unknown}, b: Literal[2]) -> {unknown}"
        assert power.pretty_printed_signature(verbose=False) == line
        assert repr(power) == f"<ConcreteFunction {line} at 0x{id(power):X}>"

    def test_text_of_a_long_signature(self):
        variable = tf.Variable(1.0)
        large = tf.zeros([300])

        def function(x, d, n=None, *args, flag=True, **kw):
            return {"s": x + variable, "l": [large, (x,)], "c": 3, "n": None}

        concrete = tf.function(function).get_concrete_function(
            Spec([]), {"k": Spec([1]), "a": [1, "s"]}, Spec([]), 7, extra=Spec([2])
        )
        assert concrete.pretty_printed_signature() == (
            "Input Parameters:\n"
            f"  x (POSITIONAL_ONLY): {SCALAR}\n"
            "  d (POSITIONAL_ONLY): Dict[['k', TensorSpec(shape=(1,), dtype=tf.float32, "
            "name=None)], ['a', List[Literal[1], Literal['s']]]]\n"
            f"  n (POSITIONAL_ONLY): {SCALAR}\n"
            "  args_0 (POSITIONAL_ONLY): Literal[7]\n"
            "  flag (KEYWORD_ONLY): Literal[True]\n"
            "  extra (KEYWORD_ONLY): TensorSpec(shape=(2,), dtype=tf.float32, name=None)\n"
            "Output Type:\n"
            f"  Dict[['s', {SCALAR}], ['l', List[TensorSpec(shape=(300,), dtype=tf.float32, "
            f"name=None), Tuple[{SCALAR}]]], ['c', TensorSpec(shape=(), dtype=tf.int32, "
            "name=None)], ['n', Literal[None]]]\n"
            "Captures:\n"
            f"  {id(variable.handle)}: TensorSpec(shape=(), dtype=tf.resource, name=None)\n"
            f"  {id(large)}: TensorSpec(shape=(300,), dtype=tf.float32, name=None)"
        )
        assert concrete.structured_input_signature == (
            (
                Spec([], name="x"),
                {"k": Spec([1], name="d_k"), "a": [1, "s"]},
                Spec([], name="n"),
                7,
            ),
            {"flag": True, "extra": Spec([2], name="extra")},
        )

    def test_positional_parameters_before_varargs_are_positional_only(self):
        def function(x, *args, k=1):
            return x

        concrete = tf.function(function).get_concrete_function(Spec([]))
        assert [p.kind.name for p in concrete.function_type.parameters.values()] == [
            "POSITIONAL_ONLY",
            "KEYWORD_ONLY",
        ]

    @pytest.mark.parametrize(
        ("given", "structured", "names"),
        [
            (Spec([]), Spec([], name="d"), ["d"]),
            (Spec([], name="foo"), Spec([], name="foo"), ["foo"]),
            (
                [Spec([]), [Spec([1]), Spec([2])]],
                [Spec([], name="d_0"), [Spec([1], name="d_1_0"), Spec([2], name="d_1_1")]],
                ["d", "d_1", "d_2"],
            ),
            ({"b c/": Spec([])}, {"b c/": Spec([], name="d_b_c_")}, ["d"]),
            ([Spec([], name="s")] * 2, [Spec([], name="s")] * 2, ["s", "s_1"]),
        ],
    )
    def test_names(self, given, structured, names):
        concrete = tf.function(lambda d: 1).get_concrete_function(given)
        assert concrete.structured_input_signature == ((structured,), {})
        assert concrete._arg_keywords == names
        assert [tensor.op.name for tensor in concrete.inputs] == names

    def test_calls_that_fit(self, power):
        three = tf.constant(3.0)
        for result in [power(three), power(a=three), power(three, 2), power(three, b=2)]:
            assert result.numpy() == 9
        assert power([3, 4], 2).numpy().tolist() == [9, 16]

    @pytest.mark.parametrize(
        ("args", "kwargs", "first", "second"),
        [
            (
                (3.0,),
                {},
                "missing a required argument: 'b'",
                "must be a Tensor, received float: 3.0.",
            ),
            ((), {}, "missing a required argument: 'a'", "missing required arguments: a."),
            ((tf.constant(3.0), 2, 3), {}, "too many", "takes 1 positional arguments, got 3."),
            ((tf.constant(3.0),), {"q": 1}, "missing", "got unexpected keyword arguments: q."),
            ((tf.constant(3.0),), {"b": 3}, "Cannot convert 3 to Literal[2]", "arguments: b."),
        ],
    )
    def test_calls_that_do_not_fit(self, power, args, kwargs, first, second):
        with pytest.raises(TypeError) as caught:
            power(*args, **kwargs)
        structured, flat = str(caught.value).split(
            "\nNor do the arguments fit the flat list of tensors: "
        )
        assert f"do not fit the function: {first}" in structured
        assert flat.startswith("<lambda>(a)")
        assert flat.endswith(second)

    def test_the_wrong_dtype(self, power):
        with pytest.raises(tf.errors.InvalidArgumentError, match="was expected to be a float"):
            power(tf.constant(3))

    def test_structures_can_be_passed_flat(self):
        concrete = tf.function(lambda d: d["b"] - d["a"]).get_concrete_function(
            {"b": Spec([]), "a": Spec([])}
        )
        assert concrete({"b": tf.constant(3.0), "a": tf.constant(1.0)}).numpy() == 2
        assert concrete(tf.constant(1.0), tf.constant(3.0)).numpy() == 2
        assert concrete(d=tf.constant(1.0), d_1=tf.constant(3.0)).numpy() == 2

    def test_variables(self):
        concrete = tf.function(lambda v: v + 1).get_concrete_function(tf.Variable(1.0))
        assert concrete(tf.Variable(5.0)).numpy() == 6
        with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a resource"):
            concrete(tf.constant(5.0))
        plain = tf.function(lambda x: x + 1).get_concrete_function(tf.constant(1.0))
        assert plain(tf.Variable(5.0)).numpy() == 6


class TestExplanations:
    def request(self, *args, **kwargs):
        binder = Binder(lambda x, n=1: x)
        return binder.types_of(binder.bind(args, kwargs), TracingContext())

    @pytest.mark.parametrize(
        ("before", "after", "line"),
        [
            (
                (tf.zeros([3]),),
                (tf.zeros([4]),),
                "argument `x`: shape (3,) -> (4,); pass input_signature=[tf.TensorSpec([None], "
                "tf.float32)] or reduce_retracing=True",
            ),
            (
                (tf.zeros([3]), tf.zeros([])),
                (tf.zeros([3, 1]), tf.zeros([])),
                "argument `x`: shape (3,) -> (3, 1); pass input_signature=[tf.TensorSpec(None, "
                "tf.float32), tf.TensorSpec([], tf.float32)] or reduce_retracing=True",
            ),
            (
                (tf.zeros([3]), 1),
                (tf.zeros([3]), 2),
                "argument `n`: Python value 1 -> 2; pass a tensor: tf.constant(2)",
            ),
            (
                (tf.zeros([3]), "a"),
                (tf.zeros([3]), "b"),
                "argument `n`: Python value 'a' -> 'b'; each Python value has a trace of its own",
            ),
            (
                (tf.zeros([3]),),
                (tf.zeros([3], tf.int32),),
                "argument `x`: dtype float32 -> int32; cast it before the call: "
                "tf.cast(x, tf.float32)",
            ),
            (
                ({"a": [tf.zeros([1])], "b": 1},),
                ({"a": [tf.zeros([2])], "b": 1},),
                "argument `x['a'][0]`: shape (1,) -> (2,); relax it to "
                "tf.TensorSpec([None], tf.float32) in an input_signature or reduce_retracing=True",
            ),
            (
                (1,),
                (tf.zeros([]),),
                f"argument `x`: Python value 1 -> {SCALAR}; pass a tensor each time",
            ),
            (
                ([1],),
                ((1,),),
                "argument `x`: List[Literal[1]] -> Tuple[Literal[1]]; pass the same structure "
                "each time",
            ),
            (
                (tf.Variable(1.0),),
                (tf.Variable([1.0]),),
                "argument `x`: variable of float32() -> float32(1,); pass reduce_retracing=True "
                "if only the shape differs",
            ),
        ],
    )
    def test_one_line(self, before, after, line):
        assert explain(self.request(*after), [self.request(*before)]) == line

    def test_another_object(self):
        line = explain(self.request(len), [self.request(print)])
        assert line.startswith("argument `x`: another object; objects are compared by identity")

    def test_the_first_trace_needs_no_reason(self):
        assert explain(self.request(1), []) is None

    def test_the_nearest_trace_is_compared(self):
        known = [self.request(tf.zeros([1]), 1), self.request(tf.zeros([5]), 7)]
        line = explain(self.request(tf.zeros([2]), 1), known)
        assert line.startswith("argument `x`: shape (1,) -> (2,)")
        assert "argument `n`" not in line


def test_the_graph_alone():
    concrete = tf.function(lambda a: a + a).get_concrete_function(tf.constant("a"))
    assert concrete.inference_fn(tf.constant("a")).numpy() == b"aa"
    variable = tf.Variable(2.0)
    concrete = tf.function(lambda x: x * variable).get_concrete_function(Spec([]))
    atomic = concrete.inference_fn
    with pytest.raises(ValueError, match="takes 1 tensors from outside"):
        atomic(tf.constant(3.0))
    other = tf.Variable(5.0)
    one = (tf.constant(3.0),)
    assert atomic.call_with_captures(one, {}, concrete.captured_inputs).numpy() == 6
    assert atomic.call_with_captures(one, {}, [other.handle]).numpy() == 15


def test_the_function_spec():
    spec = tf.function(lambda x, y=2: x).function_spec
    assert spec.signature_summary() == (
        "Input Parameters:\n  x (POSITIONAL_OR_KEYWORD): None\n  y (POSITIONAL_OR_KEYWORD): None\n"
        "Output Type:\n  None\nCaptures:\n  None"
    )
    assert spec.default_values == {"y": 2}
    assert spec.arg_names == ["x", "y"]
    assert spec.fullargspec.defaults == (2,)
    assert spec.input_signature is None
    signature = [{"a": Spec([])}, Spec([2])]
    spec = tf.function(lambda d, x: x, input_signature=signature).function_spec
    assert spec.flat_input_signature == (Spec([]), Spec([2]))


def test_callables_that_stand_for_functions_have_their_signature() -> None:
    def plain(a: Any, b: Any = 1, *, c: Any = 2) -> Any:
        return a

    class Holder:
        @tf.function
        def method(self, a: Any) -> Any:
            return a

    expected = inspect.getfullargspec(plain)
    for wrap in (tf.function, tf.recompute_grad, tf.custom_gradient):
        assert inspect.getfullargspec(wrap(plain)) == expected
        assert inspect.signature(wrap(plain)) == inspect.signature(plain)
    assert inspect.getfullargspec(Holder.method).args == ["self", "a"]
    assert list(inspect.signature(Holder().method).parameters) == ["a"]
