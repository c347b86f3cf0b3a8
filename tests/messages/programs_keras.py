"""Mistakes with Keras models, layers and training."""

from tests.messages.program import Program

PROGRAMS = [
    Program(
        "an Embedding index out of range",
        """
import tapeflow as tf
words = tf.keras.layers.Embedding(input_dim=10, output_dim=4)
print(words(tf.constant([[1, 2], [3, 10]])))  # <--
""",
        cause=(r"\b10\b", r"\[0, ?10\)"),
        repair=(r"input_dim",),
    ),
    Program(
        "class numbers for a categorical loss",
        """
import numpy as np
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(10, activation="softmax")])
model.compile("sgd", "categorical_crossentropy")
x, y = np.ones((32, 4), "float32"), np.zeros(32, "int32")
model.fit(x, y, verbose=0)  # <--
""",
        cause=(r"\(32,\)|\(None,\)|\(32, 1\)|\(None, 1\)", r"10"),
        repair=(r"sparse_categorical_crossentropy|SparseCategoricalCrossentropy|to_categorical",),
    ),
    Program(
        "a label that is no class",
        """
import numpy as np
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile("sgd", loss)
x, y = np.ones((4, 2), "float32"), np.array([0, 1, 2, 3])
model.fit(x, y, verbose=0)  # <--
""",
        cause=(r"\b3\b", r"\[0, ?3\)"),
        repair=(r"Dense\(4\)|4 outputs|4 classes|one output per class|as many outputs",),
    ),
    Program(
        "softmax and from_logits=True",
        """
import numpy as np
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(3, activation="softmax")])
loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile("sgd", loss)
model.fit(np.ones((4, 2), "float32"), np.array([0, 1, 2, 0]), verbose=0)  # <--
""",
        cause=(r"softmax", r"logits"),
        repair=(r"from_logits=False|without .{0,30}activation|remove|leave out",),
    ),
    Program(
        "fit without compile",
        """
import numpy as np
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.fit(np.ones((4, 2)), np.ones((4, 1)))  # <--
""",
        cause=(r"compile",),
        repair=(r"compile\(",),
    ),
    Program(
        "a misspelt loss",
        """
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.compile("adam", loss="categorical_cross_entropy")  # <--
model.fit(tf.ones([4, 2]), tf.ones([4, 10]), verbose=0)
""",
        cause=(r"loss", r"categorical_cross_entropy"),
        repair=(r"'categorical_crossentropy'",),
    ),
    Program(
        "x and y of different lengths",
        """
import numpy as np
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.ones((10, 2)), np.ones((8, 1)), verbose=0)  # <--
""",
        cause=(r"\b10\b", r"\b8\b"),
        repair=(r"same|equal",),
    ),
    Program(
        "loading a model with a Lambda layer",
        """
import os, tempfile
import tapeflow as tf
path = os.path.join(tempfile.mkdtemp(), "double.keras")
model = tf.keras.Sequential([tf.keras.Input([2]), tf.keras.layers.Lambda(lambda x: 2 * x)])
model.save(path)
tf.keras.models.load_model(path)  # <--
""",
        cause=(r"lambda", r"code|safe"),
        repair=(r"safe_mode=False|enable_unsafe_deserialization",),
    ),
    Program(
        "loading a custom layer that is not registered",
        """
import os, tempfile
import tapeflow as tf

class Scale(tf.keras.layers.Layer):
    def call(self, x):
        return 2.0 * x

path = os.path.join(tempfile.mkdtemp(), "scale.keras")
tf.keras.Sequential([tf.keras.Input([2]), Scale()]).save(path)
del Scale
tf.keras.models.load_model(path)  # <--
""",
        cause=(r"'?Scale'?",),
        repair=(r"custom_objects|register_keras_serializable",),
    ),
    Program(
        "forgetting super().__init__()",
        """
import tapeflow as tf

class Model(tf.keras.Model):
    def __init__(self):  # <--
        self.dense = tf.keras.layers.Dense(2)

Model()(tf.ones([1, 2]))
""",
        cause=(r"__init__",),
        repair=(r"super\(\)\.__init__\(\)|super\(.*\)\.__init__",),
    ),
    Program(
        "saving the weights of a model that is not built",
        """
import os, tempfile
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
model.save_weights(os.path.join(tempfile.mkdtemp(), "m.weights.h5"))  # <--
""",
        cause=(r"not.{0,15}built|no weights|unbuilt",),
        repair=(r"build\(|call (the model|it)|Input\(",),
    ),
    Program(
        "a model of a raw tensor",
        """
import tapeflow as tf
x = tf.ones([1, 4])
y = tf.keras.layers.Dense(2)(x)
model = tf.keras.Model(x, y)  # <--
""",
        cause=(r"KerasTensor|Input",),
        repair=(r"keras\.Input\(",),
    ),
    Program(
        "an op that a symbolic input cannot enter",
        """
import numpy as np
import tapeflow as tf
inputs = tf.keras.Input([4])
print(np.log(inputs))  # <--
""",
        cause=(r"KerasTensor|symbolic",),
        repair=(r"keras\.ops|Lambda|keras\.layers|tf\.",),
    ),
    Program(
        "Conv2D without a batch axis",
        """
import tapeflow as tf
image = tf.ones([28, 28, 1])
print(tf.keras.layers.Conv2D(8, 3)(image))  # <--
""",
        cause=(r"\(28, 28, 1\)|\[28, ?28, ?1\]", r"ndim|rank|dimension"),
        repair=(r"tf\.expand_dims\(|\[tf\.newaxis",),
    ),
    Program(
        "a misspelt activation",
        """
import tapeflow as tf
layer = tf.keras.layers.Dense(4, activation="rleu")  # <--
""",
        cause=(r"activation", r"rleu"),
        repair=(r"'relu'",),
    ),
    Program(
        "a misspelt argument of a layer",
        """
import tapeflow as tf
layer = tf.keras.layers.Dense(4, actvation="relu")  # <--
""",
        cause=(r"actvation", r"Dense"),
        repair=(r"'activation'",),
    ),
]
