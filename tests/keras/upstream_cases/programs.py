"""Cases of Keras' own tests in which results differed: variables, ops and layers."""

from __future__ import annotations

SHARED = """
__name__ = "program"
L, ops = k.layers, k.ops
def kind(function):
    try:
        function()
    except Exception as e:
        return type(e).__name__
    return None
def shape(x): return list(x.shape)
"""

VARIABLES = {
    "operators of variables promote dtypes": """
f, h = k.Variable([1.5, -2.0]), tf.constant([2, 3], tf.float16)
i, b = k.Variable([7, -7], dtype="int32"), k.Variable([True, False], dtype="bool")
result = [f + h, h.numpy() * f, i + 0.5, 0.5 - i, i / 2, 3 / i, i // 2.0, i % 4, 2 ** f, i ** 2,
          f < i, i >= 6.5, b + i, i - np.array([1, 2], "int64"), i > f]
""",
    "products of variables and matrices of another dtype": """
v = k.Variable([[1, 2], [3, 4]], dtype="int32")
result = [v @ np.ones((2, 1), "float32"), np.ones((1, 2), "float16") @ k.Variable([[1.0], [2.0]])]
""",
    "a metric of mixed precision adds to its variables": """
class Total(k.metrics.Metric):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.total = self.add_variable((), "zeros", name="total")
    def update_state(self, x):
        self.total.assign(self.total + ops.sum(ops.convert_to_tensor(x, dtype=self.dtype)))
    def result(self): return ops.cast(self.total, self.dtype)
m = Total(dtype=k.dtype_policies.DTypePolicy("mixed_float16"))
m.update_state([1.0, 2.0])
m.update_state([0.5])
result = [m.result(), m.total]
""",
}

OPS = {
    "8-bit floats": """
x = [0.1, 448.0, -3.3]
result = [ops.cast(ops.cast(x, name), "float32") for name in ("float8_e4m3fn", "float8_e5m2")]
result += [ops.cast(x, "float8_e5m2").dtype.name, k.backend.standardize_dtype("float8_e4m3fn"),
           kind(lambda: L.Dense(2, dtype="float8_e4m3fn"))]
""",
    "the shape of blurred images does not depend on the kernel": """
x = k.KerasTensor((20, 20, 3))
result = shape(ops.image.gaussian_blur(x, k.KerasTensor((2,)), k.KerasTensor((2,))))
""",
}

