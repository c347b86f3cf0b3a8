"""What every layer does: building, tracking, naming, training, masks, losses, precision."""

from __future__ import annotations

import collections
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
layers = keras.layers


@pytest.fixture(autouse=True)
def fresh_names() -> None:
    keras.backend.clear_session(free_memory=False)


class Linear(layers.Layer):  # type: ignore[misc, name-defined]
    def __init__(self, units: int = 3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units = units

    def build(self, input_shape: Any) -> None:
        self.w = self.add_weight(shape=(input_shape[-1], self.units), name="w")
        self.b = self.add_weight(shape=(self.units,), initializer="zeros", name="b")

    def call(self, inputs: Any) -> Any:
        return tf.matmul(inputs, self.w) + self.b


class Stack(layers.Layer):  # type: ignore[misc, name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.steps = tf.Variable(0.0, trainable=False)
        self.parts = [Linear(2)]
        self.named = {"last": Linear(2)}
        self.pair = (Linear(2), 1)

    def call(self, x: Any) -> Any:
        self.steps.assign_add(1.0)
        for part in (*self.parts, self.named["last"], self.pair[0]):
            x = part(x)
        return x


def test_a_layer_is_built_by_its_first_call() -> None:
    layer = Linear()
    assert not layer.built and layer.weights == [] and layer.path is None
    y = layer(np.ones((2, 4)))
    assert y.shape == (2, 3) and y.dtype == tf.float32
    assert layer.built and layer.path == "linear"
    assert [(w.path, w.name, w.shape) for w in layer.weights] == [
        ("linear/w", "w", (4, 3)),
        ("linear/b", "b", (3,)),
    ]
    assert layer.count_params() == 15
    assert repr(layer) == "<Linear name=linear, built=True>"
    assert Linear().name == "linear_1" and Linear(name="own").name == "own"


def test_what_attributes_lists_and_dicts_hold_is_tracked() -> None:
    layer = Stack()
    layer(tf.ones((1, 2)))
    assert len(layer.weights) == 7 and len(layer.trainable_weights) == 6
    assert [w.path for w in layer.trainable_weights] == [
        f"stack/{name}/{weight}" for name in ("linear", "linear_1", "linear_2") for weight in "wb"
    ]
    assert [part.name for part in layer.submodules] == ["linear_1", "linear_2", "linear"]
    layer.parts.append(Linear(2))
    layer.parts[-1](tf.ones((1, 2)))
    assert len(layer.weights) == 9
    del layer.named
    assert len(layer.weights) == 7
    assert isinstance(layer.parts, list) and type(layer.pair) is tuple


def test_freezing_reaches_all_layers_inside() -> None:
    layer = Stack()
    layer(tf.ones((1, 2)))
    layer.trainable = False
    assert layer.trainable_variables == [] and len(layer.non_trainable_variables) == 7
    with tf.GradientTape() as tape:
        layer(tf.ones((1, 2)))
    assert tape.watched_variables() == ()
    layer.trainable = True
    layer.parts[0].trainable = False
    assert len(layer.trainable_variables) == 4
    frozen = Linear(trainable=False)
    frozen(tf.ones((1, 2)))
    assert frozen.trainable_weights == []
    frozen.trainable = True
    assert len(frozen.trainable_weights) == 2


def test_weights_are_got_and_set() -> None:
    layer = Linear(1)
    layer(tf.ones((1, 2)))
    layer.set_weights([np.array([[1.0], [2.0]]), [3.0]])
    assert [w.tolist() for w in layer.get_weights()] == [[[1.0], [2.0]], [3.0]]
    assert layer(tf.ones((1, 2))).numpy().tolist() == [[6.0]]
    with pytest.raises(ValueError, match=r"expected 2 arrays.*Received 1"):
        layer.set_weights([np.ones((2, 1))])
    with pytest.raises(ValueError, match=r"linear/w.* shape \(2, 1\).* shape \(1, 1\)"):
        layer.set_weights([np.ones((1, 1)), [0.0]])


class Phase(layers.Layer):  # type: ignore[misc, name-defined]
    def call(self, x: Any, training: Any = None) -> Any:
        return x + (1.0 if training else 0.0)


class Outer(layers.Layer):  # type: ignore[misc, name-defined]
    def __init__(self, **inner: Any) -> None:
        super().__init__()
        self.inner = Phase()
        self.given = inner

    def call(self, x: Any) -> Any:
        return self.inner(self.inner(x, **self.given))


@pytest.mark.parametrize("wrapper", [lambda f: f, tf.function], ids=["eager", "function"])
def test_training_is_passed_to_layers_inside(wrapper: Any) -> None:
    zero = tf.zeros(())
    assert wrapper(Outer())(zero) == 0.0
    assert wrapper(Outer())(zero, training=True) == 2.0
    # A layer that is told otherwise tells it to nobody else.
    assert wrapper(Outer(training=False))(zero, training=True) == 1.0
    phase = wrapper(Phase())
    assert [float(phase(zero, training=t)) for t in (True, None, False)] == [1.0, 0.0, 0.0]


def test_the_short_way_gives_what_the_long_one_gives() -> None:
    dense, noisy = layers.Dense(2), layers.Dropout(0.5)
    x = tf.ones((4, 3))
    first = dense(x)
    np.testing.assert_array_equal(dense(x), first)
    np.testing.assert_array_equal(dense(x[:2]), first[:2])
    np.testing.assert_array_equal(dense(x, training=True), first)
    np.testing.assert_allclose(dense(tf.cast(x, tf.float64)), first)
    with pytest.raises(ValueError, match="expected axis -1 to have size 3"):
        dense(tf.ones((4, 2)))
    assert tf.reduce_all(noisy(x) == x)
    assert tf.reduce_all(noisy(x) == x)
    model = keras.Sequential([dense, noisy])
    assert tf.reduce_all(model(x) == first)
    assert not tf.reduce_all(model(x, training=True) == first)
    dense.activity_regularizer = keras.regularizers.L2(1.0)
    dense(x)
    assert len(dense.losses) == 1


def test_losses_are_those_of_the_last_call() -> None:
    class Penalized(layers.Layer):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.dense = layers.Dense(
                1, kernel_initializer="ones", kernel_regularizer=keras.regularizers.L2(0.5)
            )

        def call(self, x: Any) -> Any:
            self.add_loss(tf.reduce_sum(x))
            return self.dense(x)

    layer = Penalized()
    for _ in range(2):
        layer(tf.ones((2, 3)))
    assert [float(loss) for loss in layer.losses] == [6.0, 1.5]

    @tf.function
    def total(x: Any) -> Any:
        layer(x)
        return tf.add_n(layer.losses)

    assert total(tf.ones((1, 3))) == 4.5
    with pytest.raises(ValueError, match=r"add_loss.*'text'"):
        layer.add_loss("text")


def test_gradients_of_a_model_in_a_compiled_step() -> None:
    model = keras.Sequential([layers.Dense(4, activation="tanh"), layers.Dense(1)])
    x, y = tf.random.stateless_normal((16, 3), [1, 2]), tf.ones((16, 1))
    model(x)

    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
        variables = model.trainable_variables
        for variable, gradient in zip(variables, tape.gradient(loss, variables)):
            variable.assign_sub(0.1 * gradient)
        return loss

    start = model.get_weights()
    found = []
    for run in (step, tf.function(step), tf.function(step, jit_compile=True)):
        model.set_weights(start)
        found.append([float(run()) for _ in range(4)])
    assert found[0][-1] < found[0][0]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-5)
    np.testing.assert_allclose(found[2], found[0], rtol=1e-4)


