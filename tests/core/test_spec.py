"""Specs: `TensorSpec` and its relations, bounds, specs of one's own, and the light `Spec`."""

import copy
import itertools
import pickle
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeflow._src.core import dtypes
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.spec import BoundedTensorSpec, Spec, TensorSpec, TypeSpec
from tapeflow._src.core.tensor import Tensor

F32 = dtypes.float32

tensor_specs = st.builds(
    TensorSpec,
    st.one_of(st.none(), st.lists(st.one_of(st.none(), st.integers(0, 2)), max_size=2)),
    st.sampled_from([dtypes.float32, dtypes.int32]),
    st.sampled_from([None, "a", "b"]),
)


class FakeTensor(Tensor):
    def __init__(self, shape, dtype, op=None):
        self._facts = (TensorShape(shape), dtype)
        if op is not None:
            self.op = op

    shape = property(lambda self: self._facts[0])
    dtype = property(lambda self: self._facts[1])


class PairSpec(TypeSpec):
    """Two tensors and a label, as a user would describe them."""

    def __init__(self, specs, options):
        self.specs = specs
        self.options = options

    @property
    def value_type(self):
        return tuple

    def _serialize(self):
        return self.specs, self.options


def test_construction_and_text():
    spec = TensorSpec([2, None])
    assert repr(spec) == str(spec) == "TensorSpec(shape=(2, None), dtype=tf.float32, name=None)"
    assert (spec.shape, spec.dtype, spec.name) == (TensorShape([2, None]), F32, None)
    assert repr(TensorSpec(None)) == "TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)"
    assert repr(TensorSpec(3, np.int32, "x")) == "TensorSpec(shape=(3,), dtype=tf.int32, name='x')"
    assert spec.value_type is Tensor


def test_wrong_arguments():
    with pytest.raises(TypeError, match="'foo'"):
        TensorSpec([], "foo")
    with pytest.raises(TypeError, match="None"):
        TensorSpec([], None)
    with pytest.raises(ValueError, match="Dimension -1 must be >= 0"):
        TensorSpec([-1])
    with pytest.raises(AttributeError):
        TensorSpec([1]).name = "x"
    with pytest.raises(TypeError, match="abstract"):
        TypeSpec()


def test_from_spec():
    spec = TensorSpec([2], name="a")
    assert TensorSpec.from_spec(spec) == TensorSpec.from_spec(spec, name="") == spec
    assert TensorSpec.from_spec(spec, name="b") == TensorSpec([2], name="b")
    bounded = BoundedTensorSpec([2], F32, 0, 1, "n")
    assert TensorSpec.from_spec(bounded) == TensorSpec([2], name="n")


def test_from_tensor():
    tensor = FakeTensor([1], dtypes.int32)
    assert TensorSpec.from_tensor(tensor) == TensorSpec([1], dtypes.int32)
    assert TensorSpec.from_tensor(tensor, name="x") == TensorSpec([1], dtypes.int32, "x")
    symbolic = FakeTensor([1], dtypes.int32, op=SimpleNamespace(name="sq"))
    assert TensorSpec.from_tensor(symbolic).name == "sq"
    assert type(BoundedTensorSpec.from_tensor(tensor)) is TensorSpec
    for wrong in (np.zeros(2), 3):
        with pytest.raises(ValueError, match=r"from_tensor expected a"):
            TensorSpec.from_tensor(wrong)


def test_compatible_with_tensors_and_specs():
    spec = TensorSpec([3])
    assert spec.is_compatible_with(FakeTensor([3], F32))
    assert spec.is_compatible_with(TensorSpec([None], name="other"))
    assert TensorSpec([None]).is_compatible_with(spec)
    assert spec.is_compatible_with(BoundedTensorSpec([3], F32, 0, 1))
    assert not spec.is_compatible_with(FakeTensor([3], dtypes.int32))
    assert not spec.is_compatible_with(FakeTensor([4], F32))
    for other in (np.zeros(3, "f4"), [1.0, 2.0, 3.0], 3, None, TensorShape([3])):
        assert not spec.is_compatible_with(other)