LAYERS = {
    "sources of tensors that no Input returned": """
a, b, c = k.KerasTensor((2,), name="a"), k.KerasTensor((2,), name="b"), k.Input((2,), name="c")
names = lambda x: [s.name for s in k.utils.get_source_inputs(x)]
result = [names(ops.square(a + b) * a), names(c), names(L.Dense(2)(c) + b)]
""",
    "KerasTensors in lists": """
a, b, c = k.Input((2,)), k.Input((2,)), k.Input((3,))
result = [b in [a, b], a in [b, c], [c, b, a].index(a), bool(a == a), bool(a == b), bool(c == a)]
""",
    "masks of KerasTensors are tensors that models compute with": """
ids = np.array([[1, 2, 0], [3, 0, 0]])
x = k.Input((3,), dtype="int32")
embedding = L.Embedding(5, 4, mask_zero=True, embeddings_initializer="ones")
h = embedding(x)
kept = L.Dropout(0.5)(L.LSTM(4, return_sequences=True)(h))
joined = L.Concatenate(axis=1)([h, L.Dense(4)(L.Flatten()(h)[:, None])])
attended = L.MultiHeadAttention(1, 2)(h, h, attention_mask=h._keras_mask[:, None, :])
lengths = ops.sum(ops.cast(kept._keras_mask, "int32"), axis=-1)
m = k.Model(x, [h._keras_mask, lengths, joined._keras_mask])
copied = k.models.clone_model(m)
result = [m(ids), copied(ids), shape(k.Model(x, attended)(ids)), m.predict(ids, verbose=0)]
""",
    "gradients of Dense for sparse inputs": """
x = tf.sparse.from_dense(np.array([[0, 2, 0, 0], [0, 0, 0, 0], [1, 3, 0, 0]], "float32"))
layer = L.Dense(2, kernel_initializer="ones", bias_initializer="ones")
with tf.GradientTape() as tape:
    y = layer(x)
    loss = tf.reduce_sum(y * [[1.0, 2.0]])
grad = tape.gradient(loss, layer.kernel)
product = ops.matmul(x, np.arange(8, dtype="float32").reshape(4, 2))
result = [y, type(grad).__name__, tf.convert_to_tensor(grad), product]
""",
    "layers that are built by their constructor": """
class Own(L.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.add_weight((), "ones")
        self._build_at_init()
    def call(self, x): return x * self.w
layer = Own()
result = [layer.built, layer.stateless_call([3.0], [], np.ones(2, "float32"))[0]]
""",
    "arguments of an InputLayer that disagree with its tensor": """
x = k.KerasTensor((2, 3))
def layer(**kwargs): return kind(lambda: L.InputLayer(input_tensor=x, **kwargs))
result = [layer(shape=(4,)), layer(batch_shape=(2, 4)), layer(batch_size=5), layer(dtype="float16"),
          layer(sparse=True), layer(shape=(3,), batch_size=2, sparse=False, dtype="float32"),
          L.InputLayer((3,)).call(), L.InputLayer(input_tensor=x).output is x]
""",
    "the deprecated argument of InputLayer": """
import warnings
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    layer = L.InputLayer(input_shape=(3,))
result = [[w.category.__name__ for w in seen], layer.batch_shape]
""",
    "configs that a constructor refuses": """
result = [kind(lambda: L.Embedding.from_config({"input_dim": 3.7, "output_dim": 8})),
          kind(lambda: L.Dense.from_config({"units": -1})),
          kind(lambda: L.Dense.from_config({"unknown": 1})), kind(lambda: L.Embedding(3.7, 8))]
""",
    "depthwise windows larger than the input": """
x = np.ones((4, 10, 3), "float32")
result = [kind(lambda: L.DepthwiseConv1D(11, strides=5)(x)),
          kind(lambda: L.SeparableConv1D(4, 11, strides=5)(x)),
          kind(lambda: L.DepthwiseConv2D((2, 11))(x[:, None])),
          shape(L.DepthwiseConv1D(10)(x)), shape(L.DepthwiseConv1D(11, padding="same")(x))]
""",
    "arguments of the wrong kind": """
result = [*(kind(lambda: L.Dropout(0.5, noise_shape=noise)) for noise in ("no", 5)),
          *(kind(lambda: L.UpSampling1D(size)) for size in (2.5, "2", True, 0, -2))]
""",
    "parameters of build without arguments of call": """
class NoSuffix(L.Layer):
    def build(self, foo_shape, bar): self.built = True
    def call(self, foo, bar): return foo + bar
class Other(L.Layer):
    def build(self, foo_shape, baz_shape): self.built = True
    def call(self, foo, bar): return foo + bar
class Subset(L.Layer):
    def build(self, baz_shape, foo_shape): self.shapes = [baz_shape, foo_shape]
    def call(self, foo, bar=None, baz=None): return foo[:, 0] + bar[:, 0] + baz[:, 0]
foo, bar, baz = np.ones((4, 1)), np.ones((4, 2)), np.ones((4, 3))
subset = Subset()
subset(foo, bar, baz)
result = [kind(lambda: NoSuffix()(foo, bar)), kind(lambda: Other()(foo, bar)), subset.shapes]
""",
    "the dtype of time-distributed layers": """
x = np.ones((2, 3, 4), "float32")
outer = L.TimeDistributed(L.Dense(2, kernel_initializer="ones"), dtype="mixed_float16")
inner = L.TimeDistributed(L.Dense(2, kernel_initializer="ones", dtype="mixed_float16"))
wide = L.TimeDistributed(L.Dense(2, kernel_initializer="ones", dtype="float64"))
result = [outer(x), inner(x), wide(x)]
""",
    "the shape of Reshape inside another layer": """
class Folded(L.Layer):
    def __init__(self):
        super().__init__()
        self.reshape, self.dense = L.Reshape((8, -1)), L.Dense(2)
    def call(self, x): return self.dense(self.reshape(x))
    def compute_output_shape(self, shape): return (shape[0], 8, 2)
x = k.Input((6, 4))
m = k.Model(x, Folded()(x))
result = [shape(m.output), shape(m(np.ones((3, 6, 4)))), shape(m.predict(np.ones((2, 6, 4))))]
""",
    "predictions of batches with other lengths are ragged": """
m = k.Sequential([k.Input((None, 2)), L.Rescaling(2.0)])
def batches():
    yield (np.ones((2, 3, 2)),)
    yield (np.ones((1, 1, 2)),)
found = m.predict(batches(), verbose=0)
result = [type(found).__name__, shape(found), found.to_list()]
""",
}

PROGRAMS = {
    name: SHARED + code for table in (VARIABLES, OPS, LAYERS) for name, code in table.items()
}
