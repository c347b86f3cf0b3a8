"""Mistakes that `tf.explain` answers: gradients that are None, values that are not finite."""

from tests.messages.program import Program

PROGRAMS = [
    Program(
        "None: through NumPy",
        """
import numpy as np
import tapeflow as tf
w = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(np.square(w.numpy()))  # <--
print(tape.gradient(loss, w))  # <--
""",
        cause=(r"numpy",),
        repair=(r"tf\.(math|square)|tf (ops|functions)|tensor ops|TensorFlow op",),
    ),
    Program(
        "None: an integer variable",
        """
import tapeflow as tf
x = tf.Variable(3)
with tf.GradientTape() as tape:
    y = x * x
print(tape.gradient(y, x))  # <--
""",
        cause=(r"int32",),
        repair=(r"float32|3\.0|tf\.cast",),
    ),
    Program(
        "None: the variable became a tensor",
        """
import tapeflow as tf
x = tf.Variable(2.0)
for step in range(2):
    with tf.GradientTape() as tape:
        y = x * x
    g = tape.gradient(y, x)  # <--
    print(g)
    x = x - 0.1 * g if g is not None else x
""",
        cause=(r"tensor", r"watch|was a tf\.Variable until"),
        repair=(r"assign_sub|assign",),
    ),
    Program(
        "None: through an assignment",
        """
import tapeflow as tf
x0 = tf.Variable(3.0)
x1 = tf.Variable(0.0)
with tf.GradientTape() as tape:
    x1.assign_add(x0)
    y = x1 * x1
print(tape.gradient(y, x0))  # <--
""",
        cause=(r"assign",),
        repair=(r"\+|instead|directly",),
    ),
    Program(
        "None: the loss was computed outside the tape",
        """
import tapeflow as tf
w = tf.Variable(2.0)
loss = w * w
with tf.GradientTape() as tape:
    pass
print(tape.gradient(loss, w))  # <--
""",
        cause=(r"outside|before|not .{0,20}record|not computed from",),
        repair=(r"inside|with tf\.GradientTape|Move the computation|in(to)? the .{0,12}block",),
    ),
    Program(
        "None: through argmax",
        """
import tapeflow as tf
w = tf.Variable([0.2, 0.7])
with tf.GradientTape() as tape:
    best = tf.argmax(w)  # <--
    loss = tf.cast(best, tf.float32) * 2.0
print(tape.gradient(loss, w))  # <--
""",
        cause=(r"ArgMax", r"int64|integer"),
        repair=(r"softmax|differentiable|reduce_max",),
    ),
    Program(
        "a forward NaN in a function",
        """
import tapeflow as tf
tf.debugging.enable_check_numerics()

@tf.function
def entropy(p):
    return -tf.reduce_sum(p * tf.math.log(p))  # <--

print(entropy(tf.constant([0.0, 1.0])))
""",
        cause=(r"Log", r"-Inf|Inf|NaN"),
        repair=(r"epsilon|tf\.maximum|xlogy|multiply_no_nan|log1p|clip",),
    ),
    Program(
        "an Inf of the backward pass in a function",
        """
import tapeflow as tf
tf.debugging.enable_check_numerics()
x = tf.Variable([0.0, 4.0])

@tf.function
def step():
    with tf.GradientTape() as tape:
        length = tf.reduce_sum(tf.sqrt(x))  # <--
    return tape.gradient(length, x)

print(step())
""",
        cause=(r"gradient of Sqrt|SqrtGrad", r"Inf"),
        repair=(r"epsilon|tf\.maximum|tf\.where|clip|divide_no_nan",),
    ),
]
