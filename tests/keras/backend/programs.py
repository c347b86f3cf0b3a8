"""What the functions of `keras.backend` return for Keras 2, on tensors and in models."""

from __future__ import annotations

_SETUP = """
K = k.backend
r = np.random.RandomState(3)
a = tf.constant(r.randn(2, 3).astype("float32"))
b = tf.constant(r.randn(2, 3).astype("float32"))
p = tf.constant(r.rand(2, 3).astype("float32") + 0.1)
i = tf.constant([[1, 0, 2], [2, 2, 1]])
flags = tf.constant([[True, False, True], [False, False, True]])
t3 = tf.constant(r.randn(2, 4, 3).astype("float32"))
t4 = tf.constant(r.randn(2, 4, 5, 3).astype("float32"))
t5 = tf.constant(r.randn(1, 3, 4, 4, 2).astype("float32"))
"""
_UNARY = {
    "abs square sqrt exp round sign sin cos softplus softsign sigmoid hard_sigmoid tanh": "a",
    "relu elu softmax flatten batch_flatten transpose shape zeros_like ones_like": "a",
    "stop_gradient to_dense l2_normalize print_tensor": "a",
    "log": "p",
    "max min sum prod mean std var cumsum cumprod argmax argmin": "a",
    "any all mean std": "flags",
    "int_shape ndim dtype is_sparse get_value eval": "a",
}
_CALLS = (
    *(f"{name}({x})" for names, x in _UNARY.items() for name in names.split()),
    *(f"{name}(t3, axis=1)" for name in ("max", "sum", "mean", "std", "var", "cumsum", "argmin")),
    *(f"{name}(t3, axis=[0, -1], keepdims=True)" for name in ("min", "prod", "mean", "any")),
    *(f"{name}(a, b)" for name in ("maximum", "minimum", "greater", "less_equal", "equal")),
    *(f"{name}(i, 1)" for name in ("not_equal", "less", "greater_equal")),
    *("pow(p, 2.0)", "cast(a, 'int32')", "clip(a, -0.5, 0.5)", "clip(a, None, 0.5)"),
    *("clip(a, 1.0, -1.0)", "relu(a, 0.3, 0.5, 0.1)", "relu(a, max_value=6)", "elu(a, 0.5)"),
    *("softmax(t3, 1)", "softmax(t3[0, 0])", "cast_to_floatx(np.ones(2))", "cast_to_floatx(i)"),
    *("dot(a, tf.transpose(b))", "dot(t3, tf.ones((5, 3, 2)))", "dot(t3, tf.ones((3, 2)))"),
    *("batch_dot(a, b)", "batch_dot(t3, t3, (2, 2))", "batch_dot(t3, t3, 1)", "batch_dot(a, t3)"),
    *("batch_dot(a, t3, (1, 2))", "batch_dot(t3, a)", "batch_dot(t4, t3, (2, 1))"),
    *("batch_dot(t4, t4, (3, 3))", "batch_dot(t3, t4, (1, 1))", "batch_dot(a, b, 0)"),
    *("batch_dot(a[0], b[0])", "batch_dot(t4, t4, (-2, 2))", "batch_dot(a, t4[..., 0], 1)"),
    *("gather(a, [1, 0, 1])", "reshape(a, (3, 2))", "permute_dimensions(t3, (2, 0, 1))"),
    *("concatenate([a, b])", "concatenate([a, b], 0)", "stack([a, b], 1)", "expand_dims(a)"),
    *("squeeze(a[:, None], 1)", "repeat_elements(a, 2, 1)", "repeat(a, 2)", "tile(a, (2, 1))"),
    *("tile(a[0], 2)", "arange(4)", "arange(-4)", "arange(1, 7, 2, 'float32')"),
    *("one_hot(i, 3)", "reverse(a, 1)", "reverse(a, [0, 1])", "temporal_padding(t3, (2, 1))"),
    *("spatial_2d_padding(t4)", "spatial_2d_padding(t4, ((1, 0), (0, 2)), 'channels_first')"),
    *("spatial_3d_padding(t5, ((1, 0), (0, 1), (0, 0)))", "spatial_2d_padding(t4, (1, 1))"),
    *("resize_images(t4, 2, 3, 'channels_last')", "resize_images(t4, 1, 2, 'channels_first')"),
    *("resize_images(t4, 2, 2, 'channels_last', 'bilinear')", "resize_images(t4, 2, 2, 'x')"),
    *("resize_volumes(t5, 1, 2, 1, 'channels_last')", "bias_add(t3, tf.constant([1.0, 2, 3]))"),
    *("bias_add(t4, tf.range(4.0), 'channels_first')", "bias_add(t3, t3[0])"),
    *("bias_add(t3, tf.ones((3, 4)), 'channels_first')", "bias_add(t4, t3)"),
    *("conv1d(t3, tf.ones((2, 3, 2)))", "conv1d(t3, tf.ones((2, 3, 2)), 2, 'same')"),
    *("conv1d(t3, tf.ones((2, 3, 2)), padding='causal', dilation_rate=2)",),
    *("conv1d(t3, tf.ones((2, 4, 2)), data_format='channels_first')", "conv1d(t3, t3, 1, 'x')"),
    *("conv2d(t4, tf.ones((2, 2, 3, 2)))", "conv2d(t4, tf.ones((2, 2, 3, 2)), (2, 1), 'same')"),
    *("conv2d(t4, tf.ones((2, 2, 4, 2)), data_format='channels_first')",),
    *("conv2d(t4, tf.ones((2, 2, 3, 2)), dilation_rate=(2, 2))",),
    *("conv3d(t5, tf.ones((2, 2, 2, 2, 3)))",),
    *("conv2d_transpose(t4, tf.ones((2, 2, 2, 3)), (None, 8, 10, 2), (2, 2), 'same')",),
    *("depthwise_conv2d(t4, tf.ones((2, 2, 3, 2)))",),
    *("separable_conv2d(t4, tf.ones((2, 2, 3, 2)), tf.ones((1, 1, 6, 2)), padding='same')",),
    *("pool2d(t4, (2, 2))", "pool2d(t4, (2, 2), (2, 2), 'same', pool_mode='avg')"),
    *("pool2d(t4, (2, 2), data_format='channels_first')", "pool2d(t4, (2, 2), pool_mode='x')"),
    *("pool3d(t5, (2, 2, 2))", "pool2d(t4, (2,))"),
    *("local_conv1d(t3, tf.ones((3, 6, 2)), (2,), (1,))",),
    *("local_conv2d(t4, tf.ones((6, 18, 2)), (2, 3), (1, 2), (3, 2))",),
    *("normalize_batch_in_training(t3, None, None, [0, 1])",),
    *("normalize_batch_in_training(t4, tf.ones(3), tf.ones(3) / 2, [0, 1, 2])",),
    *("normalize_batch_in_training(t4, tf.ones(4), tf.zeros(4), [0, 2, 3])",),
    *("batch_normalization(t4, tf.ones(3), tf.ones(3) * 2, tf.ones(3), None)",),
    *("batch_normalization(t3, tf.ones(3), tf.ones(3) * 2, tf.ones(3), tf.ones(3) / 3)",),
    *("in_top_k(a, [0, 2], 2)", "switch(tf.constant(1), a, b)", "switch(flags, a, b)"),
    *("switch(tf.constant([1, 0]), t3[:, 0], lambda: t3[:, 1])", "switch(t3, a, b)"),
    *("in_train_phase(a, b)", "in_train_phase(a, b, True)", "in_test_phase(lambda: a, b)"),
    *("categorical_crossentropy(tf.one_hot([1, 0], 3), p)", "categorical_crossentropy(a[0], p)"),
    *("categorical_crossentropy(tf.one_hot([1, 0], 3), a, True)",),
    *("categorical_crossentropy(tf.one_hot([1, 0], 3), K.softmax(a))",),
    *("categorical_focal_crossentropy(tf.one_hot([1, 0], 3), p)",),
    *("categorical_focal_crossentropy(tf.one_hot([1, 0], 3), a, from_logits=True)",),
    *("sparse_categorical_crossentropy([1, 0], p)", "binary_crossentropy(p / 2, p / 3)"),
    *("sparse_categorical_crossentropy([1, 0], a, True, ignore_class=1)",),
    *("sparse_categorical_crossentropy(i[:, :, None] % 2, t3[:, :3], True)",),
    *("sparse_categorical_crossentropy(i, t3, True, axis=1)",),
    *("binary_crossentropy(p / 2, a, True)", "binary_focal_crossentropy(p / 2, p / 3, True)"),
    *("binary_focal_crossentropy(p / 2, a, from_logits=True)",),
    *("map_fn(lambda x: x * 2, a)", "foldl(lambda x, y: x * 0.5 + y, a)"),
    *("foldr(lambda x, y: x - y, a, tf.ones(3))", "variable([[1, 2]])", "constant(3, shape=(2,))"),
    *("zeros((2, 0))", "eye(2)", "ones((2,), 'int32')", "zeros((2,))", "epsilon()", "backend()"),
    *("random_bernoulli((4,), 1.0, seed=1)", "random_normal((2,), 3.0, 0.0, seed=1)"),
    *("dropout(a, 0.0)", "is_keras_tensor(a)", "learning_phase()", "batch_get_value([a, b])"),
)
_SEQUENCES = """
labels, lengths = np.array([[1, 2, 0], [1, 0, 0]]), np.array([[2], [1]])
q = tf.nn.softmax(r.randn(2, 5, 4).astype("float32"))
"""
_STEP = """
def step(x, states):
    h = tf.tanh(x + states[0] * 0.5)
    return h, [h]
mask = tf.constant([[True, True, False, True], [True, False, False, False]])
h0 = [tf.ones((2, 3))]
"""
_PROGRAMS = {
    "ctc cost": _SEQUENCES + "result = K.ctc_batch_cost(labels, q, np.array([[5], [4]]), lengths)",
    "ctc greedy": _SEQUENCES + "result = K.ctc_decode(q, [5, 4])",
    "ctc beams": _SEQUENCES + "result = K.ctc_decode(q, [5, 4], False, 10, 2)",
    "ctc labels": _SEQUENCES
    + """
s = K.ctc_label_dense_to_sparse(tf.constant(labels), tf.constant([2, 1]))
result = [s.indices, s.values]""",
    "rnn": _STEP + "result = K.rnn(step, t3, h0)",
    "rnn backwards": _STEP + "result = K.rnn(step, t3, h0, go_backwards=True)",
    "rnn unrolled": _STEP + "result = K.rnn(step, t3, h0, unroll=True, mask=mask)",
    "rnn masked": _STEP + "result = K.rnn(step, t3, h0, mask=mask)",
    "rnn zeros": _STEP + "result = K.rnn(step, t3, h0, mask=mask, zero_output_for_mask=True)",
    "rnn last": _STEP + "result = K.rnn(step, t3, h0, return_all_outputs=False)",
    "rnn time major": _STEP + "result = K.rnn(step, tf.transpose(t3, [1, 0, 2]), h0, "
    "time_major=True)",
    "rnn constants": """
def step(x, states):
    return x + states[1], [states[0] + 1.0]
result = K.rnn(step, t3, [tf.zeros((2, 3))], constants=[tf.ones((2, 3))])""",
    "values": """
v = K.variable([1.0, 2.0])
K.set_value(v, [3, 4])
K.batch_set_value([(v, K.get_value(v) * 2)])
K.update_add(v, [1.0, 1.0])
K.update_sub(v, [0.5, 0.5])
first = K.get_value(v)
K.update(v, [0.0, 8.0])
K.moving_average_update(v, [4.0, 4.0], 0.75)
result = [first, K.get_value(v), K.dtype(v)]""",
    "learning phase": """
K.set_learning_phase(1)
layer = k.layers.Dropout(1.0 - 1e-9)
result = [K.learning_phase(), tf.reduce_sum(layer(tf.ones((3, 3))))]
with K.learning_phase_scope(0):
    result += [K.learning_phase(), tf.reduce_sum(layer(tf.ones((3, 3))))]
result += [K.in_train_phase(1, 2), K.in_test_phase(1, 2)]
K.clear_session()
result += [K.learning_phase(), tf.reduce_sum(layer(tf.ones((3, 3))))]""",
    "no such phase": "K.set_learning_phase(2); result = 1",
    "names": """
K.clear_session()
result = [K.get_uid("z"), K.get_uid("z"), k.layers.Dense(1).name, k.layers.Dense(1).name]
K.reset_uids()
result += [K.get_uid("z"), k.layers.Dense(1).name]""",
    "function": """
x, y = K.placeholder((None, 3)), K.placeholder(ndim=2)
f = K.function([x, y], [K.sum(x * 2, axis=1), K.mean(y)])
result = f([a, b])""",
    "function of a model": """
m = k.Sequential([k.layers.Dense(2, kernel_initializer="ones", input_shape=(3,))])
result = K.function([m.layers[0].input], [m.layers[0].output])([a])""",
    "gradients in a function": """
@tf.function
def g(x):
    return K.gradients(K.sum(K.square(x)), [x])
result = g(a)""",
    "gradients eagerly": "K.gradients(K.sum(a), [a]); result = 1",
    "shapes in models": """
x = k.Input((4, 3))
y = [K.mean(x, axis=1), K.batch_dot(x, x, 2), K.concatenate([x, x], 1), K.expand_dims(x),
     K.conv1d(x, tf.ones((2, 3, 5))), K.softmax(x), K.cast(x, "int32"), K.repeat(x[:, 0], 2)]
result = [[list(K.int_shape(t)), K.dtype(t)] for t in y]""",
    "a model": """
x = k.Input((4, 3))
y = K.dot(K.square(x), K.constant(np.ones((3, 2))))
y = K.clip(K.l2_normalize(y, axis=1), 0.0, 0.4) + K.sum(x, axis=-1, keepdims=True)
m = k.Model(x, K.stack([y, K.relu(y)], axis=-1))
result = m(t3)""",
    "losses": """
def loss(y, z):
    return K.mean(K.square(z - y), axis=-1) + K.epsilon()
m = k.Sequential([k.layers.Dense(1, kernel_initializer="ones", input_shape=(3,))])
m.compile("sgd", loss, metrics=[lambda y, z: K.mean(K.equal(K.round(y), K.round(z)))])
m.fit(a, tf.ones((2, 1)), verbose=0)
result = m.get_weights()""",
    "a layer": """
class Scale(k.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(name="w", shape=(K.int_shape(t3)[-1],), initializer="ones")
        super().build(shape)
    def call(self, x, training=None):
        return K.in_train_phase(lambda: x * self.w * 2.0, x, training=training)
layer = Scale()
result = [layer(a), layer(a, training=True)]""",
}

PROGRAMS = {
    **{call: f"{_SETUP}\nresult = K.{call}" for call in _CALLS},
    **{name: _SETUP + code for name, code in _PROGRAMS.items()},
}
