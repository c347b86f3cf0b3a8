"""Functions of `tf.compat.v1` with signatures of their own return what TensorFlow returns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core import random_state
from tests.compat_v1_calls import CALLS, called

GOLDEN = json.loads((Path(__file__).parent / "golden" / "compat_v1_calls.json").read_text("utf-8"))
v1 = tf.compat.v1


def assert_alike(mine: Any, other: Any) -> None:
    if isinstance(other, list) and any(x is None or isinstance(x, list | str) for x in other):
        assert len(mine) == len(other)
        for a, b in zip(mine, other, strict=True):
            assert_alike(a, b)
    elif isinstance(other, str) or other is None:
        assert mine == other
    else:
        np.testing.assert_allclose(mine, other, rtol=1e-5, atol=1e-5)


@pytest.fixture(autouse=True)
def without_a_global_seed() -> Iterator[None]:
    before = random_state.global_seed()
    tf.random.set_seed(None)
    yield
    tf.random.set_seed(before)


@pytest.mark.parametrize("call", CALLS)
def test_same_result_as_tensorflow(call: str) -> None:
    assert_alike(called(call, v1), GOLDEN[call])


def test_old_and_new_name_of_an_argument_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="both 'dim' and 'axis'"):
        v1.math.softmax([[1.0]], 0, dim=0)
    with pytest.raises(TypeError, match="unexpected argument 'wrong'"):
        v1.math.softmax([[1.0]], wrong=0)
    with pytest.raises(TypeError, match="takes 4 arguments"):
        v1.math.softmax([[1.0]], 0, None, None, None)


def test_moved_functions_are_those_of_tensorflow_2() -> None:
    assert v1.matrix_inverse is tf.linalg.inv
    assert v1.spectral.rfft is tf.signal.rfft
    assert v1.io.read_file is tf.io.read_file
    assert v1.sets.set_union is tf.sets.union
    assert v1.bitwise is tf.bitwise
    assert "matrix_inverse" in dir(v1) and "rfft" in dir(v1.spectral)
    with pytest.raises(AttributeError, match="no_such_name"):
        v1.sets.no_such_name  # noqa: B018


def test_assertions_show_data() -> None:
    v1.assert_equal([1], [1], data=["fine"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="left by the caller"):
        v1.assert_less([2], [1], data=["left by the caller"], message="order")
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive numbers"):
        v1.debugging.assert_positive([-1.0], message="positive numbers")
    with pytest.raises(ValueError, match="rank"):
        v1.assert_rank([1, 2], 2)
    v1.verify_tensor_all_finite(t=[1.0], msg="all finite")


@pytest.mark.parametrize(
    "check",
    [
        lambda x: v1.assert_rank(x, 2, data=["of the caller", x]),
        lambda x: v1.assert_rank_at_least(x, 2, ["of the caller", x]),
        lambda x: v1.assert_rank_in(x, [0, 2], data=["of the caller", x]),
        lambda x: v1.assert_near(x, x + 1.0, data=["of the caller", x]),
        lambda x: v1.debugging.assert_shapes([(x, (3,))], data=["of the caller", x]),
        lambda x: tf.debugging.assert_shapes([(x, (3,))], data=["of the caller", x]),
    ],
)
def test_assertions_in_graphs_show_data(check: Any) -> None:
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def checked(x: Any) -> Any:
        check(x)
        return x

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"of the caller\] \[7"):
        checked(tf.constant([7.0, 8.0]))


def test_eager_assertions_of_closeness_show_data() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="of the caller'\n7"):
        v1.assert_near([7.0], [8.0], data=["of the caller", [7.0]])


def test_variables_change_by_scattered_updates() -> None:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    v1.scatter_sub(v, [0], [[1.0, 1.0]])
    v1.scatter_mul(v, [1], [[2.0, 2.0]])
    v1.scatter_nd_add(v, [[0, 0]], [10.0])
    assert v.numpy().tolist() == [[10.0, 1.0], [6.0, 8.0]]


def test_files_under_their_old_names(tmp_path: Path) -> None:
    v1.gfile.MakeDirs(str(tmp_path / "a/b"))
    with v1.gfile.FastGFile(str(tmp_path / "a/b/c"), "w") as file:
        file.write("text")
    v1.gfile.Copy(str(tmp_path / "a/b/c"), str(tmp_path / "d"))
    assert v1.gfile.Exists(filename=str(tmp_path / "d"))
    assert v1.gfile.ListDirectory(str(tmp_path / "a")) == ["b"]
    v1.gfile.DeleteRecursively(str(tmp_path / "a"))
    assert not v1.gfile.IsDirectory(str(tmp_path / "a"))
    path = str(tmp_path / "records")
    with v1.python_io.TFRecordWriter(path) as writer:
        writer.write(b"one")
        writer.write(b"two")
    assert list(v1.python_io.tf_record_iterator(path)) == [b"one", b"two"]


def test_stubs_are_taken_back() -> None:
    class Holder:
        value = 1

    with v1.test.StubOutForTesting() as stubs:
        stubs.Set(Holder, "value", 2)
        assert Holder.value == 2
    assert Holder.value == 1
    assert Path(v1.test.get_temp_dir()).is_dir()


def test_colocation_and_tables_in_graphs() -> None:
    with tf.Graph().as_default():
        a = tf.constant(1.0, name="a")
        with v1.colocate_with(a):
            b = tf.constant(2.0, name="b")
        assert b.op.colocation_groups() == [b"loc:@a"]
        assert isinstance(v1.tables_initializer(), tf.Operation)
    with v1.colocate_with(tf.constant(1.0)):
        pass
