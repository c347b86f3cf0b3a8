"""Functions written in JAX in SavedModels: StableHLO in `XlaCallModule`, which only computes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

import tapeflow as tf
from tapeflow._src.internal.jax_functions import JaxFunction
from tests.saved_model.test_safe_mode import ALLOWED, changed

X = np.linspace(-1, 1, 20, dtype="float32").reshape(4, 5)


def written(folder: Path, function: Any, *signature: Any, platforms: Any = None) -> Path:
    module = tf.Module()
    called = JaxFunction(function, platforms)
    module.run = tf.function(lambda *args: called(*args), input_signature=list(signature))
    tf.saved_model.save(module, folder)
    return folder


def two(x: Any, y: Any) -> Any:
    scan = jax.lax.scan(lambda sum, row: (sum + row, sum), jnp.zeros(5), x)[1]
    return {"a": jnp.tanh(scan) @ y, "b": x.reshape(-1)[::2].astype(jnp.int32)}


TWO = (tf.TensorSpec((None, 5)), tf.TensorSpec((5, None)))


@pytest.mark.parametrize("platforms", [None, ("cuda", "cpu")])
@pytest.mark.parametrize("jit_compile", [False, True])
def test_a_loaded_function_computes_what_was_saved(
    tmp_path: Path, platforms: Any, jit_compile: bool
) -> None:
    loaded = tf.saved_model.load(written(tmp_path, two, *TWO, platforms=platforms))
    run = tf.function(loaded.run, jit_compile=jit_compile)
    for rows, columns in ((4, 2), (3, 2), (1, 1)):
        x, y = X[:rows], X[:columns].T
        received, expected = run(x, y), two(x, y)
        for name in ("a", "b"):
            np.testing.assert_allclose(received[name], expected[name], rtol=1e-5, atol=1e-6)
            assert received[name].dtype == expected[name].dtype
    assert loaded.run.concrete_functions[0].structured_outputs["a"].shape == (None, None)


def test_platforms_are_chosen_by_an_index_of_either_width(tmp_path: Path) -> None:
    for wide in (False, True):
        with jax.enable_x64(wide):
            folder = written(tmp_path / str(wide), two, *TWO, platforms=("cuda", "cpu"))
            loaded = tf.saved_model.load(folder)
            np.testing.assert_allclose(loaded.run(X, X.T)["b"], X.reshape(-1)[::2].astype("int32"))


def test_what_is_loaded_is_saved_again(tmp_path: Path) -> None:
    loaded = tf.saved_model.load(written(tmp_path / "first", two, *TWO))
    tf.saved_model.save(loaded, tmp_path / "second")
    again = tf.saved_model.load(tmp_path / "second")
    np.testing.assert_array_equal(again.run(X, X.T)["a"], loaded.run(X, X.T)["a"])


def test_exported_keras_models_run(tmp_path: Path) -> None:
    def call(params: Any, state: Any, inputs: Any, training: bool) -> Any:
        return jax.nn.gelu(inputs @ params["w"]), {"n": state["n"] + 1} if training else state

    layer = tf.keras.layers.JaxLayer(
        call, params={"w": np.ones((5, 3), "float32")}, state={"n": np.zeros((), "int32")}
    )
    model = tf.keras.Sequential([tf.keras.Input((5,)), layer, tf.keras.layers.Dense(2)])
    model.export(tmp_path / "exported", verbose=False)
    tf.saved_model.save(model, tmp_path / "saved")
    exported, saved = (tf.saved_model.load(tmp_path / name) for name in ("exported", "saved"))
    np.testing.assert_allclose(exported.serve(X), model(X), rtol=1e-6)
    served = saved.signatures["serving_default"](tf.constant(X))
    np.testing.assert_allclose(next(iter(served.values())), model(X), rtol=1e-6)


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    def same_sizes(x: Any, y: Any) -> Any:
        return x + y

    rows = tf.TensorSpec((None, 5))
    loaded = tf.saved_model.load(written(tmp_path, same_sizes, rows, rows))
    np.testing.assert_array_equal(loaded.run(X, X), 2 * X)
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit"):
        loaded.run(X, X[:3])


def with_module(folder: Path, **attributes: Any) -> Path:
    """A model whose only module has other attributes than were written."""
    written(folder, jnp.sin, tf.TensorSpec((2,)))

    def change(graph: Any) -> None:
        for function in graph.graph_def.library.function:
            for node in function.node_def:
                if node.op == "XlaCallModule":
                    for name, (field, value) in attributes.items():
                        setattr(node.attr[name], field, value)

    changed(folder, change)
    return folder


def module_of(function: Callable[..., Any], *calls: str) -> bytes:
    allowed = [export.DisabledSafetyCheck.custom_call(name) for name in calls]
    exported = export.export(jax.jit(function), disabled_checks=allowed)
    return exported(jax.ShapeDtypeStruct((2,), "float32")).mlir_module_serialized


@pytest.mark.parametrize("name", ["own_call", "xla_ffi_python_cpu_callback", "lapack_spotrf_ffi"])
def test_modules_that_call_the_process_are_refused(tmp_path: Path, name: str) -> None:
    def calling(x: Any) -> Any:
        return jax.ffi.ffi_call(name, jax.ShapeDtypeStruct((2,), "float32"))(x)

    folder = with_module(tmp_path, module=("s", module_of(calling, name)))
    with pytest.raises(tf.errors.PermissionDeniedError, match="XlaCallModule calls native"):
        tf.saved_model.load(folder)
    assert tf.saved_model.load(folder, options=ALLOWED).run is not None


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"module": ("s", b"no module at all")}, "cannot be read"),
        ({"version": ("i", 3)}, "version 3"),
        ({"module": ("s", b"")}, "no function `main`"),
    ],
)
def test_damaged_modules_are_refused(tmp_path: Path, attributes: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.saved_model.load(with_module(tmp_path, **attributes))


def test_values_beyond_all_memory_are_refused(tmp_path: Path) -> None:
    def large(x: Any) -> Any:
        return jnp.broadcast_to(x[0], (2**20, 2**20)).sum()

    folder = with_module(tmp_path, module=("s", module_of(large)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="larger than"):
        tf.saved_model.load(folder)


def test_functions_that_cannot_be_written_say_why(tmp_path: Path) -> None:
    def callback(x: Any) -> Any:
        return jax.pure_callback(np.sin, jax.ShapeDtypeStruct((2,), "float32"), x)

    with pytest.raises(ValueError, match="JAX function cannot be written"):
        written(tmp_path, callback, tf.TensorSpec((2,)))
