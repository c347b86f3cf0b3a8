"""`tf.__internal__` and the private modules that are more than aliases."""

from __future__ import annotations

import collections
import functools
import inspect
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.standin.modules import (
    context,
    deprecation,
    sparse_csr_matrix_ops,
    tf_inspect,
    xla,
)

internal = tf.__internal__
nest = internal.nest


def test_types_are_those_of_tensors() -> None:
    assert isinstance(tf.constant(1), internal.EagerTensor)
    assert isinstance(tf.constant(1), internal.types.Tensor)
    assert isinstance(tf.Variable(1), internal.types.Tensor)
    assert isinstance(tf.sparse.from_dense([1]), internal.CompositeTensor)
    assert isinstance(tf.Module(), internal.tracking.AutoTrackable)
    assert internal.ops.is_resource_variable(tf.Variable(1))
    with internal.FuncGraph("f").as_default():
        assert not tf.executing_eagerly()
        with internal.eager_context.eager_mode():
            assert tf.executing_eagerly()


def test_known_conditions_are_decided_at_once() -> None:
    smart_cond = internal.smart_cond.smart_cond
    assert smart_cond(True, lambda: 1, lambda: 2) == 1
    assert smart_cond(tf.constant(False), lambda: 1, lambda: 2) == 2
    chosen = tf.function(lambda p: smart_cond(p, lambda: 1, lambda: 2))
    assert chosen(tf.constant(True)).numpy() == 1
    with pytest.raises(TypeError, match="Expected a bool"):
        smart_cond("yes", lambda: 1, lambda: 2)


def test_structures_up_to_shallower_ones() -> None:
    Pair = collections.namedtuple("Pair", "a b")
    deep = {"x": [1, 2], "y": Pair(3, [4, 5])}
    shallow = {"x": None, "y": Pair(None, None)}
    assert nest.flatten_up_to(shallow, deep) == [[1, 2], 3, [4, 5]]
    assert nest.flatten_with_tuple_paths_up_to(shallow, deep)[1] == (("y", "a"), 3)
    mapped = nest.map_structure_up_to(shallow, str, deep)
    assert mapped == {"x": "[1, 2]", "y": Pair("3", "[4, 5]")}
    named = nest.map_structure_with_paths(lambda path, leaf: f"{path}={leaf}", deep)
    assert named == {"x": ["x/0=1", "x/1=2"], "y": Pair("y/a=3", ["y/b/0=4", "y/b/1=5"])}
    assert nest.list_to_tuple([1, [2, {"a": [3]}]]) == (1, (2, {"a": (3,)}))
    whole = nest.get_traverse_shallow_structure(lambda s: not isinstance(s, list), deep)
    assert whole == {"x": False, "y": Pair(True, False)}
    for wrong, error in ([1, 2], TypeError), ({"x": 1}, ValueError):
        with pytest.raises(error, match="shallow structure"):
            nest.assert_shallow_structure(shallow, wrong)


def test_argument_specifications_are_without_annotations() -> None:
    def stand_in(input, name=None):  # type: ignore[no-untyped-def]
        return input

    assert inspect.getfullargspec(tf.rank).annotations
    assert tf_inspect.getfullargspec(tf.rank) == inspect.getfullargspec(stand_in)
    assert tf_inspect.getargspec(tf.function(stand_in)).args == ["input", "name"]


def test_argument_specifications_of_wrappers_are_their_own() -> None:
    def target(a: int, b: int) -> int:
        return a + b

    @functools.wraps(target)
    def wrapper(a: int) -> int:
        return target(a, 1)

    assert tf_inspect.getfullargspec(wrapper).args == ["a"]
    spec = tf_inspect.ArgSpec(["x"], None, None, None)
    decorated = tf.__internal__.decorator.make_decorator(
        target, lambda *args: target(*args), decorator_argspec=spec
    )
    assert tf_inspect.getfullargspec(decorated).args == ["x"]


def test_deprecated_functions_warn_once(capsys: pytest.CaptureFixture[str]) -> None:
    @deprecation.deprecated("2030-01-01", "use something else.")
    def old(x: Any) -> Any:
        return x

    with deprecation.silence():
        assert old(1) == 1
    assert capsys.readouterr().err == ""
    assert (old(2), old(3)) == (2, 3)
    assert capsys.readouterr().err.count("ends after 2030-01-01: use something else.") == 1


