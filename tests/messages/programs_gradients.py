"""Mistakes with gradients: what is None, and what is used twice."""

from tests.messages.program import Program

PROGRAMS = [
    Program(
        "None: a constant that nobody watches",
        """
import tapeflow as tf
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    y = x * x
print(tape.gradient(y, x))  # <--
""",
        cause=(r"not watch|does not watch|unwatched",),
        repair=(r"tape\.watch\(",),
    ),
    Program(
        "a tape used twice",
        """
import tapeflow as tf
x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = x * x
    z = y * y
print(tape.gradient(y, x))
print(tape.gradient(z, x))  # <--
""",
        cause=(r"once|more than|non-persistent|released",),
        repair=(r"persistent=True",),
    ),
    Program(
        "gradients that are None handed to an optimizer",
        """
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(3), tf.keras.layers.Dense(2)])
x = tf.ones([4, 5])
model(x)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(model.layers[0](x))
gradients = tape.gradient(loss, model.trainable_variables)
optimizer = tf.keras.optimizers.SGD()
optimizer.apply_gradients(zip(gradients, model.trainable_variables))  # <--
""",
        cause=(r"dense_\d+/kernel", r"no gradient|gradients? .{0,20}not exist|None"),
        repair=(
            r"loss .{0,40}(use|from|depend)|leave .{0,20}out|only .{0,60}variables|trainable=False",
        ),
    ),
]
