"""Mistakes with datasets, checkpoints and names."""

from tests.messages.program import Program

PROGRAMS = [
    Program(
        "elements of different lengths in a batch",
        """
import tapeflow as tf
words = tf.data.Dataset.from_generator(
    lambda: ([1] * n for n in (2, 3)), output_signature=tf.TensorSpec([None], tf.int32)
)
for batch in words.batch(2):  # <--
    print(batch)
""",
        cause=(r"\[2\]", r"\[3\]"),
        repair=(r"padded_batch|ragged_batch",),
    ),
    Program(
        "a generator that yields a wrong dtype",
        """
import tapeflow as tf

def rows():
    yield 1.0, 0
    yield 2.0, "cat"  # <--

signature = (tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.int32))
for x, y in tf.data.Dataset.from_generator(rows, output_signature=signature):  # <--
    print(x, y)
""",
        cause=(r"cat", r"int32"),
        repair=(r"component 1|element\[1\]|\[1\]|output_signature",),
    ),
    Program(
        "a missing key in the function of a map",
        """
import tapeflow as tf
people = tf.data.Dataset.from_tensor_slices({"age": [1, 2], "name": ["a", "b"]})
ages = people.map(lambda row: row["Age"] + 1)  # <--
""",
        cause=(r"'Age'",),
        repair=(r"\['age', 'name'\]",),
    ),
    Program(
        "an index into a dataset",
        """
import tapeflow as tf
numbers = tf.data.Dataset.range(5)
print(numbers[2])  # <--
""",
        cause=(r"subscript|index|not support",),
        repair=(r"\.skip\(|\.take\(|next\(iter|as_numpy_iterator",),
    ),
    Program(
        "a checkpoint that does not exist",
        """
import tapeflow as tf
checkpoint = tf.train.Checkpoint(step=tf.Variable(0))
checkpoint.restore("/nowhere/ckpt-1")  # <--
""",
        cause=(r"/nowhere/ckpt-1", r"not (exist|find)|no such|not found|unsuccessful"),
        repair=(r"latest_checkpoint|\.index|exists",),
    ),
    Program(
        "a checkpoint of another shape",
        """
import tempfile
import tapeflow as tf
path = tf.train.Checkpoint(w=tf.Variable(tf.ones([2, 3]))).save(tempfile.mkdtemp() + "/c")
tf.train.Checkpoint(w=tf.Variable(tf.ones([3, 3]))).restore(path)  # <--
""",
        cause=(r"\[2, ?3\]|\(2, 3\)", r"\[3, ?3\]|\(3, 3\)"),
        repair=(r"create|build|tf\.train\.list_variables|same shape",),
    ),
    Program(
        "a checkpoint of other names",
        """
import tempfile
import tapeflow as tf
path = tf.train.Checkpoint(weight=tf.Variable(1.0)).save(tempfile.mkdtemp() + "/c")
tf.train.Checkpoint(kernel=tf.Variable(2.0)).restore(path).assert_consumed()  # <--
""",
        cause=(r"weight|kernel|\(root\)",),
        repair=(r"expect_partial|list_variables|assert_existing|Checkpoint\(weight=",),
    ),
]
