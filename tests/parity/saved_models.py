"""A model that is saved and then used, by whichever module is given.

Used on Tapeflow by the tests and on TensorFlow by `run_saved_models.py`; imports neither.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def model(tf: Any) -> Any:
    """A module with functions of many kinds, all of them traced."""

    class Model(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.weight = tf.Variable([[1.0, -2.0], [0.5, 3.0]], name="weight")
            self.count = tf.Variable(0, trainable=False, name="count")
            self.items = [tf.Variable(1.0), 2, {"x": tf.Variable([True, False])}]
            self.pair = (tf.Variable("text"),)
            # Too large to be written into graphs: functions take it from outside.
            self.table = tf.constant(np.arange(200, dtype=np.float32))

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="rows")])
        def predict(self, rows: Any) -> Any:
            logits = tf.matmul(rows, self.weight)
            return {"logits": logits, "best": tf.argmax(logits, axis=1)}

        @tf.function
        def branch(self, x: Any, negate: bool = False, *, scale: Any = 2.0, shift: Any) -> Any:
            if tf.reduce_sum(x) > 0:
                y = x * self.items[0]
            else:
                y = x - self.table[150]
            return (-y if negate else y) * scale + shift

        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def power(self, n: Any) -> Any:
            result = tf.eye(2)
            for _ in tf.range(n):
                result = tf.matmul(result, self.weight)
            return result

        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def add(self, n: Any) -> Any:
            self.count.assign_add(n)
            return self.count.read_value()

        @tf.function
        def composite(self, ragged: Any, sparse: Any) -> Any:
            return ragged + 1.0, tf.sparse.reduce_sum(sparse), (ragged.row_lengths(), None)

        @tf.function
        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            return tf.add_n([*args, *(kwargs[key] for key in sorted(kwargs))])

    made = Model()
    calls(tf, made)
    return made


def calls(tf: Any, made: Any) -> dict[str, Any]:
    """What the functions give: called on the model they trace them, called after loading not."""
    x = tf.constant([1.0, 2.0])
    ragged = tf.ragged.constant([[1.0], [2.0, 3.0]])
    sparse = tf.sparse.from_dense([[1, 0], [0, 2]])
    return {
        "predict": made.predict(tf.constant([[1.0, 1.0], [0.0, -1.0]])),
        "branch": made.branch(x, shift=tf.constant(1.0)),
        "other branch": made.branch(-x, shift=tf.constant(1.0)),
        "negated": made.branch(x, True, scale=tf.constant(3.0), shift=tf.constant(1.0)),
        "power": made.power(tf.constant(3)),
        "composite": made.composite(ragged, sparse),
        "call": made(x, x, b=x, a=2.0 * x),
    }


def save(tf: Any, folder: Path) -> None:
    """The model with a signature that is found, and with some that are named."""
    made = model(tf)
    power = made.power.get_concrete_function()
    signatures = {"predict": made.predict, "power": power}
    tf.saved_model.save(made, str(folder / "model"), signatures=signatures)
    single = tf.Module()
    single.scale = tf.Variable(3.0)
    single.run = tf.function(
        lambda x: (x * single.scale, x), input_signature=[tf.TensorSpec([None], tf.float32)]
    )
    tf.saved_model.save(single, str(folder / "single"))


def use(tf: Any, folder: Path) -> dict[str, Any]:
    """What a loaded model gives, as plain values."""
    loaded = tf.saved_model.load(str(folder / "model"))
    found = {name: plain(tf, value) for name, value in calls(tf, loaded).items()}
    found["count"] = [int(loaded.add(tf.constant(2))), int(loaded.add(tf.constant(3)))]
    rows = tf.constant([[1.0, 2.0]])
    predict, power = loaded.signatures["predict"], loaded.signatures["power"]
    found["signatures"] = sorted(loaded.signatures)
    found["by signature"] = plain(tf, predict(rows=rows))
    found["power by signature"] = plain(tf, power(n=tf.constant(2)))
    with tf.GradientTape(persistent=True) as tape:
        logits = loaded.predict(rows)["logits"]
        branched = loaded.branch(tf.constant([1.0, 2.0]), shift=tf.constant(1.0))
    found["gradient"] = plain(tf, tape.gradient(logits, loaded.weight))
    found["gradient of branch"] = plain(tf, tape.gradient(branched, loaded.items[0]))
    found["variables"] = [v.name for v in predict.trainable_variables]
    found["attributes"] = plain(tf, [loaded.items[0], loaded.items[2], loaded.pair[0]])
    found["trainable"] = [loaded.weight.trainable, loaded.count.trainable]
    found["missing"] = [hasattr(loaded, name) for name in ("table", "name", "variables")]
    single = tf.saved_model.load(str(folder / "single"))
    found["single"] = plain(tf, single.signatures["serving_default"](x=tf.constant([1.0, 2.0])))
    return found


def plain(tf: Any, value: Any) -> Any:
    """Tensors as lists, containers as they are."""
    if isinstance(value, dict):
        return {key: plain(tf, item) for key, item in sorted(value.items())}
    if isinstance(value, (list, tuple)):
        return [plain(tf, item) for item in value]
    if hasattr(value, "to_list"):
        return value.to_list()
    if value is None:
        return None
    array = np.asarray(value)
    return repr(array.tolist()) if array.dtype.kind in "OS" else array.tolist()
