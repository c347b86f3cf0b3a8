"""`tf.Tensor` as an object: what it is, what Python does with it, and that nobody can change it."""

from __future__ import annotations

import copy
import importlib
import pickle
import weakref
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

F = tf.constant([1.0, 2.0])
I = tf.constant([1, 2])  # noqa: E741
InvalidArgument = tf.errors.InvalidArgumentError


def test_attributes() -> None:
    t = tf.constant([[1.0, 2.0]])
    assert isinstance(t, tf.Tensor)
    assert t.dtype is tf.float32
    assert t.shape == tf.TensorShape([1, 2]) and t.get_shape() == t.shape
    assert t.ndim == 2
    assert t.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    for name in ("name", "op", "graph"):
        with pytest.raises(AttributeError, match="not defined: an eager"):
            getattr(t, name)
    with pytest.raises(AttributeError):
        t.nothing  # noqa: B018


def test_made_by_hand_is_refused_with_the_repair() -> None:
    with pytest.raises(TypeError, match=r"tf\.constant"):
        tf.Tensor([3])


def test_numpy_is_a_copy_and_views_are_read_only() -> None:
    t = tf.constant([1.0, 2.0])
    array = t.numpy()
    array[0] = 9.0
    view = np.asarray(t)
    assert not view.flags.writeable
    with pytest.raises(ValueError):
        view[0] = 9.0
    np.from_dlpack(t)[0] = 9.0
    np.testing.assert_array_equal(t.numpy(), [1.0, 2.0])
    assert type(tf.constant(1.0).numpy()) is np.float32
    assert tf.constant("a").numpy() == b"a"


def test_array_protocol() -> None:
    assert np.array(F, dtype=np.float64).dtype == np.float64
    assert np.asarray(F, dtype=np.float64).dtype == np.float64
    with pytest.raises(ValueError, match="uncopied"):
        np.asarray(F, dtype=np.float64, copy=False)
    np.testing.assert_array_equal(np.sum([F, F], axis=0), [2.0, 4.0])


def test_truth() -> None:
    assert bool(tf.constant(1)) and bool(tf.constant([1])) and not bool(tf.constant([]))
    assert bool(tf.constant("a"))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(F)


def test_numbers() -> None:
    assert int(tf.constant(3)) == 3 and float(F[1]) == 2.0 and complex(F[0]) == 1 + 0j
    assert range(10)[tf.constant(3)] == 3 and [7, 8][tf.constant(1)] == 8
    for convert in (int, float, complex):
        with pytest.raises(TypeError, match="no axes, received shape"):
            convert(F)
    with pytest.raises(TypeError):
        range(10)[tf.constant(1.0)]


def test_sequence() -> None:
    assert len(F) == 2
    assert [float(x) for x in F] == [1.0, 2.0]
    a, b = F
    assert (float(a), float(b)) == (1.0, 2.0)
    with pytest.raises(TypeError, match="no `len"):
        len(tf.constant(1))
    with pytest.raises(TypeError, match="iterate over a scalar"):
        list(tf.constant(1))


def test_hashing_and_references() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(F)
    other = tf.constant([1.0, 2.0])
    table = {F.ref(): "F", other.ref(): "other"}
    assert table[F.ref()] == "F" and table[other.ref()] == "other"
    assert F.ref() == F.ref() and F.ref() != other.ref()
    assert F.ref().deref() is F
    assert (F.ref() < other.ref()) != (other.ref() < F.ref())
    flat = tf.nest.flatten({F.ref(): 1, other.ref(): 2})
    assert sorted(flat) == [1, 2]


def test_equality_is_element_wise() -> None:
    np.testing.assert_array_equal((F == [1.0, 3.0]).numpy(), [True, False])
    np.testing.assert_array_equal((tf.constant([1.0, 3.0]) != F).numpy(), [False, True])
    assert (tf.constant([1.0, 2.0, 3.0]) == F).numpy() == np.False_
    assert (tf.constant([1.0, 2.0, 3.0]) != F).numpy() == np.True_
    assert (F == None) is False  # noqa: E711
    assert (F != None) is True  # noqa: E711
    with pytest.raises(TypeError):
        F == "a"  # noqa: B015
    with pytest.raises(InvalidArgument, match="Equal"):
        F == I  # noqa: B015


