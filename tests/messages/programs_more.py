"""Further mistakes: arguments of wrong kinds, structures that differ, files, and misspelt names."""

from tests.messages.program import Program

PROGRAMS = [
    Program(
        "an int where a slice of a float tensor is added",
        """
import tapeflow as tf
x = tf.ones([4, 4])
steps = tf.range(4)
print(x[:, 0] + steps)  # <--
""",
        cause=("float", "int32"),
        repair=(r"tf\.cast\(",),
    ),
    Program(
        "an axis that is a float",
        """
import tapeflow as tf
print(tf.reduce_sum(tf.ones([2, 3]), axis=1.0))  # <--
""",
        cause=(r"axis|reduction_indices", r"float|1\.0"),
        repair=(r"int",),
    ),
    Program(
        "a padding that does not exist",
        """
import tapeflow as tf
layer = tf.keras.layers.Conv2D(4, 3, padding="smae")  # <--
""",
        cause=(r"padding", r"smae"),
        repair=(r"'same'",),
    ),
    Program(
        "a padding of tf.nn that does not exist",
        """
import tapeflow as tf
x, f = tf.ones([1, 8, 8, 1]), tf.ones([3, 3, 1, 4])
print(tf.nn.conv2d(x, f, strides=1, padding="FULL"))  # <--
""",
        cause=(r"padding", r"FULL"),
        repair=(r"SAME",),
    ),
    Program(
        "a negative size",
        """
import tapeflow as tf
print(tf.zeros([2, -3]))  # <--
""",
        cause=(r"-3",),
        repair=(r"0 or more|non-negative|>= 0",),
    ),
    Program(
        "an LSTM without a time axis",
        """
import tapeflow as tf
print(tf.keras.layers.LSTM(4)(tf.ones([8, 3])))  # <--
""",
        cause=(r"ndim=3|rank 3|3 dim|3D", r"\(8, 3\)|ndim=2|\[8, ?3\]"),
        repair=(r"tf\.newaxis|tf\.expand_dims|Reshape",),
    ),
    Program(
        "a generator for fit whose batches have four parts",
        """
import numpy as np
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")

def batches():
    while True:
        yield np.ones((2, 3)), np.ones((2, 1)), np.ones(2), np.ones(2)

model.fit(batches(), steps_per_epoch=1, verbose=0)  # <--
""",
        cause=(r"\b4\b|four|tuple|x, y",),
        repair=(r"\(x, y\)|x, y, sample_weight|\(inputs, targets",),
    ),
    Program(
        "load_weights of another architecture",
        """
import os, tempfile
import tapeflow as tf
path = os.path.join(tempfile.mkdtemp(), "m.weights.h5")
small = tf.keras.Sequential([tf.keras.Input([4]), tf.keras.layers.Dense(2)])
small.save_weights(path)
large = tf.keras.Sequential([tf.keras.Input([4]), tf.keras.layers.Dense(3)])
large.load_weights(path)  # <--
""",
        cause=(r"\(4, 2\)", r"\(4, 3\)"),
        repair=(r"skip_mismatch=True|same (layers|architecture|shapes)",),
    ),
    Program(
        "a metric of another shape",
        """
import tapeflow as tf
metric = tf.keras.metrics.MeanSquaredError()
metric.update_state(tf.ones([4, 2]), tf.ones([4, 3]))  # <--
""",
        cause=(r"\(4, 2\)|\[4, ?2\]", r"\(4, 3\)|\[4, ?3\]"),
        repair=(r"same shape|must match|expected .* shape|reshape|equal|expand_dims",),
    ),
    Program(
        "a misspelt optimizer",
        """
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("adma", "mse")  # <--
""",
        cause=(r"optimizer", r"adma"),
        repair=(r"'adam'",),
    ),
    Program(
        "a misspelt metric",
        """
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("adam", "mse", metrics=["acuracy"])  # <--
model.fit(tf.ones([4, 2]), tf.ones([4, 1]), verbose=0)
""",
        cause=(r"metric", r"acuracy"),
        repair=(r"'accuracy'",),
    ),
    Program(
        "a misspelt initializer",
        """
import tapeflow as tf
tf.keras.layers.Dense(2, kernel_initializer="glorot_unifrom")  # <--
""",
        cause=(r"initializer", r"glorot_unifrom"),
        repair=(r"'glorot_uniform'",),
    ),
    Program(
        "a misspelt regularizer",
        """
import tapeflow as tf
tf.keras.layers.Dense(2, kernel_regularizer="L_2")  # <--
""",
        cause=(r"regularizer", r"L_2"),
        repair=(r"'l2'|'L2'",),
    ),
    Program(
        "a misspelt argument of compile",
        """
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(optimiser="adam", loss="mse")  # <--
""",
        cause=(r"optimiser", r"compile"),
        repair=(r"'optimizer'",),
    ),
    Program(
        "a misspelt argument of fit",
        """
import numpy as np
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.ones((4, 2)), np.ones((4, 1)), epoch=3)  # <--
""",
        cause=(r"'epoch'", r"fit"),
        repair=(r"'epochs'",),
    ),
    Program(
        "a misspelt argument of an optimizer",
        """
import tapeflow as tf
tf.keras.optimizers.Adam(learningrate=0.1)  # <--
""",
        cause=(r"learningrate",),
        repair=(r"'learning_rate'",),
    ),
    Program(
        "branches of tf.cond with different structures",
        """
import tapeflow as tf

@tf.function
def choose(x):
    return tf.cond(x > 0.0, lambda: (x, x), lambda: x)  # <--

print(choose(tf.constant(1.0)))
""",
        cause=(r"branch|true_fn|false_fn|cond", r"structure|tuple|number"),
        repair=(r"same (structure|nest)|both (branches|functions)",),
    ),
    Program(
        "branches of tf.cond with different dtypes",
        """
import tapeflow as tf

@tf.function
def choose(x):
    return tf.cond(x > 0.0, lambda: x, lambda: tf.constant(0))  # <--

print(choose(tf.constant(1.0)))
""",
        cause=("float32", "int32"),
        repair=(r"tf\.cast\(|same dtype",),
    ),
    Program(
        "a condition of tf.cond that is no scalar",
        """
import tapeflow as tf

@tf.function
def choose(x):
    return tf.cond(x > 0.0, lambda: x, lambda: -x)  # <--

print(choose(tf.constant([1.0, 2.0])))
""",
        cause=(r"\(2,\)|\[2\]", r"scalar|rank"),
        repair=(r"tf\.where|tf\.reduce_a",),
    ),
    Program(
        "a TensorArray read before it is written",
        """
import tapeflow as tf

@tf.function
def first():
    items = tf.TensorArray(tf.float32, size=2)
    return items.read(0)  # <--

print(first())
""",
        cause=(r"written|uninitialized|never",),
        repair=(r"write|element_shape",),
    ),
    Program(
        "a TensorArray whose write is dropped",
        """
import tapeflow as tf

items = tf.TensorArray(tf.float32, size=2)
items = items.write(0, 1.0)
print(items.write(5, 2.0).stack())  # <--
""",
        cause=(r"\b5\b", r"\b2\b|size"),
        repair=(r"dynamic_size=True",),
    ),
    Program(
        "a ragged list as a dense tensor",
        """
import tapeflow as tf
print(tf.constant([[1, 2], [3]]))  # <--
""",
        cause=(r"non-rectangular|ragged|different lengths|length",),
        repair=(r"tf\.ragged\.constant",),
    ),
    Program(
        "a ragged tensor where a dense one is needed",
        """
import tapeflow as tf
rows = tf.ragged.constant([[1.0, 2.0], [3.0]])
print(tf.linalg.inv(rows))  # <--
""",
        cause=(r"RaggedTensor",),
        repair=(r"to_tensor\(\)",),
    ),
    Program(
        "a string where a number is needed",
        """
import tapeflow as tf
print(tf.constant("3") + tf.constant(4))  # <--
""",
        cause=(r"string", r"int32"),
        repair=(r"tf\.strings\.to_number",),
    ),
    Program(
        "a text that is no number",
        """
import tapeflow as tf
print(tf.strings.to_number(["1.5", "n/a"]))  # <--
""",
        cause=(r"n/a",),
        repair=(r"tf\.where|regex|clean|strip",),
    ),
    Program(
        "datasets of different structures joined",
        """
import tapeflow as tf
a = tf.data.Dataset.from_tensor_slices({"x": [1, 2]})
b = tf.data.Dataset.from_tensor_slices([1, 2])
joined = a.concatenate(b)  # <--
""",
        cause=(r"structure|type|spec", r"x"),
        repair=(r"map|same (structure|types|element)|zip",),
    ),
    Program(
        "a map function that takes too few arguments",
        """
import tapeflow as tf
pairs = tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4]))
sums = pairs.map(lambda row: row[0] + row[1])  # <--
""",
        cause=(r"\b2\b|two", r"argument"),
        repair=(r"lambda \w+, \w+|two arguments|one argument (for|per) each|\*",),
    ),
    Program(
        "from_tensor_slices of different lengths",
        """
import tapeflow as tf
data = tf.data.Dataset.from_tensor_slices(([1, 2, 3], [1, 2]))  # <--
""",
        cause=(r"\b3\b", r"\b2\b"),
        repair=(r"same|equal|zip",),
    ),
    Program(
        "saving a module whose function was never traced",
        """
import tempfile
import tapeflow as tf

class Adder(tf.Module):
    @tf.function
    def __call__(self, x):
        return x + 1.0

path = tempfile.mkdtemp()
tf.saved_model.save(Adder(), path)
tf.saved_model.load(path)(tf.constant(1.0))  # <--
""",
        cause=(r"trace|concrete|no (saved )?function|not callable",),
        repair=(r"input_signature|get_concrete_function|call it",),
    ),
    Program(
        "a restored object that the program does not have",
        """
import tempfile
import tapeflow as tf
one = tf.train.Checkpoint(w=tf.Variable(1.0))
path = one.save(tempfile.mkdtemp() + "/c")
two = tf.train.Checkpoint(w=tf.Variable(1.0), b=tf.Variable(2.0))
two.restore(path).assert_existing_objects_matched()  # <--
""",
        cause=(r"2\.0|'b'|\bb\b", r"no value|unmatched|not found"),
        repair=(r"expect_partial|list_variables",),
    ),
    Program(
        "a scalar summary without a step",
        """
import tempfile
import tapeflow as tf
with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    tf.summary.scalar("loss", 0.5)  # <--
""",
        cause=(r"step",),
        repair=(r"step=|set_step",),
    ),
    Program(
        "an index of a tensor that is a float",
        """
import tapeflow as tf
x = tf.range(10)
print(x[1.5])  # <--
""",
        cause=(r"1\.5|float",),
        repair=(r"int",),
    ),
    Program(
        "an index out of bounds",
        """
import tapeflow as tf
x = tf.range(3)
print(x[5])  # <--
""",
        cause=(r"\b5\b", r"\b3\b|bounds|\[0"),
        repair=(r"0 to 2|-1|x\[",),
    ),
    Program(
        "a name of TensorFlow 1",
        """
import tapeflow as tf
print(tf.log(1.0))  # <--
""",
        cause=(r"'log'",),
        repair=(r"tf\.math\.log",),
    ),
    Program(
        "a session of TensorFlow 1",
        """
import tapeflow as tf
with tf.Session() as session:  # <--
    pass
""",
        cause=(r"Session",),
        repair=(r"tf\.compat\.v1\.Session",),
    ),
    Program(
        "a misspelt layer",
        """
import tapeflow as tf
layer = tf.keras.layers.Dence(3)  # <--
""",
        cause=(r"Dence",),
        repair=(r"Dense",),
    ),
    Program(
        "a name of contrib",
        """
import tapeflow as tf
layer = tf.contrib.layers.flatten(tf.ones([2, 2]))  # <--
""",
        cause=(r"contrib",),
        repair=(r"tf\.keras|package|tensorflow_addons|tf_slim",),
    ),
    Program(
        "one-hot labels for a sparse loss",
        """
import numpy as np
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(3, activation="softmax")])
model.compile("sgd", "sparse_categorical_crossentropy")
labels = np.eye(3, dtype="float32")[[0, 1, 2, 0, 1, 2]]
model.fit(np.ones((6, 2), "float32"), labels, verbose=0)  # <--
""",
        cause=(r"\(6, 3\)|\(None, 3\)|\[6, ?3\]",),
        repair=(r"'categorical_crossentropy'|CategoricalCrossentropy|argmax",),
    ),
    Program(
        "a binary loss with an output too many",
        """
import numpy as np
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(2, activation="sigmoid")])
model.compile("sgd", "binary_crossentropy")
model.fit(np.ones((6, 2), "float32"), np.ones((6, 1), "float32"), verbose=0)  # <--
""",
        cause=(r"\(6, 1\)|\(None, 1\)", r"\(6, 2\)|\(None, 2\)"),
        repair=(r"Dense\(1|one output|same shape|1 unit",),
    ),
    Program(
        "a functional model that is not connected",
        """
import tapeflow as tf
a, b = tf.keras.Input([2]), tf.keras.Input([2])
model = tf.keras.Model(a, tf.keras.layers.Dense(1)(b))  # <--
""",
        cause=(r"input|connected",),
        repair=(r"inputs=|add .* to|all inputs|inputs of the model",),
    ),
    Program(
        "a variable assigned another shape",
        """
import tapeflow as tf
w = tf.Variable(tf.zeros([2, 3]))
w.assign(tf.ones([3, 2]))  # <--
""",
        cause=(r"\(2, 3\)|\[2, ?3\]", r"\(3, 2\)|\[3, ?2\]"),
        repair=(r"tf\.TensorShape|shape=|tf\.transpose|tf\.reshape",),
    ),
    Program(
        "a Variable subtracted in place",
        """
import tapeflow as tf
w = tf.Variable(1.0)

@tf.function
def step():
    w = w - 0.1  # <--
    return w

step()
""",
        cause=(r"\bw\b", r"before|local"),
        repair=(r"assign_sub|nonlocal|global|argument",),
    ),
    Program(
        "a Python object as an argument that has no tensor",
        """
import tapeflow as tf

class Config:
    rate = 0.5

print(tf.constant(2.0) * Config())  # <--
""",
        cause=(r"Config",),
        repair=(r"number|attribute|convert",),
    ),
    Program(
        "None as a tensor",
        """
import tapeflow as tf

def rate(x):
    x * 2.0

print(tf.reduce_sum(rate(tf.constant(1.0))))  # <--
""",
        cause=(r"None",),
        repair=(r"return",),
    ),
    Program(
        "an optimizer built for other variables",
        """
import tapeflow as tf
x = tf.Variable(1.0)
optimizer = tf.keras.optimizers.SGD()
optimizer.build([x])
y = tf.Variable(1.0)
optimizer.apply_gradients([(tf.constant(1.0), y)])  # <--
""",
        cause=(r"variable|unknown|not recognized",),
        repair=(r"new optimizer|build|another optimizer",),
    ),
]
