"""What files need of the classes that are loaded from them: paths of layers, configs, `compile`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
layers = keras.layers
X = np.random.default_rng(0).standard_normal((2, 4)).astype("float32")


class _Dense(keras.Model):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dense = layers.Dense(3)

    def call(self, x: Any) -> Any:
        return self.dense(x)


class _Renamed(keras.Model):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.projection = layers.Dense(3)

    @property
    def dense(self) -> Any:
        return self.projection

    @property
    def broken(self) -> Any:
        raise RuntimeError("not to be called by loads that do not need it")

    def call(self, x: Any) -> Any:
        return self.projection(x)


def test_weights_are_found_through_a_property(tmp_path: Path) -> None:
    old, new = _Dense(), _Renamed()
    path = tmp_path / "old.weights.h5"
    expected = old(X)
    new(X)
    old.save_weights(path)
    new.load_weights(path)
    np.testing.assert_array_equal(new(X), expected)


class _Nested(keras.Model):
    """Layers in tuples in a list, which Keras wrote at `layers/` before it looked into these."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.blocks = [(layers.Dense(4, use_bias=False),) for _ in range(2)]

    def call(self, x: Any) -> Any:
        for (dense,) in self.blocks:
            x = dense(x)
        return x


def test_weights_of_nested_containers_are_found_where_keras_had_them(tmp_path: Path) -> None:
    class Flat(keras.Model):
        def call(self, x: Any) -> Any:
            for layer in self.layers:
                x = layer(x)
            return x

    flat = Flat()
    flat._all = [layers.Dense(4, use_bias=False) for _ in range(2)]
    expected = flat(X)
    path = tmp_path / "flat.weights.h5"
    flat.save_weights(path)
    nested = _Nested()
    nested(X)
    nested.load_weights(path)
    np.testing.assert_array_equal(nested(X), expected)


def test_lists_that_hold_themselves_are_saved(tmp_path: Path) -> None:
    class Cyclic(_Dense):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.blocks: list[Any] = []
            self.blocks.append(self.blocks)

    model = Cyclic()
    expected = model(X)
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras", {"Cyclic": Cyclic})
    np.testing.assert_array_equal(loaded(X), expected)


def test_models_side_by_side_each_have_their_layers(tmp_path: Path) -> None:
    inputs = [keras.Input((4,)) for _ in range(4)]
    inner = [keras.Sequential([keras.Input((4,)), layers.Dense(3)]) for _ in inputs]
    model = keras.Model(inputs, [part(tensor) for part, tensor in zip(inner, inputs)])
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    for expected, received in zip(model([X] * 4), loaded([X] * 4)):
        np.testing.assert_array_equal(received, expected)


def test_a_custom_compile_is_left_to_the_user(tmp_path: Path) -> None:
    class Pair(_Dense):
        def compile(self, d_optimizer: Any, g_optimizer: Any) -> None:
            super().compile()
            self.both = (d_optimizer, g_optimizer)

    model = Pair()
    model(X)
    model.compile("sgd", "adam")
    model.save(tmp_path / "model.keras")
    with pytest.warns(UserWarning, match=r"`compile\(\)` of Pair is custom"):
        loaded = keras.models.load_model(tmp_path / "model.keras", {"Pair": Pair})
    assert not loaded.compiled
    np.testing.assert_array_equal(loaded(X), model(X))


def test_arguments_of_a_class_of_functional_models_are_kept() -> None:
    class Scaled(keras.Model):
        def __init__(self, *args: Any, scale: int = 1, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.scale = scale

        def get_config(self) -> dict[str, Any]:
            return super().get_config() | {"scale": self.scale}

    inputs = keras.Input((4,))
    model = Scaled(inputs, layers.Dense(2)(inputs), scale=3)
    again = Scaled.from_config(model.get_config())
    assert again.scale == 3
    again.set_weights(model.get_weights())
    np.testing.assert_array_equal(again(X), model(X))


def test_slices_of_arrays_are_read() -> None:
    value = slice(None, np.array([0, 1]), 1)
    config = keras.saving.serialize_keras_object(value)
    again = keras.saving.deserialize_keras_object(config)
    assert (again.start, again.stop.tolist(), again.step) == (None, [0, 1], 1)


def test_functions_registered_under_keras_3_6_go_by_their_bare_name() -> None:
    @keras.saving.register_keras_serializable(package="reload")
    def squared_for_reload(x: Any) -> Any:
        return x**2

    config = {
        "module": "builtins",
        "class_name": "function",
        "config": "squared_for_reload",
        "registered_name": "function",
    }
    assert keras.saving.deserialize_keras_object(config) is squared_for_reload


@pytest.mark.parametrize(
    "config",
    [
        {"class_name": "Dense", "module": "keras.layers", "config": {"units": 1}},
        {"class_name": "function", "module": "builtins", "config": "relu"},
    ],
)
def test_built_ins_have_no_other_registered_name(config: dict[str, Any]) -> None:
    keras.saving.deserialize_keras_object(config)
    with pytest.raises(ValueError, match="built-in"):
        keras.saving.deserialize_keras_object({**config, "registered_name": "my_pkg>Other"})


def test_clones_take_inputs_of_the_same_structure() -> None:
    inputs = {"a": keras.Input((4,)), "b": keras.Input((4,))}
    model = keras.Model(inputs, inputs["a"] + inputs["b"])
    assert sorted(keras.models.clone_model(model, inputs).input) == ["a", "b"]
    for wrong in (tuple(inputs.values()), {"a": inputs["a"]}):
        with pytest.raises(ValueError, match="nested like the inputs"):
            keras.models.clone_model(model, wrong)


def test_recursive_clones_call_inner_layers_with_the_function() -> None:
    inputs = keras.Input((4,))
    inner = keras.Model(inputs, layers.Dense(3)(inputs))
    model = keras.Model(inputs, inner(inputs))

    def call(layer: Any, *args: Any, **kwargs: Any) -> Any:
        outputs = layer(*args, **kwargs)
        return layers.Dropout(0.5)(outputs) if isinstance(layer, layers.Dense) else outputs

    clone = keras.models.clone_model(
        model, clone_function=lambda layer: layer, call_function=call, recursive=True
    )
    assert isinstance(clone.layers[1].layers[-1], layers.Dropout)


@pytest.mark.parametrize("create", [_Dense, keras.Sequential])
def test_layers_cannot_be_replaced(create: Any) -> None:
    with pytest.raises(AttributeError, match="reserved"):
        create().layers = []


def test_sequential_models_call_layers_with_one_argument() -> None:
    class Two(layers.Layer):
        def call(self, inputs: Any, training: Any) -> Any:
            return inputs

    with pytest.raises(ValueError, match=r"single positional argument.*'training'"):
        keras.Sequential([Two()]).build((None, 2))
