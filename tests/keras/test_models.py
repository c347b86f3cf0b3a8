"""Models are put together, shown, saved and run as Keras does it (`model_samples`)."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.keras.model_samples import MODELS, facts, inputs_of, made

GOLDEN = Path(__file__).parents[1] / "golden"
RECORDED = json.loads((GOLDEN / "keras_models.json").read_text(encoding="utf-8"))
NAMES = pytest.mark.parametrize("name", MODELS)
keras = tf.keras
layers = keras.layers


def assert_equal_outputs(ours: Any, theirs: Any) -> None:
    for mine, each in zip(tf.nest.flatten(ours), theirs, strict=True):
        np.testing.assert_allclose(mine, each, rtol=1e-5, atol=1e-6)


@NAMES
def test_facts_are_those_of_keras(name: str) -> None:
    found, recorded = facts(made(keras, name), name), RECORDED[name]
    assert_equal_outputs([np.array(y) for y in found.pop("outputs")], recorded["outputs"])
    for fact, value in found.items():
        assert value == without_defaults(recorded[fact]), fact


def without_defaults(value: Any) -> Any:
    """Facts without what Keras notes in configs although nobody has said it."""
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if k != "compile_config"}
        if set(kept) == {"args", "kwargs"}:
            kept["kwargs"] = {k: v for k, v in kept["kwargs"].items() if v is not None}
        return {key: without_defaults(item) for key, item in kept.items()}
    return [without_defaults(item) for item in value] if isinstance(value, list) else value


@NAMES
def test_weights_of_keras_are_loaded(name: str) -> None:
    model = made(keras, name)
    model.set_weights([np.zeros(w.shape) for w in model.weights])
    model.load_weights(GOLDEN / f"keras_{name}.weights.h5")
    assert_equal_outputs(model(inputs_of(name)), RECORDED[name]["outputs"])


@NAMES
@pytest.mark.parametrize("file", ["model.weights.h5", "checkpoint"])
def test_saved_weights_come_back(name: str, file: str, tmp_path: Path) -> None:
    model = made(keras, name)
    model.save_weights(tmp_path / file)
    other = MODELS[name](keras)
    other.load_weights(tmp_path / file)
    for mine, saved in zip(other.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_array_equal(mine, saved)


def test_a_checkpoint_of_keras_is_restored() -> None:
    model = MODELS["toy"](keras)
    tf.train.Checkpoint(model).read(
        str(GOLDEN / "keras_toy_checkpoint")
    ).assert_existing_objects_matched()
    assert_equal_outputs(model(inputs_of("toy")), RECORDED["toy"]["outputs"])


def test_a_checkpoint_waits_for_layers_that_are_not_built(tmp_path: Path) -> None:
    model = keras.Sequential([layers.Dense(3), layers.Dense(1)])
    x = tf.ones((2, 4))
    expected = model(x)
    path = tf.train.Checkpoint(model=model).save(str(tmp_path / "early"))
    other = keras.Sequential([layers.Dense(3), layers.Dense(1)])
    tf.train.Checkpoint(model=other).restore(path)
    np.testing.assert_array_equal(other(x), expected)


@NAMES
def test_functions_give_the_same(name: str) -> None:
    model, x = made(keras, name), tf.nest.map_structure(tf.constant, inputs_of(name))
    assert_equal_outputs(tf.function(model)(x), RECORDED[name]["outputs"])
    compiled = tf.function(lambda x: model(x), jit_compile=True)
    assert_equal_outputs(compiled(x), RECORDED[name]["outputs"])


@pytest.mark.parametrize("name", ["toy", "line"])
def test_a_config_makes_the_same_model(name: str) -> None:
    model = made(keras, name)
    for again in (
        type(model).from_config(json.loads(json.dumps(model.get_config()))),
        keras.models.model_from_json(model.to_json()),
        keras.models.clone_model(model),
    ):
        assert [layer.name for layer in again.layers] == [layer.name for layer in model.layers]
        again.set_weights(model.get_weights())
        assert_equal_outputs(again(inputs_of(name)), RECORDED[name]["outputs"])
        assert json.dumps(again.get_config()) == json.dumps(model.get_config())


def test_a_config_that_keras_has_written() -> None:
    model = keras.Model.from_config(RECORDED["toy"]["config"])
    model.set_weights(made(keras, "toy").get_weights())
    assert_equal_outputs(model(inputs_of("toy")), RECORDED["toy"]["outputs"])


@pytest.mark.parametrize("name", ["toy", "line"])
def test_models_in_files(name: str, tmp_path: Path) -> None:
    theirs = keras.models.load_model(GOLDEN / f"keras_{name}.keras")
    assert_equal_outputs(theirs(inputs_of(name)), RECORDED[name]["outputs"])
    theirs.save(tmp_path / "again.keras")
    ours = keras.saving.load_model(tmp_path / "again.keras")
    assert_equal_outputs(ours(inputs_of(name)), RECORDED[name]["outputs"])
    assert [path.name for path in tmp_path.iterdir()] == ["again.keras"]
    with pytest.raises(FileExistsError):
        ours.save(tmp_path / "again.keras", overwrite=False)


def test_files_that_cannot_be_models(tmp_path: Path) -> None:
    model = made(keras, "line")
    with pytest.raises(ValueError, match="keras"):
        model.save(tmp_path / "model.png")
    with pytest.raises(ValueError, match="File not found"):
        keras.models.load_model(tmp_path / "none.keras")


def test_models_of_registered_classes_in_files(tmp_path: Path) -> None:
    @keras.saving.register_keras_serializable("tests")
    class Twice(keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self, units: int, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.units = units
            self.first = layers.Dense(units)
            self.second = layers.Dense(units)

        def call(self, x: Any) -> Any:
            return self.second(self.first(x))

        def get_config(self) -> dict[str, Any]:
            return {**super().get_config(), "units": self.units}

    model, x = Twice(3), tf.ones((1, 2))
    expected = model(x)
    model.save(tmp_path / "twice.keras")
    np.testing.assert_array_equal(keras.models.load_model(tmp_path / "twice.keras")(x), expected)
    keras.saving.get_custom_objects().pop("tests>Twice")


def test_a_saved_model_gives_the_same(tmp_path: Path) -> None:
    model = made(keras, "line")
    model.serve = tf.function(model.call, input_signature=[tf.TensorSpec([None, 4])])
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert_equal_outputs(loaded.serve(inputs_of("line")), RECORDED["line"]["outputs"])


@NAMES
def test_a_saved_model_has_a_signature(name: str, tmp_path: Path) -> None:
    model, x = made(keras, name), inputs_of(name)
    tf.saved_model.save(model, str(tmp_path))
    serve = tf.saved_model.load(str(tmp_path)).signatures["serving_default"]
    named = {"a": x[0], "b": x[1]} if name == "toy" else {"inputs": x}
    found = serve(**{key: tf.constant(value) for key, value in named.items()})
    assert sorted(found) == [f"output_{i}" for i in range(len(RECORDED[name]["outputs"]))]
    assert_equal_outputs([found[key] for key in sorted(found)], RECORDED[name]["outputs"])


def test_inputs_are_taken_by_order_by_name_and_with_an_axis_too_many() -> None:
    model = made(keras, "toy")
    first, second = inputs_of("toy")
    expected = RECORDED["toy"]["outputs"]
    assert_equal_outputs(model({"b": second, "a": first}), expected)
    assert_equal_outputs(model([first[..., None], second.astype("float64")]), expected)
    with pytest.raises(ValueError, match="expects 2 inputs"):
        model(first)
    with pytest.raises(ValueError, match=r"expected shape=\(None, 4\), found shape=\(2, 3\)"):
        model([second, second])


def test_text_is_refused_where_numbers_are_expected() -> None:
    model = keras.Sequential([keras.Input((3,), name="x"), keras.layers.Dense(1)])
    text = np.array([["a", "b", "c"]])
    for use in (model, lambda x: model.predict(x, verbose=0)):
        with pytest.raises(
            ValueError, match=r"expected float32\. Received .* string.*StringLookup"
        ):
            use(text)


def test_structures_of_inputs_and_outputs() -> None:
    x, y = keras.Input((2,), name="x"), keras.Input((2,), name="y")
    model = keras.Model({"x": x, "y": y}, {"sum": x + y, "pair": [x * 2, y[:, :1]]})
    found = model({"x": tf.ones((1, 2)), "y": tf.ones((1, 2))})
    assert found["sum"].numpy().tolist() == [[2.0, 2.0]]
    assert [tuple(part.shape) for part in found["pair"]] == [(1, 2), (1, 1)]
    inner = keras.Model(x, x * 3)
    outer = keras.Model(y, inner(inner(y)))
    assert outer(tf.ones((1, 2))).numpy().tolist() == [[9.0, 9.0]]


def test_operators_on_keras_tensors_agree_with_those_on_tensors() -> None:
    x, n = keras.Input((3,)), keras.Input((3,), dtype="int32")
    outputs = [x + 1, 1 - x, x / 2, 2 / x, -x, x**2, x > 0, x[:, 1:], n + 1, n * 1.5, n / 2, abs(x)]
    outputs += [x @ tf.ones((3, 2)), n // 2, n % 2, x.reshape((-1, 1)), n != 2]
    a, b = tf.constant([[1.0, -2.0, 3.0]]), tf.constant([[1, 2, 3]])
    found = keras.Model([x, n], outputs)([a, b])
    f = tf.cast(b, tf.float32)
    expected = [a + 1, 1 - a, a / 2, 2 / a, -a, a**2, a > 0, a[:, 1:], b + 1, f * 1.5, f / 2]
    expected += [abs(a), a @ tf.ones((3, 2)), b // 2, b % 2, tf.reshape(a, (-1, 1)), b != 2]
    for symbolic, mine, value in zip(outputs, found, expected, strict=True):
        assert symbolic.dtype == mine.dtype.name == value.dtype.name
        np.testing.assert_allclose(mine, value)


def test_a_sequential_model_grows_and_shrinks() -> None:
    model = keras.Sequential()
    model.add(layers.Dense(2))
    assert not model.built and model.weights == []
    with pytest.raises(AttributeError, match="no defined inputs"):
        _ = model.inputs
    model.add(layers.Dense(3))
    model.build((None, 4))
    assert model.output_shape == (None, 3) and model.count_params() == 10 + 9
    model.pop()
    assert model.output_shape == (None, 2) and len(model.layers) == 1
    with pytest.raises(ValueError, match="must be unique"):
        model.add(layers.Dense(2, name=model.layers[0].name))
    with pytest.raises(ValueError, match="Received: 3 of type int"):
        model.add(3)


def test_layers_are_found() -> None:
    model = made(keras, "toy")
    assert model.get_layer("shared") is model.get_layer(index=3)
    with pytest.raises(ValueError, match="No such layer: other"):
        model.get_layer("other")
    with pytest.raises(ValueError, match="has 7 layers"):
        model.get_layer(index=7)
    with pytest.raises(ValueError, match="needs a name or an index"):
        model.get_layer()
    assert model.get_layer("priority").input.shape == (None, 10)
    first_call = model.get_layer("shared")._inbound_nodes[0]
    assert model.get_layer("shared").input is first_call.input_tensors[0]


def test_what_cannot_be_a_model() -> None:
    x, y = keras.Input((2,)), keras.Input((2,))
    with pytest.raises(ValueError, match="not connected to `inputs`"):
        keras.Model(x, layers.Dense(1)(y))
    with pytest.raises(ValueError, match="`inputs` of a model must be KerasTensors"):
        keras.Model(1, 2)
    with pytest.raises(ValueError, match='name "twice" is used 2 times'):
        keras.Model(x, [layers.Dense(1, name="twice")(x) for _ in range(2)])
    with pytest.raises(ValueError, match=r"must end in `.weights.h5`"):
        keras.Model(x, x * 2).save_weights("weights.keras")
    with pytest.raises(NotImplementedError, match="must define `call"):
        keras.Model()(tf.ones(2))


@NAMES
def test_a_copy_is_a_model_of_its_own(name: str) -> None:
    model = made(keras, name)
    other = copy.deepcopy(model)
    model.set_weights([np.zeros(w.shape) for w in model.weights])
    assert_equal_outputs(other(inputs_of(name)), RECORDED[name]["outputs"])
    assert not {id(w) for w in model.weights} & {id(w) for w in other.weights}


def test_a_subclass_of_given_inputs_and_outputs() -> None:
    class Doubled(keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self, units: int) -> None:
            x = keras.Input((2,))
            super().__init__(x, layers.Dense(units)(x) * 2)

    model = Doubled(3)
    assert model.output_shape == (None, 3) and len(model.weights) == 2
    dense = model.layers[1]
    np.testing.assert_allclose(model(tf.ones((1, 2))), 2 * dense(tf.ones((1, 2))))


def test_layers_may_be_inputs_of_models_that_begin_in_the_middle() -> None:
    x = keras.Input((2,))
    middle = layers.Dense(3)(x)
    end = layers.Dense(1)(middle)
    tail, whole = keras.Model(middle, end), keras.Model(x, [middle, end])
    between, last = whole(tf.ones((1, 2)))
    np.testing.assert_allclose(tail(between), last)


def test_training_reaches_the_layers_of_a_model() -> None:
    keras.utils.set_random_seed(1)
    x = keras.Input((100,))
    model = keras.Model(x, keras.Sequential([layers.Dropout(0.5)])(x))
    ones = tf.ones((1, 100))
    assert tf.reduce_all(model(ones) == 1.0)
    assert tf.reduce_any(model(ones, training=True) == 0.0)
    assert tf.reduce_any(tf.function(model)(ones, training=True) == 0.0)


def test_masks_pass_through_models() -> None:
    model = keras.Sequential([layers.Embedding(10, 4, mask_zero=True), layers.Dense(2)])
    found = model(tf.constant([[1, 2, 0]]))
    assert found._keras_mask.numpy().tolist() == [[True, True, False]]
    pooled = keras.Sequential([*model.layers, layers.GlobalAveragePooling1D()])
    np.testing.assert_allclose(
        pooled(tf.constant([[1, 2, 0]])), tf.reduce_mean(found[:, :2], axis=1), rtol=1e-6
    )


@pytest.mark.parametrize("kind", [list, tuple])
def test_a_list_of_one_output_returns_that_output(kind: type) -> None:
    inputs = tf.keras.Input((3,))
    model = tf.keras.Model(inputs, kind([tf.keras.layers.Dense(2)(inputs)]))
    assert isinstance(model.output, kind)
    x, y = np.ones((4, 3), "float32"), np.zeros((4, 2), "float32")
    assert model(x).shape == (4, 2)
    assert model.predict(x, verbose=0).shape == (4, 2)
    model.compile("sgd", "mse")
    for labels in (y, [y]):
        assert np.isfinite(model.fit(x, labels, verbose=0).history["loss"][0])
    outer = tf.keras.Sequential([tf.keras.Input((3,)), model])
    np.testing.assert_allclose(outer(x), model(x))


def test_the_clone_of_a_compiled_model_is_compiled_with_state_of_its_own() -> None:
    def half(y_true: Any, y_pred: Any) -> Any:
        return tf.reduce_mean((y_true - y_pred) ** 2) / 2

    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.25), half, metrics=[keras.metrics.MeanAbsoluteError()])
    model.fit(np.ones([4, 2]), np.ones([4, 1]), verbose=0)
    clone = keras.models.clone_model(model)
    assert clone.compiled and clone.optimizer is not model.optimizer
    assert float(clone.optimizer.learning_rate) == 0.25 and int(clone.optimizer.iterations) == 0
    clone.set_weights(model.get_weights())
    data = np.full([4, 2], 2.0), np.zeros([4, 1])
    np.testing.assert_allclose(
        clone.evaluate(*data, verbose=0), model.evaluate(*data, verbose=0), rtol=1e-6
    )
    assert {id(metric) for metric in clone.metrics}.isdisjoint(map(id, model.metrics))


def test_a_keras_tensor_is_not_equal_to_text_or_none() -> None:
    tensor = keras.Input((2,))
    assert (tensor == "same") is False
    assert (tensor == None) is False  # noqa: E711
    assert isinstance(tensor == tensor, keras.KerasTensor)


def test_layers_of_a_functional_model_may_need_their_mask() -> None:
    class MaskedMean(keras.layers.Layer):
        def call(self, inputs: Any, mask: Any = None) -> Any:
            counts = tf.cast(mask, inputs.dtype)[..., tf.newaxis]
            return tf.reduce_sum(inputs * counts, 1) / tf.reduce_sum(counts, 1)

        def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
            return None

    inputs = keras.Input((None,), dtype="int32")
    embedding = keras.layers.Embedding(4, 1, mask_zero=True, embeddings_initializer="ones")
    hidden = keras.layers.Dense(1, kernel_initializer="ones")(embedding(inputs))
    outputs = MaskedMean()(hidden)
    assert outputs.shape == (None, 1)
    model = keras.Model(inputs, outputs)
    embedding.set_weights([np.array([[5.0], [1.0], [2.0], [3.0]])])
    np.testing.assert_allclose(model(np.array([[1, 3, 0, 0], [2, 2, 1, 0]])), [[2.0], [5 / 3]])
    # Masks are found anew when the model runs: they are no inputs of its layers.
    assert model.layers[-1]._inbound_nodes[0].input_tensors == [hidden]