def test_copies() -> None:
    for made in (copy.copy(F), copy.deepcopy(F), pickle.loads(pickle.dumps(F))):
        np.testing.assert_array_equal(made.numpy(), F.numpy())
        assert made.dtype is F.dtype
    text = tf.constant(["a", "b"])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(text)).numpy(), text.numpy())
    half = tf.constant([1.5], tf.bfloat16)
    assert pickle.loads(pickle.dumps(half)).dtype is tf.bfloat16


def test_formatting() -> None:
    assert f"{tf.constant(1.5):.2f}" == "1.50"
    assert f"{F}" == "[1. 2.]"


OPERATORS: list[tuple[str, Any]] = [
    ("F + F", [2.0, 4.0]),
    ("F + 1", [2.0, 3.0]),
    ("1 + F", [2.0, 3.0]),
    ("F + True", [2.0, 3.0]),
    ("F + [1, 2]", [2.0, 4.0]),
    ("F + np.array([1.0, 2.0])", [2.0, 4.0]),
    ("np.array([1.0, 2.0]) + F", [2.0, 4.0]),
    ("np.float64(3) * F", [3.0, 6.0]),
    ("I + np.array([1.0, 2.0])", [2, 4]),
    ("3 - F", [2.0, 1.0]),
    ("F / 2", [0.5, 1.0]),
    ("1 / F", [1.0, 0.5]),
    ("-7 // tf.constant(2)", -4),
    ("tf.constant(-7) % 3", 2),
    ("7 % tf.constant(4)", 3),
    ("F // 2", [0.0, 1.0]),
    ("F ** 2", [1.0, 4.0]),
    ("2 ** I", [2, 4]),
    ("-F", [-1.0, -2.0]),
    ("+F", [1.0, 2.0]),
    ("abs(-F)", [1.0, 2.0]),
    ("~I", [-2, -3]),
    ("I & 1", [1, 0]),
    ("I | 4", [5, 6]),
    ("I ^ 1", [0, 3]),
    ("1 & I", [1, 0]),
    ("tf.constant(True) & True", True),
    ("tf.constant(True) ^ tf.constant(True)", False),
    ("~tf.constant(True)", False),
    ("F < 2", [True, False]),
    ("2 > F", [True, False]),
    ("F >= [1.0, 3.0]", [True, False]),
    ("[[1.0, 2.0]] @ tf.constant([[1.0], [2.0]])", [[5.0]]),
    ("tf.constant('a') + 'b'", b"ab"),
    ("'b' + tf.constant('a')", b"ba"),
]


@pytest.mark.parametrize(("code", "expected"), OPERATORS, ids=[c for c, _ in OPERATORS])
def test_operators(code: str, expected: Any) -> None:
    result = eval(code, {"F": F, "I": I, "np": np, "tf": tf})
    np.testing.assert_array_equal(result.numpy(), expected)


def test_integer_division_gives_doubles() -> None:
    assert (I / 2).dtype is tf.float64
    assert (tf.constant([1], tf.int8) / tf.constant([2], tf.int8)).dtype is tf.float32
    with pytest.raises(TypeError, match="same dtype"):
        I / F


FAILS: list[tuple[str, type[Exception], str]] = [
    ("F + I", InvalidArgument, "float32, y is int32, expected"),
    ("I + 1.5", InvalidArgument, "AddV2"),
    ("1.5 + I", TypeError, "Cannot convert 1.5"),
    ("I ** 2.0", TypeError, "Cannot convert 2.0"),
    ("F + 'a'", InvalidArgument, "string"),
    ("F + None", ValueError, "Cannot convert"),
    ("F + object()", ValueError, "Cannot convert"),
    ("F + tf.constant([1.0, 2.0, 3.0])", InvalidArgument, r"\[2\] vs. \[3\].*AddV2"),
    ("F < I", InvalidArgument, "Less"),
    ("I // 0", InvalidArgument, "Integer division by zero.*FloorDiv"),
    ("I % 0", InvalidArgument, "Integer division by zero.*FloorMod"),
    ("I ** -1", InvalidArgument, "negative integer powers.*Pow"),
    ("~F", InvalidArgument, "Invert"),
    ("-tf.constant([1], tf.uint8)", InvalidArgument, "Neg"),
    ("F @ F", InvalidArgument, "MatMul"),
    ("[[1.0, 2.0]] @ tf.constant([[1.0]])", InvalidArgument, "incompatible: the columns of"),
]