def test_mixed_precision() -> None:
    layer = Linear(2, dtype="mixed_float16")
    y = layer(tf.ones((1, 3)))
    assert y.dtype == tf.float16 and layer.w.dtype == tf.float32
    assert (layer.compute_dtype, layer.variable_dtype, layer.dtype) == (
        "float16",
        "float32",
        "float32",
    )
    assert repr(layer.dtype_policy) == '<DTypePolicy "mixed_float16">'
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.cast(layer(tf.ones((1, 3))), tf.float32))
    assert tape.gradient(loss, layer.w).dtype == tf.float32
    assert Linear(dtype="float64")(np.ones((1, 2), "float32")).dtype == tf.float64
    assert tf.function(layer)(tf.ones((1, 3))).dtype == tf.float16
    try:
        keras.mixed_precision.set_global_policy("mixed_bfloat16")
        assert layers.Dense(1)(tf.ones((1, 2))).dtype == tf.bfloat16
    finally:
        keras.backend.clear_session()
    assert keras.mixed_precision.global_policy().name == "float32"


def test_inputs_that_are_not_floating_are_left_alone() -> None:
    class Seen(layers.Layer):  # type: ignore[misc, name-defined]
        def call(self, x: Any, other: Any = None) -> Any:
            return {"x": x, "other": other}

    found = Seen()({"a": np.array([1, 2])}, other=np.array([1.0]))
    assert found["x"]["a"].dtype == tf.int64 and found["other"].dtype == tf.float32
    assert Seen(autocast=False)(np.array([1.0]))["x"].dtype == tf.float64