def test_subtypes():
    spec, named = TensorSpec([3]), TensorSpec([3], name="a")
    bounded = BoundedTensorSpec([3], F32, 0, 1)
    assert spec.is_subtype_of(TensorSpec([None])) and not TensorSpec([None]).is_subtype_of(spec)
    assert spec.is_subtype_of(named) and not named.is_subtype_of(spec)
    assert named.is_subtype_of(named) and not named.is_subtype_of(TensorSpec([3], name="b"))
    assert not spec.is_subtype_of(TensorSpec([3], dtypes.int32)) and not spec.is_subtype_of(3)
    assert spec.is_subtype_of(bounded) and bounded.is_subtype_of(spec)


def test_common_supertypes():
    spec, named = TensorSpec([3]), TensorSpec([3], name="a")
    assert spec.most_specific_common_supertype([TensorSpec([4])]) == TensorSpec([None])
    assert spec.most_specific_common_supertype([TensorSpec([3, 3])]) == TensorSpec(None)
    assert spec.most_specific_common_supertype([]) == spec
    kept = named.most_specific_common_supertype([TensorSpec([4], name="a")])
    assert kept == TensorSpec([None], name="a")
    for other in (TensorSpec([4], dtypes.int32), named, 3, BoundedTensorSpec([3], F32, 0, 1)):
        assert spec.most_specific_common_supertype([other]) is None


def test_compatible_type():
    named = TensorSpec([3], name="a")
    wider = named.most_specific_compatible_type(TensorSpec([4], name="a"))
    assert wider == TensorSpec([None], name="a")
    for other in (TensorSpec([4], name="b"), TensorSpec([4], dtypes.int32, "a"), 3):
        with pytest.raises(ValueError, match="no TypeSpec in common"):
            named.most_specific_compatible_type(other)


def test_equality():
    assert TensorSpec([None]) == TensorSpec([None]) and TensorSpec(None) == TensorSpec(None)
    assert TensorSpec([3]) != TensorSpec([3], name="a")
    assert TensorSpec([3]) != TensorSpec([3], dtypes.int32) and TensorSpec([None]) != TensorSpec(
        [3]
    )
    assert TensorSpec([3]) != BoundedTensorSpec([3], F32, 0, 1) and TensorSpec([3]) != 3


@given(tensor_specs, tensor_specs)
def test_laws(a, b):
    assert pickle.loads(pickle.dumps(a)) == copy.deepcopy(a) == a
    assert hash(copy.deepcopy(a)) == hash(a)
    assert a.is_compatible_with(b) == b.is_compatible_with(a)
    above = a.most_specific_common_supertype([b])
    if above is not None:
        assert a.is_subtype_of(above) and b.is_subtype_of(above)


def test_bounds():
    spec = BoundedTensorSpec([2], F32, [0, 1], 1, "n")
    assert repr(spec) == (
        "BoundedTensorSpec(shape=(2,), dtype=tf.float32, name='n', "
        "minimum=array([0., 1.], dtype=float32), maximum=array(1., dtype=float32))"
    )
    assert spec.minimum.dtype == spec.maximum.dtype == np.float32
    assert not spec.minimum.flags.writeable
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert hash(pickle.loads(pickle.dumps(spec))) == hash(spec)
    assert spec != BoundedTensorSpec([2], F32, [0, 1], 2, "n")
    assert BoundedTensorSpec([2], dtypes.int32, 0.5, 1).minimum == 0


def test_bounds_do_not_follow_the_array_given():
    low = np.zeros(2, np.float32)
    spec = BoundedTensorSpec([2], F32, low, 1)
    low[:] = 5
    assert spec.minimum.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("shape", "minimum"),
    [([2, 3], [[0], [1]]), ([None, 2], [0, 1]), (None, [0, 1]), ([None], [0, 1]), ([], 0)],
)
def test_bounds_broadcast(shape, minimum):
    assert BoundedTensorSpec(shape, F32, minimum, 1).minimum.tolist() == minimum


def test_wrong_bounds():
    with pytest.raises(ValueError, match="`minimum` can not be None"):
        BoundedTensorSpec([2], F32, None, 1)
    with pytest.raises(ValueError, match="`maximum` can not be None"):
        BoundedTensorSpec([2], F32, 1, None)
    with pytest.raises(
        ValueError, match=r"`minimum` \[0, 1, 2\] is not compatible with shape \(2,"
    ):
        BoundedTensorSpec([2], F32, [0, 1, 2], 1)
    with pytest.raises(OverflowError):
        BoundedTensorSpec([2], dtypes.uint8, -1, 300)


