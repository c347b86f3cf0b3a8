"""Programs on `tf.feature_column`, whose results were recorded from TensorFlow and `tf_keras`."""

from __future__ import annotations

_DATA = """
k.backend.clear_session()
FC = tf.feature_column
def start(shape, dtype=None, **kwargs):
    return tf.reshape(tf.range(np.prod(shape), dtype="float32"), shape) / 10 - 0.4
def vectors(column, size=2, **kwargs):
    return FC.embedding_column(column, size, initializer=start, **kwargs)
def sparse(rows):
    return tf.ragged.constant(rows).to_sparse()
features = {
    "age": np.array([[3.0], [20.0], [47.5]]),
    "pair": np.array([[1.0, 9.0], [4.0, 5.0], [-2.0, 5.5]], "float32"),
    "pet": np.array(["dog", "newt", ""]),
    "toys": np.array([["ball", "rope"], ["ball", ""], ["bone", "ball"]]),
    "day": np.array([2, 0, 7], "int64"),
    "tags": sparse([["a", "b", "a"], [], ["c"]]),
    "codes": sparse([[3, 1], [0], [2, 2, -5]]),
    "weights": sparse([[0.5, 2.0, 1.5], [], [-3.0]]),
}
pet = FC.categorical_column_with_vocabulary_list("pet", ["cat", "dog"])
toys = FC.categorical_column_with_vocabulary_list("toys", ["rope", "ball"], num_oov_buckets=3)
day = FC.categorical_column_with_identity("day", 4, default_value=1)
age = FC.numeric_column("age")
decades = FC.bucketized_column(age, [10, 20, 30.5])
halves = FC.bucketized_column(FC.numeric_column("pair", shape=2), [0.0, 5.0])
tags = FC.categorical_column_with_hash_bucket("tags", 5)
codes = FC.categorical_column_with_hash_bucket("codes", 5, tf.int64)
weighted = FC.weighted_categorical_column(tags, "weights")
def dense(*columns):
    '''What the columns are called, the values, eagerly and traced, and the weights.'''
    layer = k.layers.DenseFeatures(columns)
    values = layer(features)
    traced = tf.function(layer)(features)
    tf.debugging.assert_near(values, traced)
    weights = [
        [getattr(w, "path", w.name).removesuffix(":0"), list(w.shape), w.trainable]
        for w in layer.weights
    ]
    specs = str(sorted(FC.make_parse_example_spec(columns).items(), key=str))
    configs = layer.get_config()["feature_columns"]
    return [[c.name for c in columns], values, weights, specs, configs]
def sequences(*columns):
    layer = k.experimental.SequenceFeatures(columns)
    return [layer(features), tf.function(layer)(features)]
"""


def _dense(columns: str) -> str:
    return f"result = dense({columns})\n"