def test_masks() -> None:
    embedded = layers.Embedding(5, 2, mask_zero=True)(tf.constant([[1, 0]]))
    assert embedded._keras_mask.numpy().tolist() == [[True, False]]
    assert layers.Dense(2)(embedded)._keras_mask.numpy().tolist() == [[True, False]]

    class Reads(layers.Layer):  # type: ignore[misc, name-defined]
        def call(self, x: Any, mask: Any = None) -> Any:
            return tf.cast(mask, tf.float32)

    reads = Reads()
    with pytest.warns(UserWarning, match="does not support masking"):
        assert reads(embedded).numpy().tolist() == [[1.0, 0.0]]
    with pytest.warns(UserWarning, match="Layer 'lambda' .* does not support masking"):
        layers.Lambda(lambda x: x * 2.0)(embedded)
    kept = layers.Lambda(lambda x: x * 2.0, mask=lambda inputs, mask: mask)(embedded)
    assert kept._keras_mask.numpy().tolist() == [[True, False]]
    masked = layers.Masking()(tf.constant([[[0.0, 0.0], [0.0, 1.0]]]))
    assert masked._keras_mask.numpy().tolist() == [[False, True]]
    merged = layers.Add()([embedded, masked])
    assert merged._keras_mask.numpy().tolist() == [[True, True]]
    joined = layers.Concatenate(axis=1)([embedded, masked])
    assert joined._keras_mask.numpy().tolist() == [[True, False, False, True]]


def test_configs_of_layers_that_do_not_write_them() -> None:
    layer = Linear(5, name="five")
    config = layer.get_config()
    assert config["units"] == 5 and config["name"] == "five"
    assert Linear.from_config(config).units == 5

    class Named(layers.Layer):  # type: ignore[misc, name-defined]
        def __init__(self, size: int = 2, **options: Any) -> None:
            super().__init__(**options)

    assert Named.from_config(Named(size=3, name="n", trainable=False).get_config()).name == "n"

    class Odd(layers.Layer):  # type: ignore[misc, name-defined]
        def __init__(self, function: Any) -> None:
            super().__init__()

    with pytest.raises(NotImplementedError, match=r"must define `get_config\(\)`"):
        Odd(np.zeros(2)).get_config()