@pytest.mark.parametrize(("code", "error", "text"), FAILS, ids=[c for c, _, _ in FAILS])
def test_operators_refuse(code: str, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        eval(code, {"F": F, "I": I, "tf": tf})


def test_other_classes_may_take_over() -> None:
    class Other:
        def __radd__(self, left: Any) -> str:
            return "taken over"

    assert F + Other() == "taken over"


def test_floating_point_oddities_are_values_not_warnings() -> None:
    zero = tf.constant([0.0])
    assert np.isinf((1.0 / zero).numpy()).all() and np.isnan((zero / zero).numpy()).all()
    big = tf.constant([3e38])
    assert np.isinf((big + big).numpy()).all()
    with np.errstate(all="raise"):
        assert np.isinf((big * big).numpy()).all()
    with np.errstate(divide="warn"), pytest.warns(RuntimeWarning):
        np.array([1.0]) / np.array([0.0])


def test_the_class_is_found_where_it_says_it_lives() -> None:
    cls = type(tf.constant(1.0))
    assert str(cls).endswith("ops.EagerTensor'>")
    assert getattr(importlib.import_module(cls.__module__), cls.__name__) is cls


# -- as an object of Python's -------------------------------------------------------------------


@pytest.mark.parametrize("jit", [None, False])
def test_tensors_carry_attributes_of_the_user(jit: bool | None) -> None:
    def program(x: Any) -> Any:
        assert not hasattr(x, "note")
        x.note = "mine"
        assert "note" in dir(x)
        return x + len(x.note)

    run = program if jit is None else tf.function(program, jit_compile=jit, autograph=False)
    tensor = tf.constant(1)
    assert int(run(tensor)) == 5
    assert hasattr(tensor, "note") == (jit is None)  # of the stand-in, where it is traced
    assert not hasattr(tensor + 0, "note")


def test_references_are_weakly_referred_to() -> None:
    tensor = tf.constant(1.0)
    reference = tensor.ref()
    kept = weakref.WeakKeyDictionary({reference: "value"})
    assert kept[tensor.ref()] == "value"
    del reference
    assert not kept


@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_numbers_of_complex_tensors_are_their_real_parts(make: Any) -> None:
    number = make(3.5 - 2.0j)
    assert complex(number) == 3.5 - 2.0j
    with pytest.warns(np.exceptions.ComplexWarning):
        assert int(number) == 3
    with pytest.warns(np.exceptions.ComplexWarning):
        assert float(number) == 3.5


def test_a_scalar_is_not_iterated_over_from_the_first_step_on() -> None:
    with pytest.raises(TypeError, match="Cannot iterate over a scalar tensor"):
        iter(tf.constant(1.0))
    assert [float(item) for item in tf.constant([1.0, 2.0])] == [1.0, 2.0]


def test_handles_are_formatted() -> None:
    assert "ResourceHandle" in f"{tf.Variable(1.0, name='v').handle}"


def test_the_class_has_the_operators_and_methods_of_its_instances() -> None:
    x = tf.constant([1, 2])
    assert tf.Tensor.__add__(x, 2).numpy().tolist() == [3, 4]
    assert tf.Tensor.__getitem__(x, 1).numpy() == 2
    assert tf.Tensor.get_shape(x) == x.shape
    assert tf.Tensor.ref(x) == x.ref()
    for name in (*tf.Tensor.OVERLOADABLE_OPERATORS, "__bool__", "__iter__", "__len__", "__array__"):
        assert callable(getattr(tf.Tensor, name))
    assert tf.Tensor.__array_priority__ == type(x).__array_priority__
    with pytest.raises(TypeError, match="does not define __len__"):
        tf.Tensor.__len__(x)


def test_the_class_has_the_members_that_wrappers_copy() -> None:
    assert isinstance(tf.Tensor.name, property) and isinstance(tf.Tensor.ndim, property)
    assert callable(tf.Tensor.eval)
    assert tf.constant([[1.0]]).ndim == 2


def test_handles_in_graphs_are_scalars() -> None:
    v = tf.Variable([1.0, 2.0])
    concrete = tf.function(lambda: v + 1.0).get_concrete_function()
    assert [t.shape.as_list() for t in concrete.inputs] == [[]]
    assert concrete().shape == [2]
