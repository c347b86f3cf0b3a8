"""Mistakes with dtypes, shapes and values of tensors."""

from tests.messages.program import Program

PROGRAMS = [
    Program(
        "an int tensor times a float tensor",
        """
import tapeflow as tf
counts = tf.constant([1, 2, 3])
weights = tf.constant([0.5, 0.25, 0.25])
print(counts * weights)  # <--
""",
        cause=("int32", "float"),
        repair=(r"tf\.cast\(",),
    ),
    Program(
        "matmul of shapes that do not fit",
        """
import tapeflow as tf
batch = tf.ones([32, 10])
kernel = tf.ones([20, 5])
print(tf.matmul(batch, kernel))  # <--
""",
        cause=(r"32, ?10", r"20, ?5", r"\b10\b.*\b20\b"),
        repair=(r"must equal|expected.*first dimension|second.*\[10, ?\w+\]",),
    ),
    Program(
        "a Dense layer built for 10 features gets 12",
        """
import tapeflow as tf
layer = tf.keras.layers.Dense(4)
layer(tf.ones([2, 10]))
layer(tf.ones([2, 12]))  # <--
""",
        cause=(r"\b10\b", r"\b12\b"),
        repair=(r"new layer|another layer|layer of its own",),
    ),
    Program(
        "a gather index out of range in a compiled function",
        """
import tapeflow as tf

@tf.function(jit_compile=True)
def pick(table, i):
    return tf.gather(table, i)  # <--

print(pick(tf.range(4), tf.constant([1, 7])))
""",
        cause=(r"\b7\b", r"\[0, ?4\)"),
        repair=(r"tf\.clip_by_value|tf\.minimum|valid indices are 0 to 3",),
    ),
    Program(
        "an axis out of range",
        """
import tapeflow as tf
scores = tf.ones([3, 4])
print(tf.reduce_mean(scores, axis=2))  # <--
""",
        cause=(r"\b2\b", r"rank 2|\[-2, ?2\)|\[3, ?4\]|2 dimension"),
        repair=(r"axis=1\b|axis=-1\b",),
    ),
    Program(
        "concat of parts that differ in another axis",
        """
import tapeflow as tf
left = tf.ones([2, 3])
right = tf.ones([4, 5])
print(tf.concat([left, right], axis=1))  # <--
""",
        cause=(r"\[2, ?3\]", r"\[4, ?5\]"),
        repair=(r"except (along )?axis|tf\.pad|only (in|along) axis",),
    ),
    Program(
        "reshape to another number of elements in a function",
        """
import tapeflow as tf

@tf.function
def square(x):
    return tf.reshape(x, [4, 4])  # <--

print(square(tf.ones([3, 5])))
""",
        cause=(r"\b15\b", r"\b16\b"),
        repair=(r"-1",),
    ),
    Program(
        "float64 data times float32 weights",
        """
import numpy as np
import tapeflow as tf
data = tf.constant(np.random.rand(8, 3))
weights = tf.Variable(tf.ones([3, 2]))
print(data @ weights)  # <--
""",
        cause=("float64", "float32"),
        repair=(r"astype|tf\.cast\(",),
    ),
    Program(
        "assignment to an element of a tensor",
        """
import tapeflow as tf
x = tf.zeros([3])
x[0] = 1.0  # <--
""",
        cause=(r"item assignment|immutable|cannot be changed",),
        repair=(r"tf\.tensor_scatter_nd_update|tf\.Variable",),
    ),
    Program(
        "a tensor of 14 TiB",
        """
import tapeflow as tf
pairs = tf.zeros([2000000, 2000000])  # <--
""",
        cause=(r"memory|OOM|allocat", r"TiB|14\.6|\b16000000000000\b|2000000, ?2000000"),
        repair=(r"smaller|sparse|batches",),
    ),
    Program(
        "einsum of sizes that do not fit",
        """
import tapeflow as tf
a = tf.ones([2, 3])
b = tf.ones([4, 5])
print(tf.einsum("ij,jk->ik", a, b))  # <--
""",
        cause=(r"\b3\b", r"\b4\b"),
        repair=(r"another letter|its own letter|transpose|ij,kj",),
    ),
    Program(
        "a device that does not exist",
        """
import tapeflow as tf
tf.config.set_soft_device_placement(False)
with tf.device("/GPU:0"):  # <--
    x = tf.ones([2]) + 1.0  # <--
""",
        cause=("GPU:0", r"CPU:0"),
        repair=(
            r"list_(physical|logical)_devices|set_soft_device_placement\(True\)|tf\.device\(.?/CPU",
        ),
    ),
    Program(
        "a matrix times a vector",
        """
import tapeflow as tf
matrix = tf.ones([3, 3])
vector = tf.ones([3])
print(matrix @ vector)  # <--
""",
        cause=(r"rank|ndims", r"\[3\]"),
        repair=(r"tf\.linalg\.matvec|expand_dims|tf\.newaxis",),
    ),
    Program(
        "element-wise sum of shapes that do not broadcast",
        """
import tapeflow as tf
rows = tf.ones([4, 3])
offsets = tf.ones([4])
print(rows + offsets)  # <--
""",
        cause=(r"\[4, ?3\]", r"\[4\]"),
        repair=(r"\[:, tf\.newaxis\]|tf\.expand_dims\(\w+, (-1|1|axis)",),
    ),
]
