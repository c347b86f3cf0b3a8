"""Values of extension types: fields, constructors, equality; compared by hand with TensorFlow."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Mapping
from typing import Any, Optional, Tuple, Union  # noqa: UP035

import numpy as np
import pytest

import tapeflow as tf

ExtensionType = tf.experimental.ExtensionType


class Masked(ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


class Weighted(ExtensionType):
    v: tf.Tensor
    n: int = 0


class Everything(ExtensionType):
    shape: tf.TensorShape
    kind: tf.DType
    v: tf.Tensor
    named: Mapping[str, tf.Tensor]
    maybe: Optional[tf.Tensor]  # noqa: UP045
    some: Union[int, float, str]  # noqa: UP007
    many: Tuple[tf.Tensor, ...]  # noqa: UP006
    ragged: tf.RaggedTensor
    pair: tuple[int, tf.Tensor]
    inner: Weighted | None = None


class Base(ExtensionType):
    x: int
    y: int = 5


class Derived(Base):
    z: tf.Tensor


class Node(ExtensionType):
    value: tf.Tensor
    children: tuple[Node, ...] = ()


ROWS = tf.ragged.constant([[1], [2, 3]])


def everything(**other: Any) -> Everything:
    fields = {
        "shape": [1, None],
        "kind": "float32",
        "v": 1,
        "named": {"b": 1, "a": 2.0},
        "maybe": None,
        "some": 3.5,
        "many": [1, 2.0],
        "ragged": ROWS,
        "pair": [1, 2.0],
    }
    return Everything(**{**fields, **other})


def test_fields_are_converted() -> None:
    made = everything()
    assert made.shape == tf.TensorShape([1, None]) and made.kind is tf.float32
    assert isinstance(made.v, tf.Tensor) and made.v.dtype is tf.int32
    assert [type(item) for item in made.many] == [type(made.v)] * 2
    assert made.pair[0] == 1 and made.pair[1].dtype is tf.float32
    assert made.named["a"].dtype is tf.float32 and list(made.named) == ["b", "a"]
    assert made.maybe is None and made.inner is None and made.ragged is ROWS
    assert everything(maybe=1.0).maybe.dtype is tf.float32


def test_repr_names_the_fields() -> None:
    tensor = "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>"
    assert repr(Weighted(1.0)) == f"Weighted(v={tensor}, n=0)"
    assert str(Base(1)) == "Base(x=1, y=5)"


@pytest.mark.parametrize(
    ("other", "text"),
    [
        ({"many": 1}, "many: expected tuple, got 'int'"),
        ({"ragged": 1}, "ragged: expected 'RaggedTensor', got 'int'"),
        ({"pair": [1]}, "pair: expected tuple with length 2"),
        ({"pair": [1.5, 2]}, r"pair\[0\]: expected 'int', got 'float'"),
        ({"some": None}, r"some: expected typing.Union\[int, float, str\], got 'NoneType'"),
        ({"named": {1: 1}}, r"named\[<key>\]: expected 'str', got 'int'"),
        ({"named": 5}, "named: expected mapping, got 'int'"),
        ({"named": {"a": None}}, r"named\['a'\]: expected a Tensor, got 'NoneType'"),
        ({"shape": "x"}, "shape: expected 'tf.TensorShape', got 'str'"),
        ({"kind": object()}, "kind: expected 'tf.DType', got 'object'"),
        ({"maybe": object()}, "maybe: expected typing.Optional"),
        ({"inner": 1.0}, "inner: expected .*Weighted"),
    ],
)
def test_what_does_not_fit_is_a_type_error(other: dict[str, Any], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        everything(**other)


def test_plain_fields_are_of_their_class() -> None:
    assert Weighted(1.0, True).n is True
    for wrong in (1.5, np.int32(1), "1"):
        with pytest.raises(TypeError, match="n: expected 'int'"):
            Weighted(1.0, wrong)  # type: ignore[arg-type]


def test_wrong_arguments_are_those_of_any_python_function() -> None:
    for args, kwargs, text in (
        ((1,), {}, "missing a required argument: 'mask'"),
        ((1, 2, 3), {}, "too many positional arguments"),
        ((1, 2), {"foo": 3}, "unexpected keyword argument 'foo'"),
        ((1, 2), {"mask": 3}, "multiple values for argument 'mask'"),
    ):
        with pytest.raises(TypeError, match=text):
            Masked(*args, **kwargs)


def test_derived_types_have_the_fields_of_their_bases() -> None:
    made = Derived(1, z=3)
    assert (made.x, made.y, made.z.numpy()) == (1, 5, 3)
    signature = inspect.signature(Derived)
    assert list(signature.parameters) == ["x", "y", "z"]
    assert signature.parameters["z"].kind is inspect.Parameter.KEYWORD_ONLY
    with pytest.raises(TypeError, match="too many positional"):
        Derived(1, 2, 3)
    assert tf.experimental.extension_type.as_dict(made) == {"x": 1, "y": 5, "z": made.z}


def test_a_type_may_hold_itself() -> None:
    tree = Node(3, [Node(5), Node(2)])
    assert [child.value.numpy() for child in tree.children] == [5, 2]
    with pytest.raises(TypeError, match=r"children\[0\]: expected 'Node', got 'int'"):
        Node(1, [2])

    class Local(ExtensionType):
        rest: Local | None = None

    assert Local(Local()).rest.rest is None


def test_names_may_be_defined_later() -> None:
    namespace: dict[str, Any] = {"__annotations__": {"x": "DefinedLater"}, "__module__": __name__}
    early: Any = type(ExtensionType)("Early", (ExtensionType,), namespace)
    with pytest.raises(TypeError, match="x: Unsupported type annotation 'DefinedLater'"):
        early(1)
    globals()["DefinedLater"] = int
    try:
        assert early(1).x == 1
    finally:
        del globals()["DefinedLater"]


# -- immutability -----------------------------------------------------------------------------


def test_values_and_specs_cannot_be_changed() -> None:
    made = Masked([1, 2], [True, False])
    text = "Cannot mutate attribute `mask`"
    with pytest.raises(AttributeError, match=text):
        made.mask = [True, True]
    with pytest.raises(AttributeError, match=text):
        del made.mask
    with pytest.raises(TypeError, match="does not support item assignment"):
        made.mask[0] = False
    with pytest.raises(AttributeError, match="of ExtensionTypeSpec"):
        made._type_spec.mask = 1
    with pytest.raises(TypeError, match="item assignment"):
        everything().named["a"] = 1
    with pytest.raises(AttributeError, match="'Masked' object has no attribute 'foo'"):
        made.foo  # noqa: B018
    with pytest.raises(AssertionError, match="abstract base class"):
        ExtensionType()


def test_a_constructor_of_ones_own_sets_fields() -> None:
    class Toy(ExtensionType):
        name: str
        price: tf.Tensor

        def __init__(self, name: str, price: Any, discount: float = 0) -> None:
            self.name = "unnamed"
            del self.name
            self.name = name
            self.price = price * (1 - discount)

    made = Toy("ball", 5.0, discount=0.5)
    assert made.name == "ball" and made.price.numpy() == np.float32(2.5)
    assert list(inspect.signature(Toy).parameters) == ["name", "price", "discount"]
    with pytest.raises(AttributeError, match="Cannot mutate attribute"):
        made.name = "doll"


def test_a_constructor_must_set_all_fields_and_no_others() -> None:
    class Nothing(ExtensionType):
        a: tf.Tensor

        def __init__(self) -> None:
            pass

    class Other(ExtensionType):
        a: tf.Tensor

        def __init__(self) -> None:
            self.b = 1

    with pytest.raises(ValueError, match=r"Missing required fields: {'a'}"):
        Nothing()
    with pytest.raises(AttributeError, match="Cannot mutate attribute"):
        Other()


def test_constructors_call_those_of_their_bases() -> None:
    class First(ExtensionType):
        a: tf.Tensor

        def __init__(self, a: Any) -> None:
            self.a = a

    class Second(First):
        b: tf.Tensor

        def __init__(self, a: Any, b: Any) -> None:
            super().__init__(a)
            self.b = b

    made = Second(1, 2.0)
    assert (made.a.numpy(), made.b.numpy()) == (1, 2.0)


def test_validate_is_called_with_converted_fields() -> None:
    class Checked(ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

        def __validate__(self) -> None:
            self.values.shape.assert_is_compatible_with(self.mask.shape)
            if not self.mask.dtype.is_bool:
                raise AssertionError("mask.dtype must be bool")

    Checked([1], [True])
    with pytest.raises(AssertionError, match="must be bool"):
        Checked([1], [0])
    with pytest.raises(ValueError, match="incompatible"):
        Checked([1, 2, 3], [True, False])


# -- equality ---------------------------------------------------------------------------------


def test_equality_is_a_tensor_unless_the_types_differ() -> None:
    same = Weighted([1.0]) == Weighted([1.0])
    assert isinstance(same, tf.Tensor) and bool(same)
    assert not bool(Weighted([1.0]) == Weighted([2.0]))
    assert bool(Weighted([1.0]) != Weighted([2.0]))
    assert not bool(Weighted(float("nan")) == Weighted(float("nan")))
    for other in (Weighted([1.0, 1.0]), Weighted([1]), Weighted([1.0], 2), Base(1), 5, "x", None):
        assert (Weighted([1.0]) == other) is False
        assert (Weighted([1.0]) != other) is True
    assert (Base(1) == Base(1)) is True
    assert everything() == everything()
    with pytest.raises(TypeError, match="unhashable"):
        hash(Base(1))


def test_equality_while_tracing() -> None:
    compare = tf.function(lambda a, b: a == b)
    assert bool(compare(Weighted([1.0]), Weighted([1.0])))
    assert not bool(compare(Weighted([1.0]), Weighted([2.0])))


def test_copies_and_pickles() -> None:
    made = everything(inner=Weighted([1.0, 2.0], 3))
    for again in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert bool(again == made)
    spec = made._type_spec
    assert pickle.loads(pickle.dumps(spec)) == spec


# -- wrong classes ----------------------------------------------------------------------------


def declared(**body: Any) -> Any:
    return type(ExtensionType)("K", (ExtensionType,), {"__module__": __name__, **body})


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (list, "Unsupported type annotation 'list'"),
        (list[int], r"Unsupported type annotation list\[int\]"),
        (dict[str, int], "Unsupported type annotation"),
        (tuple, "Unsupported type annotation 'tuple'"),
        (object, "Unsupported type annotation 'object'"),
        (complex, "Unsupported type annotation 'complex'"),
        (Any, "Unsupported type annotation"),
        (tf.Variable, "Unsupported type annotation 'Variable'"),
        (tf.TensorSpec([]), "Unsupported type annotation TensorSpec"),
        (Mapping[tf.Tensor, int], "Mapping had a key 'Tensor' with type 'type'"),
        (Mapping[str, list[int]], r"Unsupported type annotation list\[int\]"),
    ],
)
def test_unsupported_annotations(annotation: Any, text: str) -> None:
    with pytest.raises(TypeError, match=f"In field 'x': {text}"):
        declared(__annotations__={"x": annotation})


@pytest.mark.parametrize("name", ["self", "Spec", "_type_spec", "_tf_extension_type_x"])
def test_reserved_names(name: str) -> None:
    with pytest.raises(ValueError, match=f"Field '{name}' is reserved."):
        declared(__annotations__={name: int})


def test_wrong_bodies() -> None:
    with pytest.raises(ValueError, match="Field x is missing a type annotation"):
        declared(x=1)
    with pytest.raises(TypeError, match="default value for x: expected 'int', got 'str'"):
        declared(__annotations__={"x": int}, x="a")
    with pytest.raises(ValueError, match=r"K\.Spec must be a class.*1"):
        declared(Spec=1)
    with pytest.raises(ValueError, match="only base class"):
        declared(Spec=Weighted.Spec)
    with pytest.raises(ValueError, match="'x', which is a field of K"):
        declared(__annotations__={"x": int}, Spec=type("Spec", (), {"x": 1}))
    with pytest.raises(ValueError, match="uses reserved name '_serialize'"):
        declared(Spec=type("Spec", (), {"_serialize": 1}))
    with pytest.raises(ValueError, match=r"must be a subclass of .*BatchableExtensionType"):
        declared(__batch_encoder__=tf.experimental.ExtensionTypeBatchEncoder())


def test_defaults_become_tensors_where_they_are_used() -> None:
    class Pencil(ExtensionType):
        length: tf.Tensor = 1.0

    assert Pencil.length == 1.0
    assert isinstance(Pencil().length, tf.Tensor)
    assert tf.function(lambda: Pencil())().length.numpy() == 1.0
