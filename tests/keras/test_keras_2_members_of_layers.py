"""Members of layers, models and callbacks that only Keras 2 has, as tf_keras 2.21 has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
layers = keras.layers


@pytest.mark.parametrize(
    "layer",
    [
        layers.Normalization,
        layers.StringLookup,
        layers.TextVectorization,
        lambda: layers.Discretization(num_bins=3),
    ],
)
def test_layers_know_whether_they_are_adapted(layer: Any) -> None:
    layer = layer()
    texts = isinstance(layer, (layers.StringLookup, layers.TextVectorization))
    data = np.array([["a"], ["b"]]) if texts else np.ones((4, 2), "float32")
    assert layer.is_adapted is False
    layer.adapt(data)
    assert layer.is_adapted is True
    layer.reset_state()
    assert layer.is_adapted is False
    layer.compile(run_eagerly=True, steps_per_execution=2)
    step = layer.make_adapt_function()
    step(iter(tf.data.Dataset.from_tensors(data).repeat(2)))
    with pytest.raises(StopIteration):
        step(iter(tf.data.Dataset.from_tensors(data)))
    assert layer.is_adapted is False
    assert layers.StringLookup(vocabulary=["a"]).is_adapted is False


def test_plain_convolution_of_transposed_layers() -> None:
    layer = layers.Conv2DTranspose(3, 2, strides=2)
    x = np.ones((1, 4, 4, 3), "float32")
    layer(x)
    expected = tf.nn.convolution(x, layer.kernel, strides=2, padding="VALID")
    np.testing.assert_allclose(layer.convolution_op(x, layer.kernel), expected, rtol=1e-6)


def test_plain_convolution_in_other_layouts() -> None:
    layer = layers.Conv1DTranspose(3, 2, strides=2, data_format="channels_first")
    kernel = tf.ones((2, 4, 3))
    assert layer.convolution_op(tf.ones((1, 4, 6)), kernel).shape == (1, 3, 3)


@pytest.mark.parametrize("layer", [layers.GRU, layers.LSTM])
def test_masks_of_dropout(layer: Any) -> None:
    cell, whole = layers.GRUCell(2, dropout=0.5, recurrent_dropout=0.5), layer(2, dropout=0.5)
    masks = cell.get_dropout_mask_for_cell(tf.ones((3, 4)), True, count=3)
    assert [mask.shape for mask in masks] == [(3, 4)] * 3
    assert cell.get_dropout_mask_for_cell(tf.ones((3, 4)), False, count=3) is masks
    assert set(np.unique(masks[0])) <= {0.0, 2.0}
    cell.reset_dropout_mask()
    mask = cell.get_dropout_mask_for_cell(tf.ones((3, 4)), False)
    np.testing.assert_array_equal(mask, np.ones((3, 4)))
    assert cell.get_recurrent_dropout_mask_for_cell(tf.ones((3, 2)), True).shape == (3, 2)
    assert len(whole.get_dropout_mask_for_cell(tf.ones((3, 4)), True, count=4)) == 4
    assert whole.get_recurrent_dropout_mask_for_cell(tf.ones((3, 4)), True) is None
    whole.reset_dropout_mask()
    whole.reset_recurrent_dropout_mask()


def test_states_of_bidirectional_layers_are_set() -> None:
    layer = layers.Bidirectional(layers.GRU(2, stateful=True))
    layer(np.ones((1, 3, 2), "float32"))
    layer.reset_states([np.full((1, 2), 1.0), np.full((1, 2), 2.0)])
    np.testing.assert_array_equal(layer.forward_layer.states[0], [[1.0, 1.0]])
    np.testing.assert_array_equal(layer.backward_layer.states[0], [[2.0, 2.0]])
    layer.reset_states()
    np.testing.assert_array_equal(layer.backward_layer.states[0], [[0.0, 0.0]])
    assert layer.constraints == {}


def test_normalized_weights_are_returned() -> None:
    layer = layers.SpectralNormalization(layers.Dense(3), power_iterations=50)
    layer(np.ones((2, 3), "float32"))
    before = layer.layer.kernel.numpy()
    kernel, vector = layer.normalize_weights()
    assert np.linalg.svd(kernel)[1][0] == pytest.approx(1.0, rel=1e-3)
    assert vector.shape == (1, 3)
    np.testing.assert_array_equal(layer.layer.kernel, before)


def test_tables_of_dynamic_embeddings() -> None:
    layer = layers.experimental.DynamicEmbedding(4, 2, tf.constant(["a", "b", "c", "d"]))
    keys, counts = layer.aggregate_lookup_table([["a", "b"], ["b", "c"]], [[1, 2], [3, 4]])
    assert (keys.numpy().tolist(), counts.numpy().tolist()) == ([b"a", b"b", b"c"], [1, 5, 4])
    assert layer.get_top_vocabulary(keys, counts, 2).numpy().tolist() == [b"b", b"c"]
    assert layer.get_top_vocabulary(keys, counts, 9).shape == (3,)


class Blocks(keras.Model):  # type: ignore[misc, name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.d = layers.Dense(3)
        self.blocks = [layers.Dense(2), {"a": layers.Dense(1)}]
        self.seq = keras.Sequential([layers.Dense(1), layers.Dense(1)])
        self.w = tf.Variable(1.0)

    def call(self, x: Any) -> Any:
        return self.seq(self.blocks[1]["a"](self.blocks[0](self.d(x)))) * self.w  # type: ignore[index, operator]


def test_paths_of_weights() -> None:
    x = keras.Input((3,))
    inside = layers.Dense(2, name="in1")(layers.BatchNormalization(name="bn")(x))
    inner = keras.Model(x, inside, name="inner")
    model = keras.Model(x, layers.Dense(1, name="out")(inner(x)))
    paths = model.get_weight_paths()
    first, second = "inner.layer_with_weights-0.", "inner.layer_with_weights-1."
    assert set(paths) == {
        *(first + name for name in ("gamma", "beta", "moving_mean", "moving_variance")),
        *(second + "kernel", second + "bias", "out.kernel", "out.bias"),
    }
    assert paths["out.kernel"] is model.get_layer("out").kernel
    subclassed = Blocks()
    subclassed(np.ones((1, 2), "float32"))
    subclassed.compile("sgd", "mse", metrics=["mae"])
    names = ("d", "blocks.0", "blocks.1.a")
    numbered = ("seq.layer_with_weights-0", "seq.layer_with_weights-1")
    paths = subclassed.get_weight_paths()
    assert {path for path in paths if not path.startswith("optimizer.")} == {
        "w",
        *(f"{name}.{kind}" for name in (*names, *numbered) for kind in ("kernel", "bias")),
    }


def test_specs_of_calls() -> None:
    a, b = keras.Input((2,), name="a"), keras.Input((3,), batch_size=4, name="b")
    joined = layers.Concatenate()([a, b])
    specs = [tf.TensorSpec((None, 2), name="a"), tf.TensorSpec((None, 3), name="b")]
    assert keras.Model([a, b], joined).save_spec() == ([specs], {})
    assert keras.Model({"a": a, "b": b}, joined).save_spec() == (
        [{"a": specs[0], "b": specs[1]}],
        {},
    )
    fixed = keras.Model([a, b], joined).save_spec(dynamic_batch=False)
    assert fixed[0][0][1].shape == (4, 3)
    assert keras.Sequential([a, layers.Dense(1)]).save_spec() == ([specs[0]], {})
    model = Blocks()
    assert model.save_spec() is None
    model(np.ones((1, 2), "float32"))
    assert model.save_spec() == ([tf.TensorSpec((None, 2), name="input_1")], {})


def test_further_members_of_models() -> None:
    model = keras.Sequential([keras.Input((2,)), layers.Dense(1)])
    assert model.state_updates == []
    assert model.layers[0].name_scope() == f"{model.layers[0].name}/"
    with pytest.raises(RuntimeError, match="to_json"):
        model.to_yaml()


def test_logs_of_loops() -> None:
    model = keras.Sequential([keras.Input((2,)), layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
    callbacks = keras.callbacks.CallbackList([keras.callbacks.History()], model=model)
    assert callbacks.make_logs(model, {"batch": 0}, [1.0], "train", "val_") == {
        "batch": 0,
        "val_loss": 1.0,
    }
    assert callbacks.make_logs(model, {}, [1.0], "predict") == {"outputs": [1.0]}
    assert keras.callbacks.CallbackList([]).make_logs(model, {}, [1.0], "train") == {}


def test_iterators_of_images_are_set_up_again(tmp_path: Any) -> None:
    (tmp_path / "one").mkdir()
    keras.utils.save_img(tmp_path / "one" / "i.png", np.zeros((4, 4, 3)))
    generator = keras.preprocessing.image.ImageDataGenerator()
    iterator = generator.flow_from_directory(str(tmp_path), target_size=(4, 4))
    iterator.set_processing_attrs(
        *(generator, (2, 3), "grayscale", "channels_last", None, "", "png", None, "nearest", False)
    )
    assert iterator.image_shape == (2, 3, 1)
    assert next(iterator)[0].shape == (1, 2, 3, 1)


def test_members_of_ragged_inputs() -> None:
    spec = tf.RaggedTensorSpec([None, None], tf.float32, ragged_rank=1)
    x = keras.Input(type_spec=spec)
    data = tf.ragged.constant([[1.0, 2.0], [3.0]])
    for member in ("values", "flat_values", "row_splits"):
        model = keras.Model(x, getattr(x, member))
        for each in (model, keras.Model.from_config(model.get_config())):
            np.testing.assert_array_equal(each(data), getattr(data, member))
    np.testing.assert_array_equal(keras.Model(x, x.row_lengths())(data), [2, 1])
    np.testing.assert_array_equal(keras.Model(x, x.bounding_shape())(data), [2, 2])
    assert not hasattr(x, "indices")


def test_members_of_sparse_inputs() -> None:
    x = keras.Input((3,), sparse=True)
    assert (x.values.shape, x.indices.shape, x.dense_shape.shape) == ((None,), (None, 2), (2,))
    model = keras.Model(x, [x.values, x.indices, x.dense_shape])
    values, indices, shape = model(tf.sparse.from_dense([[1.0, 0.0, 2.0]]))
    np.testing.assert_array_equal(values, [1.0, 2.0])
    np.testing.assert_array_equal(indices, [[0, 0], [0, 2]])
    np.testing.assert_array_equal(shape, [1, 3])
    assert not hasattr(keras.Input((3,)), "values")


def test_messages_of_keras_2() -> None:
    config = keras.protobuf.projector_config_pb2
    message = config.ProjectorConfig(
        embeddings=[config.EmbeddingInfo(tensor_name="x", tensor_shape=[2, 3])]
    )
    again = config.ProjectorConfig.FromString(message.SerializeToString())
    assert list(again.embeddings[0].tensor_shape) == [2, 3]
    # The bytes that tf_keras writes for these messages.
    metadata = keras.protobuf.saved_metadata_pb2
    version = keras.protobuf.versions_pb2.VersionDef(producer=2)
    node = metadata.SavedObject(node_id=1, identifier="_tf_keras_layer", version=version)
    written = metadata.SavedMetadata(nodes=[node]).SerializeToString()
    assert written.hex() == "0a171001220f5f74665f6b657261735f6c6179657232020802"


def test_layouts_of_dtensor_are_refused() -> None:
    experimental = keras.dtensor.experimental
    with pytest.raises(NotImplementedError, match=r"keras\.distribution"):
        experimental.LayoutMap(mesh="mesh")
    assert experimental.optimizers.Adam is keras.optimizers.Adam