def test_bounds_from_a_spec():
    bounded = BoundedTensorSpec([2], F32, 0, 1, "n")
    assert BoundedTensorSpec.from_spec(bounded) == bounded
    limits = BoundedTensorSpec.from_spec(TensorSpec([2], dtypes.int8))
    assert (limits.minimum, limits.maximum) == (-128, 127)
    with pytest.raises(TypeError, match="minimum"):
        BoundedTensorSpec.from_spec(TensorSpec([2], dtypes.bool))


def test_common_supertype_of_bounds():
    spec = BoundedTensorSpec([2], F32, 0, 1)
    wider = spec.most_specific_common_supertype([BoundedTensorSpec([3], F32, 0, 1)])
    assert wider == BoundedTensorSpec([None], F32, 0, 1)
    assert spec.most_specific_compatible_type(BoundedTensorSpec([3], F32, 0, 1)) == wider
    assert spec.most_specific_common_supertype([BoundedTensorSpec([3], F32, 0, 2)]) is None
    assert spec.most_specific_common_supertype([TensorSpec([2])]) is None


def pair(size, label="x", extra=()):
    return PairSpec(
        [TensorSpec([size]), TensorSpec([], dtypes.int32)], {"label": label, "e": extra}
    )


def test_a_spec_of_ones_own():
    assert pair(2) == pair(2) and hash(pair(2)) == hash(pair(2)) and pair(2) != pair(3)
    assert pickle.loads(pickle.dumps(pair(2))) == pair(2)
    assert pair(2).is_subtype_of(pair(None)) and not pair(None).is_subtype_of(pair(2))
    assert pair(2).most_specific_common_supertype([pair(3)]) == pair(None)
    assert not pair(2).is_subtype_of(pair(2, "y"))
    for other in (pair(2, "y"), pair(2, extra=(1,)), PairSpec([], {}), PairSpec(1, {})):
        assert pair(2).most_specific_common_supertype([other]) is None
        assert not pair(2).is_compatible_with(other)
    assert pair(2).is_compatible_with(pair(None))
    assert pair(2).is_compatible_with(SimpleNamespace(_type_spec=pair(2)))
    assert not pair(2).is_compatible_with(SimpleNamespace(_type_spec=pair(3)))
    assert not pair(2).is_compatible_with((1, 2))
    assert PairSpec([TensorShape([2])], {}).is_compatible_with(PairSpec([TensorShape([None])], {}))


def test_containers_in_specs_keep_their_kind():
    class Row(NamedTuple):
        a: TensorSpec
        b: TensorSpec

    class Other(NamedTuple):
        a: TensorSpec
        b: TensorSpec

    def parts(size):
        return TensorSpec([size]), TensorSpec([])

    found = PairSpec(Row(*parts(2)), {}).most_specific_compatible_type(PairSpec(Row(*parts(3)), {}))
    assert found == PairSpec(Row(*parts(None)), {})
    assert type(found.specs) is Row
    kinds = [Row(*parts(2)), Other(*parts(2)), parts(2), list(parts(2)), dict(zip("ab", parts(2)))]
    for one, two in itertools.permutations(kinds, 2):
        assert not PairSpec(one, {}).is_compatible_with(PairSpec(two, {}))
        assert not PairSpec(one, {}).is_subtype_of(PairSpec(two, {}))
        with pytest.raises(ValueError, match="no TypeSpec in common"):
            PairSpec(one, {}).most_specific_compatible_type(PairSpec(two, {}))


def test_the_light_spec():
    spec = Spec((2, None), F32)
    assert (spec.rank, spec.is_static, spec.value) == (2, False, None)
    assert Spec(None, F32).rank is None and not Spec(None, F32).is_static
    assert Spec((), F32, np.array(1.0)).is_static
    assert spec == Spec((2, None), F32)
    assert spec != Spec((2, 3), F32) and spec != Spec((2, None), dtypes.int32) and spec != 3
    assert Spec((1,), F32, np.ones(1)) == Spec((1,), F32, np.ones(1))
    assert Spec((1,), F32, np.ones(1)) != Spec((1,), F32, np.zeros(1))
    assert Spec((1,), F32, np.ones(1)) != Spec((1,), F32)
    assert repr(spec) == "Spec((2, None), tf.float32)"
    assert repr(Spec((), F32, np.array(1.0))) == "Spec((), tf.float32, array(1.))"
