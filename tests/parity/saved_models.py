"""A model that is saved and then used, by whichever module is given.

Used on Tapeflow by the tests and on TensorFlow by `run_saved_models.py`; imports neither.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np


def model(tf: Any) -> Any:
    """A module with functions of many kinds, all of them traced."""

    @tf.custom_gradient
    def steep(x: Any) -> Any:
        y = tf.exp(x)
        return y, lambda upstream: upstream * 100.0 * x * y

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

        @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
        def steep(self, x: Any) -> Any:
            return steep(x * self.weight[1]) + tf.nn.silu(x)

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
        "steep": made.steep(x),
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
    tables(tf, folder)


def tables(tf: Any, folder: Path) -> None:
    """A model of tables: of keys and values, of the lines of a file, and one that has changed."""
    folder.mkdir(parents=True, exist_ok=True)
    # TensorFlow writes the name of the file into the model: it must not tell where that was.
    with contextlib.chdir(folder):
        file = Path("words.txt")
        file.write_text("a\nb\n", encoding="utf-8")
        made = model_of_tables(tf, str(file))
        tf.saved_model.save(made, "tables", signatures={"find": made.find})
        file.unlink()


def model_of_tables(tf: Any, file: str) -> Any:
    whole, number = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
    lines = tf.lookup.TextFileInitializer(file, tf.string, whole, tf.int64, number)
    pairs = tf.lookup.KeyValueTensorInitializer(["x", "y"], tf.constant([7, 8], tf.int64))
    made = tf.Module()
    made.lines = tf.lookup.StaticHashTable(lines, -1)
    made.words = tf.lookup.StaticVocabularyTable(pairs, 3)
    made.changing = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    made.changing.insert(["q"], tf.constant([5], tf.int64))
    made.vectors = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
    made.vectors.insert(tf.constant([3], tf.int64), [[1.0, 2.0]])

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def find(words: Any) -> Any:
        vectors = made.vectors.lookup(tf.constant([3, 4], tf.int64))
        return (
            made.lines.lookup(words),
            made.words.lookup(words),
            made.changing.lookup(words),
            vectors,
        )

    @tf.function(input_signature=[tf.TensorSpec([], tf.string), tf.TensorSpec([], tf.int64)])
    def insert(word: Any, number: Any) -> Any:
        made.changing.insert(word, number)
        return made.changing.size()

    made.find, made.insert = find, insert
    return made


def use_tables(tf: Any, folder: Path) -> dict[str, Any]:
    """What loaded tables give."""
    loaded = tf.saved_model.load(str(folder / "tables"))
    words = tf.constant(["a", "b", "x", "q", "new"])
    found = {"tables": plain(tf, loaded.find(words))}
    found["size"] = int(loaded.insert("new", tf.constant(9, tf.int64)))
    found["tables by signature"] = plain(tf, loaded.signatures["find"](words=words))
    return found


def use(tf: Any, folder: Path) -> dict[str, Any]:
    """What a loaded model gives, as plain values."""
    loaded = tf.saved_model.load(str(folder / "model"))
    found = {name: plain(tf, value) for name, value in calls(tf, loaded).items()}
    found["count"] = [int(loaded.add(tf.constant(2))), int(loaded.add(tf.constant(3)))]
    rows = tf.constant([[1.0, 2.0]])
    predict = loaded.signatures["predict"]
    found["signatures"] = sorted(loaded.signatures)
    found["by signature"] = plain(tf, predict(rows=rows))
    found["power by signature"] = plain(tf, loaded.signatures["power"](n=tf.constant(2)))
    x = tf.constant([1.0, 2.0])
    shift = tf.constant(1.0)

    def gradient(run: Any, variable: Any) -> Any:
        with tf.GradientTape() as tape:
            y = run()
        return plain(tf, tape.gradient(y, variable))

    found["gradient"] = gradient(lambda: loaded.predict(rows)["logits"], loaded.weight)
    found["gradient of power"] = gradient(lambda: loaded.power(tf.constant(3)), loaded.weight)
    found["gradient of steep"] = gradient(lambda: loaded.steep(x), loaded.weight)
    found["gradient of branch"] = gradient(lambda: loaded.branch(x, shift=shift), loaded.items[0])
    found["variables"] = [v.name for v in predict.trainable_variables]
    found["attributes"] = plain(tf, [loaded.items[0], loaded.items[2], loaded.pair[0]])
    found["trainable"] = [loaded.weight.trainable, loaded.count.trainable]
    found["missing"] = [hasattr(loaded, name) for name in ("table", "name", "variables")]
    single = tf.saved_model.load(str(folder / "single"))
    found["single"] = plain(tf, single.signatures["serving_default"](x=tf.constant([1.0, 2.0])))
    return {**found, **use_tables(tf, folder)}


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


def run_in_session(tf: Any, folder: Path) -> list[Any]:
    """What TensorFlow 1 gives for the signatures: it knows the graph, but no objects."""
    v1 = tf.compat.v1
    found: list[Any] = []
    for name, key, inputs in (
        ("model", "predict", {"rows": [[1.0, 2.0]]}),
        ("tables", "find", {"words": ["a", "b", "x", "q", "new"]}),
    ):
        with v1.Session(graph=tf.Graph()) as session:
            meta = v1.saved_model.load(session, ["serve"], str(folder / name))
            signature = meta.signature_def[key]
            wanted = {output: info.name for output, info in signature.outputs.items()}
            given = {signature.inputs[n].name: value for n, value in inputs.items()}
            results = session.run(wanted, given)
            prefix = str(folder / "saved_again")
            saver = meta.saver_def
            session.run(saver.save_tensor_name, {saver.filename_tensor_name: prefix})
            names = [variable for variable, _ in tf.train.list_variables(prefix)]
            found.append([plain(tf, results), names])
    return found


def call_run(tf: Any, folder: Path) -> dict[str, Any]:
    """What the function `run` of a model returns for the array beside its folder."""
    x = np.load(folder.parent / "x.npy")
    returned = tf.saved_model.load(str(folder)).run(tf.constant(x), tf.constant(x.T))
    return {name: value.numpy().tolist() for name, value in returned.items()}