def test_functions_are_decorated_before_they_are_traced() -> None:
    @tf.function
    def double(x: Any) -> Any:
        return x * 2

    double._decorate(lambda f: lambda x: f(x) + 1)
    assert double(tf.constant(2)).numpy() == 5
    with pytest.raises(ValueError, match="Decorate it before the first call"):
        double._decorate(lambda f: f)


@pytest.mark.parametrize("start", [[0, 0], [1, 2], [5, 5], [-1, 0]])
def test_slices_are_updated_where_they_fit(start: list[int]) -> None:
    updated = xla.dynamic_update_slice(tf.zeros([3, 4]), tf.ones([2, 2]), start).numpy()
    row, column = min(max(start[0], 0), 1), min(max(start[1], 0), 2)
    expected = np.zeros([3, 4])
    expected[row : row + 2, column : column + 2] = 1.0
    np.testing.assert_array_equal(updated, expected)


def test_the_namespace_is_an_attribute_from_the_start() -> None:
    program = "import tapeflow as tf; tf.__internal__.tracking.AutoTrackable()"
    environment = {**os.environ, "PYTHONPATH": str(Path(tf.__file__).parents[1])}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment, timeout=120)


@pytest.mark.parametrize("batch", [(), (2,)])
@pytest.mark.parametrize("turned", [False, True])
def test_products_of_sparse_matrices(batch: tuple[int, ...], turned: bool) -> None:
    random = np.random.default_rng(0)
    a, b = (
        np.where(random.random((*batch, *dims)) < 0.4, random.normal(size=(*batch, *dims)), 0.0)
        for dims in ((5, 4), (3, 4) if turned else (4, 3))
    )

    @tf.function
    def product(*dense: Any) -> Any:
        csr = [
            sparse_csr_matrix_ops.sparse_tensor_to_csr_sparse_matrix(
                s.indices, s.values, s.dense_shape
            )
            for s in map(tf.sparse.from_dense, dense)
        ]
        result = sparse_csr_matrix_ops.sparse_matrix_sparse_mat_mul(
            *csr, tf.float64, adjoint_b=turned
        )
        found = sparse_csr_matrix_ops.csr_sparse_matrix_to_sparse_tensor(result, tf.float64)
        return tf.sparse.to_dense(found)

    expected = a @ (np.swapaxes(b, -1, -2) if turned else b)
    np.testing.assert_allclose(product(tf.constant(a), tf.constant(b)), expected, atol=1e-12)


def test_determinism_can_be_given_up_again() -> None:
    tf.config.experimental.enable_op_determinism()
    try:
        assert context.is_op_determinism_enabled()
    finally:
        context.disable_op_determinism()
    assert not context.is_op_determinism_enabled()


def test_files_are_written_while_the_builtin_open_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtins.open", lambda *args, **kwargs: tf.io.gfile.GFile(*args, **kwargs))
    with tf.io.gfile.GFile(tmp_path / "text", "w") as file:
        file.write("abc")
    with tf.io.TFRecordWriter(str(tmp_path / "records")) as writer:
        writer.write(b"abc")
    monkeypatch.undo()
    assert (tmp_path / "text").read_text() == "abc"
    assert [r.numpy() for r in tf.data.TFRecordDataset(str(tmp_path / "records"))] == [b"abc"]


def test_eager_tensors_have_the_private_reader_of_values() -> None:
    tensor: Any = tf.constant([1, 2])
    assert tensor._numpy().tolist() == [1, 2]


def test_scratch_graphs_take_tensors_of_the_graph_around_them() -> None:
    with internal.FuncGraph("outer").as_default() as outer:
        x = tf.compat.v1.placeholder(tf.float32, [2])
        with internal.FuncGraph("scratch").as_default() as scratch:
            y = x * 2.0
    assert scratch.outer_graph is outer
    assert y.graph is scratch and y.shape == [2]
    assert [captured.graph for captured in scratch.inputs] == [scratch]


def test_reset_context_undoes_the_configuration_of_devices() -> None:
    context._reset_context()
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    assert len(tf.config.list_logical_devices("CPU")) == 2
    context._reset_context()
    assert len(tf.config.list_logical_devices("CPU")) == 1
