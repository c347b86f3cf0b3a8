"""Mistakes in the use of models, layers, datasets, loops, files and callbacks."""

from tests.messages.program import Program

PROGRAMS = [
    Program(
        "fit with features that the model does not expect",
        """
import numpy as np
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.ones((16, 5), "float32"), np.ones((16, 1), "float32"), verbose=0)  # <--
""",
        cause=(r"\(None, 8\)|\b8\b", r"\b5\b"),
        repair=(r"features|Input\(|last axis|of shape",),
    ),
    Program(
        "targets whose shape the output does not have",
        """
import numpy as np
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3)])
model.compile("sgd", "mse")
model.fit(np.ones((8, 4), "float32"), np.ones((8, 2), "float32"), verbose=0)  # <--
""",
        cause=(r"\b2\b", r"\b3\b"),
        repair=(r"Dense\(2\)|units=2|last layer|same (size|shape)",),
    ),
    Program(
        "a model called with too few inputs",
        """
import tapeflow as tf
a, b = tf.keras.Input((2,), name="a"), tf.keras.Input((3,), name="b")
model = tf.keras.Model([a, b], tf.keras.layers.Concatenate()([a, b]))
model(tf.ones([4, 2]))  # <--
""",
        cause=(r"2 inputs|two inputs", r"\b1\b|one"),
        repair=(r"\[a, b\]|'a'.*'b'|list of",),
    ),
    Program(
        "set_weights with an array of another shape",
        """
import numpy as np
import tapeflow as tf
layer = tf.keras.layers.Dense(3)
layer.build((None, 4))
layer.set_weights([np.ones((3, 4)), np.zeros(3)])  # <--
""",
        cause=(r"\(4, 3\)", r"\(3, 4\)", r"kernel"),
        repair=(r"transpose|\.T\b|of shape \(4, 3\)",),
    ),
    Program(
        "saving a layer whose constructor takes arguments without get_config",
        """
import tapeflow as tf
class Factor:
    value = 2.0
class Scale(tf.keras.layers.Layer):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor
    def call(self, x):
        return x * self.factor.value
model = tf.keras.Sequential([tf.keras.Input((2,)), Scale(Factor())])
model.save("/tmp/tapeflow_scale.keras")  # <--
""",
        cause=(r"get_config", r"Scale"),
        repair=(r"def get_config|override|return \{",),
    ),
    Program(
        "a Python counter changed in a function",
        """
import tapeflow as tf
class Counter:
    steps = 0
counter = Counter()
@tf.function
def step(x):
    counter.steps = counter.steps + x  # <--
    return x
step(tf.constant(1))
print(counter.steps + 1)
""",
        cause=(r"trace", r"step"),
        repair=(r"return|tf\.Variable",),
    ),
    Program(
        "elements that the spec of a generator does not allow",
        """
import tapeflow as tf
def rows():
    yield [1.0, 2.0, 3.0]
    yield [1.0, 2.0]  # <--
spec = tf.TensorSpec([3], tf.float32)
list(tf.data.Dataset.from_generator(rows, output_signature=spec))
""",
        cause=(r"\[2\]|\(2,\)", r"\[3\]|\(3,\)"),
        repair=(r"\[None\]|None",),
    ),
    Program(
        "a generator object in place of a function",
        """
import tapeflow as tf
def rows():
    yield 1.0
tf.data.Dataset.from_generator(rows(), output_types=tf.float32)  # <--
""",
        cause=(r"callable", r"generator"),
        repair=(r"without (the )?parenthes|lambda|function itself",),
    ),
    Program(
        "a py_function that returns another dtype",
        """
import tapeflow as tf
def half(x):
    return x / 2
print(tf.py_function(half, [tf.constant(3)], tf.int32))  # <--
""",
        cause=(r"int32", r"float64|double"),
        repair=(r"Tout",),
    ),
    Program(
        "a while_loop whose variable changes its shape",
        """
import tapeflow as tf
@tf.function
def f():
    return tf.while_loop(  # <--
        lambda i, x: i < 3,
        lambda i, x: (i + 1, tf.concat([x, x], 0)),
        [tf.constant(0), tf.ones([1])],
    )
f()
""",
        cause=(r"shape", r"\b1\b", r"\b2\b"),
        repair=(r"shape_invariants",),
    ),
    Program(
        "a while_loop whose body returns too few values",
        """
import tapeflow as tf
print(tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1,), [0, 0]))  # <--
""",
        cause=(r"\b1\b|one", r"\b2\b|two"),
        repair=(r"return a value for each",),
    ),
    Program(
        "stack of tensors of different shapes",
        """
import tapeflow as tf
print(tf.stack([tf.ones([2]), tf.ones([3])]))  # <--
""",
        cause=(r"\[2\]|\(2,\)", r"\[3\]|\(3,\)"),
        repair=(r"tf\.concat|tf\.ragged|pad",),
    ),
    Program(
        "an einsum with a letter too many",
        """
import tapeflow as tf
print(tf.einsum("ijk,jk->i", tf.ones([2, 3]), tf.ones([3, 4])))  # <--
""",
        cause=(r"ijk", r"rank 2|\[2, ?3\]|2 axes"),
        repair=(r"one letter per axis|letter",),
    ),
    Program(
        "a split that does not divide the axis",
        """
import tapeflow as tf
print(tf.split(tf.ones([10, 2]), 3))  # <--
""",
        cause=(r"\b10\b", r"\b3\b"),
        repair=(r"\[4, 3, 3\]",),
    ),
    Program(
        "a gather_nd index out of range",
        """
import tapeflow as tf
print(tf.gather_nd(tf.ones([2, 3]), [[0, 3]]))  # <--
""",
        cause=(r"\[0, ?3\]", r"\[2, ?3\]|\(2, 3\)"),
        repair=(r"0 to 2",),
    ),
    Program(
        "an average of integers and floats in a list",
        """
import tapeflow as tf
print(tf.add_n([tf.constant(1), tf.constant(2.0)]))  # <--
""",
        cause=(r"int32", r"float32"),
        repair=(r"tf\.cast",),
    ),
    Program(
        "a string joined to a number",
        """
import tapeflow as tf
print(tf.constant("step ") + 3)  # <--
""",
        cause=(r"string", r"int|\b3\b"),
        repair=(r"tf\.strings\.as_string|as_string|str\(",),
    ),
    Program(
        "a ragged tensor of uneven rows as a dense one",
        """
import tapeflow as tf
rows = tf.ragged.constant([[1, 2], [3]])
print(tf.convert_to_tensor(rows))  # <--
""",
        cause=(r"ragged",),
        repair=(r"to_tensor\(\)",),
    ),
    Program(
        "an optimizer shared by two models",
        """
import tapeflow as tf
optimizer = tf.keras.optimizers.Adam()
for units in (2, 3):
    model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(units)])
    model.compile(optimizer, "mse")
    model.fit(tf.ones([4, 4]), tf.ones([4, units]), verbose=0)  # <--
""",
        cause=(r"variable", r"optimizer"),
        repair=(r"new optimizer|one optimizer|own optimizer|another optimizer",),
    ),
    Program(
        "a callback class in place of an instance",
        """
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
stop = tf.keras.callbacks.EarlyStopping
model.fit(tf.ones([4, 2]), tf.ones([4, 1]), callbacks=[stop], verbose=0)  # <--
""",
        cause=(r"EarlyStopping", r"class"),
        repair=(r"EarlyStopping\(\)|instance",),
    ),
    Program(
        "EarlyStopping that monitors what is not measured",
        """
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
stop = tf.keras.callbacks.EarlyStopping(monitor="val_loss")
model.fit(tf.ones([4, 2]), tf.ones([4, 1]), callbacks=[stop], verbose=0)  # <--
""",
        cause=(r"val_loss", r"\bloss\b"),
        repair=(r"validation_data|validation_split",),
    ),
    Program(
        "a validation split of a dataset",
        """
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
data = tf.data.Dataset.from_tensor_slices((tf.ones([8, 2]), tf.ones([8, 1]))).batch(4)
model.fit(data, validation_split=0.25, verbose=0)  # <--
""",
        cause=(r"validation_split", r"Dataset"),
        repair=(r"validation_data|take|skip",),
    ),
    Program(
        "a batch size for a dataset",
        """
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
data = tf.data.Dataset.from_tensor_slices((tf.ones([8, 2]), tf.ones([8, 1])))
model.fit(data, batch_size=4, verbose=0)  # <--
""",
        cause=(r"batch_size", r"dataset"),
        repair=(r"\.batch\(",),
    ),
    Program(
        "a dataset that was not batched",
        """
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
data = tf.data.Dataset.from_tensor_slices((tf.ones([8, 2]), tf.ones([8, 1])))
model.fit(data, verbose=0)  # <--
""",
        cause=(r"\(2,\)|\[2\]|ndim=1",),
        repair=(r"\.batch\(|batch axis|batched",),
    ),
    Program(
        "a Dense layer with a number of units that is no number",
        """
import tapeflow as tf
tf.keras.layers.Dense("relu")  # <--
""",
        cause=(r"units", r"relu"),
        repair=(r"positive int|integer",),
    ),
    Program(
        "a convolution whose window is larger than the image",
        """
import tapeflow as tf
tf.keras.layers.Conv2D(4, 5)(tf.ones([1, 3, 3, 1]))  # <--
""",
        cause=(r"\b5\b", r"\b3\b"),
        repair=(r"padding=['\"]same|smaller",),
    ),
    Program(
        "a layer that is asked for its weights before it has any",
        """
import tapeflow as tf
layer = tf.keras.layers.Dense(3)
print(layer.kernel)  # <--
""",
        cause=(r"kernel", r"Dense|dense"),
        repair=(r"build|call",),
    ),
    Program(
        "a loop over a tensor of a function without AutoGraph",
        """
import tapeflow as tf
@tf.function(autograph=False)
def total(xs):
    s = 0.0
    for x in xs:  # <--
        s += x
    return s
print(total(tf.ones([3])))
""",
        cause=(r"iterat",),
        repair=(r"tf\.while_loop|tf\.map_fn|tf\.unstack|autograph|range",),
    ),
    Program(
        "a random seed of the wrong size",
        """
import tapeflow as tf
print(tf.random.stateless_normal([2], seed=1))  # <--
""",
        cause=(r"seed", r"\[2\]|shape"),
        repair=(r"\[1, 0\]|\[1, 1\]|two (numbers|integers)|\(1, ",),
    ),
    Program(
        "one_hot of floats",
        """
import tapeflow as tf
print(tf.one_hot(tf.constant([0.0, 1.0]), 2))  # <--
""",
        cause=(r"float", r"int"),
        repair=(r"tf\.cast",),
    ),
    Program(
        "a mask of another shape",
        """
import tapeflow as tf
print(tf.boolean_mask(tf.ones([3, 2]), [True, False]))  # <--
""",
        cause=(r"\(3|\[3|\b3\b", r"\b2\b"),
        repair=(r"mask of that shape",),
    ),
]