_COLUMNS = {
    "numeric": "age",
    "numeric of a shape": "FC.numeric_column('pair', shape=(2,), default_value=[1.0, 2.5])",
    "numeric default": "FC.numeric_column('day', dtype=tf.int64, default_value=3)",
    "bucketized": "decades",
    "bucketized pair": "halves",
    "bucketized as categories": "FC.indicator_column(halves), vectors(halves)",
    "vocabulary": "FC.indicator_column(pet), vectors(pet)",
    "vocabulary buckets": "FC.indicator_column(toys), vectors(toys, combiner='sqrtn')",
    "vocabulary default": (
        "FC.indicator_column(FC.categorical_column_with_vocabulary_list("
        "'day', [7, 2], default_value=1))"
    ),
    "identity": "FC.indicator_column(day), vectors(day, trainable=False)",
    "identity as it is": "FC.indicator_column(FC.categorical_column_with_identity('codes', 4))",
    "hashed strings": "FC.indicator_column(tags), vectors(tags, combiner='sum')",
    "hashed integers": "FC.indicator_column(codes), vectors(codes, max_norm=0.5)",
    "weighted": "FC.indicator_column(weighted), vectors(weighted, 3)",
    "weighted sum": "vectors(weighted, combiner='sum')",
    "crossed features": (
        "FC.indicator_column(FC.crossed_column(['pet', 'toys'], 7)), "
        "vectors(FC.crossed_column(['tags', 'pet'], 6, hash_key=11))"
    ),
    "crossed columns": "FC.indicator_column(FC.crossed_column([decades, pet, 'toys'], 9))",
    "crossed crosses": (
        "FC.indicator_column(FC.crossed_column([FC.crossed_column([halves, day], 3), 'pet'], 8))"
    ),
    "sorted by name": "vectors(pet), age, FC.indicator_column(day), decades",
    "unsafe lookup": "vectors(day, use_safe_embedding_lookup=False)",
}
_ERRORS = {
    "no sequence": "dense(FC.indicator_column("
    "FC.sequence_categorical_column_with_identity('codes', 4)))",
    "no dense column": "dense(pet)",
    "two of a name": "dense(age, FC.numeric_column('age', shape=2))",
    "no columns": "dense()",
    "missing feature": "dense(FC.numeric_column('height'))",
    "sparse numbers": "dense(FC.numeric_column('weights'))",
    "strings for integers": "dense(FC.indicator_column("
    "FC.categorical_column_with_hash_bucket('pet', 3, tf.int64)))",
    "crossed weights": "dense(FC.indicator_column(FC.crossed_column([weighted, 'pet'], 3)))",
    "crossed hash": "FC.crossed_column([tags, 'pet'], 3)",
    "one key": "FC.crossed_column(['pet'], 3)",
    "empty vocabulary": "FC.categorical_column_with_vocabulary_list('pet', [])",
    "term twice": "FC.categorical_column_with_vocabulary_list('pet', ['a', 'a'])",
    "both defaults": "FC.categorical_column_with_vocabulary_list('pet', ['a'], "
    "default_value=0, num_oov_buckets=1)",
    "floats": "FC.categorical_column_with_vocabulary_list('pet', [0.5])",
    "unsorted": "FC.bucketized_column(age, [2, 1])",
    "bucketized twice": "FC.bucketized_column(decades, [1])",
    "shape": "FC.numeric_column('age', shape=0)",
    "shape of floats": "FC.numeric_column('age', shape=(1.5,))",
    "default of a shape": "FC.numeric_column('age', shape=2, default_value=[1.0])",
    "default of a dtype": "FC.numeric_column('age', dtype=tf.int32, default_value=1.5)",
    "key": "FC.numeric_column(3)",
    "default out of range": "FC.categorical_column_with_identity('day', 3, default_value=3)",
    "buckets": "FC.categorical_column_with_hash_bucket('day', 0)",
    "dimension": "FC.embedding_column(pet, 0)",
    "initializer": "FC.embedding_column(pet, 2, initializer='zeros')",
    "indicator of numbers": "FC.indicator_column(age)",
    "two specs": "FC.make_parse_example_spec([age, FC.numeric_column('age', shape=2)])",
}
_SEQUENCES = {
    "identity": "FC.indicator_column(FC.sequence_categorical_column_with_identity("
    "'codes', 4, default_value=0))",
    "vocabulary": "vectors(FC.sequence_categorical_column_with_vocabulary_list("
    "'tags', ['a', 'c'], num_oov_buckets=1))",
    "hash": "vectors(FC.sequence_categorical_column_with_hash_bucket('tags', 4)), "
    "FC.sequence_numeric_column('weights')",
    "numbers": "FC.sequence_numeric_column('weights', shape=2, default_value=7.0)",
    "no sequence": "FC.indicator_column(tags)",
}
_FIT = """
columns = [age, decades, FC.indicator_column(day), vectors(pet, 3), vectors(tags),
           FC.indicator_column(FC.crossed_column([decades, 'pet'], 5))]
model = k.Sequential([
    k.layers.DenseFeatures(columns),
    k.layers.Dense(4, "tanh", kernel_initializer="ones"),
    k.layers.Dense(1, kernel_initializer="ones"),
])
model.compile(k.optimizers.SGD(0.01), "mse")
data = tf.data.Dataset.from_tensor_slices((features, [1.0, 2.0, 3.0])).batch(2)
history = model.fit(data, epochs=3, verbose=0).history["loss"]
result = [history, model.predict(data, verbose=0), model.get_weights()[0]]
"""
_FUNCTIONAL = """
inputs = {"age": k.Input((1,)), "pet": k.Input((1,), dtype="string")}
outputs = k.layers.DenseFeatures([age, vectors(pet)])(inputs)
model = k.Model(inputs, k.layers.Dense(1, kernel_initializer="ones")(outputs))
batch = {"age": features["age"], "pet": features["pet"][:, None]}
result = [list(outputs.shape), model.predict(batch, verbose=0)]
"""
_PARSED = """
columns = [age, FC.embedding_column(tags, 2), FC.indicator_column(weighted)]
spec = FC.make_parse_example_spec(columns)
def example(age, tags, weights):
    F = tf.train.Feature
    return tf.train.Example(features=tf.train.Features(feature={
        "age": F(float_list=tf.train.FloatList(value=[age])),
        "tags": F(bytes_list=tf.train.BytesList(value=tags)),
        "weights": F(float_list=tf.train.FloatList(value=weights)),
    })).SerializeToString()
rows = [example(3.0, [b"x", b"y"], [0.5, 2.0]), example(9.0, [], [])]
layer = k.layers.DenseFeatures([age, vectors(tags), FC.indicator_column(weighted)])
result = layer(tf.io.parse_example(rows, spec))
"""
PROGRAMS = {
    name: _DATA + code
    for name, code in {
        **{name: _dense(columns) for name, columns in _COLUMNS.items()},
        **{f"error: {name}": f"result = {code}\n" for name, code in _ERRORS.items()},
        **{f"sequence {name}": f"result = sequences({c})\n" for name, c in _SEQUENCES.items()},
        "fit": _FIT,
        "functional": _FUNCTIONAL,
        "parsed": _PARSED,
        "normalizer": (
            "column = FC.numeric_column('age', normalizer_fn=lambda x: (x - 3.0) / 2.0)\n"
            "result = k.layers.DenseFeatures(column)(features)\n"
        ),
    }.items()
}
