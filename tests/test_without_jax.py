"""Without jax everything but compiled code works, and says what to install for that."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]

# Refuses to import jax, and SciPy, which comes with it, as if they were not installed.
BLOCK = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("jax", "jaxlib", "scipy"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
import tempfile
import numpy as np
import tapeflow as tf
"""

PROGRAMS = {
    "eager": """
assert float(tf.reduce_sum(tf.ones([4, 3]) @ tf.ones([3, 2]))) == 24.0
assert tf.nn.conv2d(tf.ones([1, 8, 8, 3]), tf.ones([3, 3, 3, 2]), 1, "SAME").shape == (1, 8, 8, 2)
assert tf.random.normal([1000, 1000]).shape == (1000, 1000)
assert tf.strings.join(["a", "b"]).numpy() == b"ab"
sums = tf.math.unsorted_segment_sum(tf.ones([2000, 4]), tf.zeros([2000], tf.int32), 2)
assert sums.numpy().tolist() == [[2000.0] * 4, [0.0] * 4]
""",
    "tape": """
v = tf.Variable([1.0, 2.0])
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = tf.reduce_sum(v**3)
    g = inner.gradient(y, v)
assert outer.jacobian(g, v).numpy().tolist() == [[6.0, 0.0], [0.0, 12.0]]
""",
    "function": """
@tf.function
def total(x):
    s = 0.0
    for row in x:
        s += tf.reduce_sum(row @ tf.transpose(row))
    return s

x = tf.ones([20, 30, 30])
assert len({float(total(x)) for _ in range(40)}) == 1
tf.config.experimental.enable_op_determinism()
assert len({float(total(x)) for _ in range(20)}) == 1
""",
    "fit": """
layers = tf.keras.layers
model = tf.keras.Sequential(
    [layers.Conv2D(4, 3, activation="relu"), layers.BatchNormalization(), layers.Flatten(),
     layers.Dropout(0.2), layers.Dense(3)]
)
loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile("adam", loss, metrics=["accuracy"])
x, y = np.random.rand(64, 8, 8, 1).astype("float32"), np.random.randint(0, 3, 64)
history = model.fit(x, y, epochs=2, verbose=0)
assert len(history.history["loss"]) == 2
path = tempfile.mkdtemp()
model.save(path + "/m.keras")
again = tf.keras.models.load_model(path + "/m.keras")
np.testing.assert_allclose(again.predict(x, verbose=0), model.predict(x, verbose=0), rtol=1e-5)
""",
    "recurrent": """
model = tf.keras.Sequential(
    [tf.keras.layers.Embedding(10, 4), tf.keras.layers.LSTM(4), tf.keras.layers.Dense(1)]
)
model.compile("sgd", "mse")
model.fit(np.ones((8, 5), int), np.ones((8, 1)), verbose=0)
""",
    "data": """
numbers = tf.data.Dataset.range(100).shuffle(10)
batches = numbers.map(lambda x: x * 2, num_parallel_calls=tf.data.AUTOTUNE).batch(10).prefetch(2)
assert sum(int(tf.reduce_sum(b)) for b in batches) == 9900
""",
    "saving": """
class Adder(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def __call__(self, x):
        return x + 1.0

path = tempfile.mkdtemp()
checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
checkpoint.restore(checkpoint.save(path + "/c")).assert_consumed()
tf.saved_model.save(Adder(), path + "/s")
assert tf.saved_model.load(path + "/s")(tf.ones([2])).numpy().tolist() == [2.0, 2.0]
""",
    "jit_compile": """
try:
    tf.function(lambda x: x * 2.0, jit_compile=True)(tf.ones([2]))
except ImportError as error:
    assert "pip install jax" in str(error) and "jit_compile" in str(error)
else:
    raise AssertionError("expected an ImportError")
""",
}


def test_programs_run_without_jax() -> None:
    # In one process: importing takes longer than most of them.
    ordered = [name for name in PROGRAMS if name != "function"] + ["function"]
    source = BLOCK + "".join(f"\nprint({name!r}){PROGRAMS[name]}" for name in ordered)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", source],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.split() == ordered


def test_the_light_install_needs_all_but_jax() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = (ROOT / "requirements-light.txt").read_text("utf-8").splitlines()
    light = [line for line in lines if not line.startswith("#")]
    assert light == [each for each in project["dependencies"] if not each.startswith("jax")]