def test_layers_in_modules_and_checkpoints(tmp_path: Path) -> None:
    class Holder(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = Linear(2)

    holder = Holder()
    holder.layer(tf.ones((1, 2)))
    assert len(holder.trainable_variables) == 2 and isinstance(holder.layer, tf.Module)
    path = tf.train.Checkpoint(holder=holder).save(str(tmp_path / "c"))
    names = [name for name, _ in tf.train.list_variables(path)]
    assert "holder/layer/w/.ATTRIBUTES/VARIABLE_VALUE" in names
    other = Holder()
    status = tf.train.Checkpoint(holder=other).restore(path)
    other.layer(tf.ones((1, 2)))
    status.assert_consumed()
    np.testing.assert_array_equal(other.layer.w, holder.layer.w)


def test_a_layer_is_saved_as_a_saved_model(tmp_path: Path) -> None:
    layer = Stack()
    layer(tf.ones((1, 2)))
    layer.serve = tf.function(lambda x: layer(x), input_signature=[tf.TensorSpec([None, 2])])
    tf.saved_model.save(layer, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    np.testing.assert_allclose(loaded.serve(tf.ones((3, 2))), layer(tf.ones((3, 2))), rtol=1e-6)


def test_errors_name_the_layer_and_what_it_received() -> None:
    class Fails(layers.Layer):  # type: ignore[misc, name-defined]
        def call(self, x: Any) -> Any:
            return tf.matmul(x, x)

    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        Fails(name="square")(tf.ones((2, 3)))
    (note,) = caught.value.__notes__
    assert "Fails.call() of layer 'square'" in note and "shape=(2, 3), dtype=float32" in note
    with pytest.raises(ValueError, match="pass it as a keyword argument"):
        layers.Dense(1)("text")
    with pytest.raises(TypeError, match="missing a required argument: 'inputs'"):
        layers.Dense(1)()
    with pytest.raises(ValueError, match="Unrecognized keyword arguments passed to Dense"):
        layers.Dense(1, size=3)
    with pytest.raises(NotImplementedError, match="must define `call"):
        layers.Layer()(tf.ones(1))
    with pytest.raises(ValueError, match=r"before it is built.*count_params"):
        layers.Dense(1).count_params()
    with pytest.raises(TypeError, match=r"add_weight.*name first.*at most 10"):
        layers.Layer().add_weight("w", (), "float32", "zeros", None, True, None, 1, 2, 3, 4)

    class Forgets(layers.Layer):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            self.x = 1

    with pytest.raises(RuntimeError, match=r"Forgets.*`super\(\).__init__\("):
        Forgets()(tf.ones(1))


@pytest.mark.parametrize(
    ("spec", "shape", "message"),
    [
        ({"ndim": 2}, (1, 2, 3), "expected ndim=2, found ndim=3, shape (1, 2, 3)"),
        (
            {"min_ndim": 2},
            (1,),
            "expected min_ndim=2, found ndim=1, shape (1,). If the batch axis is missing",
        ),
        ({"max_ndim": 1}, (1, 2), "expected max_ndim=1, found ndim=2, shape (1, 2)"),
        ({"dtype": "int32"}, (1,), "expected dtype=int32, found dtype=<dtype: 'float32'>"),
        ({"shape": (None, 2)}, (1, 3), "expected shape=(None, 2), found shape=(1, 3)"),
        ({"axes": {-1: 4}}, (1, 3), "expected axis -1 to have size 4"),
    ],
)
def test_input_specs(spec: dict[str, Any], shape: tuple[int, ...], message: str) -> None:
    layer = layers.Identity(name="checked")
    layer.input_spec = layers.InputSpec(**spec)
    expected = re.escape(f"Input 0 is incompatible with the layer 'checked': {message}")
    with pytest.raises(ValueError, match=expected):
        layer(tf.ones(shape))


def test_shapes_of_several_inputs_reach_build_by_name() -> None:
    class Attends(layers.Layer):  # type: ignore[misc, name-defined]
        def build(self, query_shape: Any, value_shape: Any) -> None:
            self.shapes = query_shape, value_shape

        def call(self, query: Any, value: Any) -> Any:
            return query + value

    layer = Attends()
    layer(tf.ones((1, 2)), value=tf.ones((2, 2)))
    assert layer.shapes == ((1, 2), (2, 2))
    symbolic = Attends()(keras.Input((2,)), keras.Input((2,)))
    assert symbolic.shape == (None, 2)


def test_output_shapes_are_inferred() -> None:
    class Doubles(layers.Layer):  # type: ignore[misc, name-defined]
        def call(self, x: Any) -> Any:
            return tf.concat([x, x], -1), tf.reduce_sum(x)

    wide, total = Doubles()(keras.Input((None, 3)))
    assert wide.shape == (None, None, 6) and total.shape == ()
    assert Doubles().compute_output_shape((2, 3))[0] == (2, 6)
    assert Stack().compute_output_shape((None, 2)) == (None, 2)

    class Fails(layers.Layer):  # type: ignore[misc, name-defined]
        def call(self, x: Any) -> Any:
            raise ValueError("no")

    with pytest.raises(ValueError, match="could not be inferred"):
        Fails()(keras.Input((2,)))


def test_many_layers_are_inferred_in_silence(caplog: pytest.LogCaptureFixture) -> None:
    x = keras.Input((2,))
    for _ in range(12):
        x = Linear(2)(x) + 1.0
    assert not caplog.records
    assert x.shape == (None, 2)


def test_wrappers_and_functions_as_layers() -> None:
    x = tf.reshape(tf.range(12.0), (2, 3, 2))
    dense = layers.Dense(2)
    spread = layers.TimeDistributed(dense)
    found = spread(x)
    np.testing.assert_allclose(found[:, 1], dense(x[:, 1]), rtol=1e-6)
    assert spread(keras.Input((None, 2))).shape == (None, None, 2)
    again = layers.deserialize(layers.serialize(spread))
    assert again.layer.units == 2
    scaled = layers.Lambda(lambda x, factor: x * factor, arguments={"factor": 3.0})
    assert scaled(tf.ones(2)).numpy().tolist() == [3.0, 3.0]
    assert scaled(keras.Input((2,))).shape == (None, 2)
    shaped = layers.Lambda(keras.activations.relu, output_shape=(3,)).get_config()
    assert layers.Lambda.from_config(shaped).get_config() == shaped
    named = layers.Lambda(keras.activations.relu)
    assert layers.deserialize(layers.serialize(named)).function is keras.activations.relu
    with pytest.raises(ValueError, match=r"wraps a `keras.layers.Layer`"):
        layers.Wrapper(3)


def test_keras_tensors_have_no_values() -> None:
    x = keras.Input((2,), name="x")
    assert repr(x) == (
        "<KerasTensor shape=(None, 2), dtype=float32, sparse=False, ragged=False, name=x>"
    )
    with pytest.raises(ValueError, match="KerasTensor has none"):
        tf.function(lambda: tf.sin(x))()
    for convert in (float, int, np.asarray):
        with pytest.raises(ValueError, match="A KerasTensor is symbolic"):
            convert(x)
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(x)
    with pytest.raises(NotImplementedError, match="iterate"):
        list(x)
    with pytest.raises(ValueError, match="You must pass a `shape` argument"):
        keras.Input()


def test_build_of_a_subclass_of_dropout_is_called() -> None:
    class Scaled(keras.layers.Dropout):
        def build(self, input_shape: Any) -> None:
            self.scale = self.add_weight(shape=(1,))

    layer = Scaled(0.1)
    layer(np.ones([2, 3]))
    assert len(layer.weights) == 1


def test_masking_takes_integers_and_softmax_several_axes() -> None:
    masked = keras.layers.Masking()(np.array([[[0, 0], [1, 0]]]))
    np.testing.assert_array_equal(masked, [[[0, 0], [1, 0]]])
    shares = keras.activations.softmax(tf.ones([2, 3, 4]), axis=(1, 2))
    np.testing.assert_allclose(shares, np.full([2, 3, 4], 1 / 12), rtol=1e-6)


def test_set_random_seed_restarts_the_stream_of_random_numbers() -> None:
    drawn = []
    for _ in range(2):
        keras.utils.set_random_seed(42)
        drawn.append(keras.random.normal([3]).numpy())
    np.testing.assert_array_equal(*drawn)


def test_output_shapes_in_named_tuples() -> None:
    Pair = collections.namedtuple("Pair", "first second")

    class Doubled(tf.keras.layers.Layer):
        def call(self, x: Any) -> Any:
            return Pair(x, x)

        def compute_output_shape(self, input_shape: Any) -> Any:
            return Pair(input_shape, input_shape)

    outputs = Doubled()(tf.keras.Input([3]))
    assert isinstance(outputs, Pair)
    assert outputs.second.shape == (None, 3)


def test_policies_assigned_to_a_layer_with_a_map_enter_the_map() -> None:
    layer = tf.keras.layers.Dense(2, dtype=tf.keras.dtype_policies.DTypePolicyMap())
    layer.build((None, 1))
    layer.dtype_policy = "mixed_bfloat16"
    assert layer.dtype_policy[layer.path].name == "mixed_bfloat16"


def test_quantized_layers_are_rematerialized() -> None:
    x = np.ones((2, 3), "float32")
    with tf.keras.RematScope(mode="full"):
        layer = tf.keras.layers.Dense(4)
    layer(x)
    layer.quantize("int8")
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(x))
    np.testing.assert_allclose(tape.gradient(loss, layer.bias), [2.0] * 4)
    assert layer.rematerialized_call(layer.quantized_call, x)(x).shape == (2, 4)
