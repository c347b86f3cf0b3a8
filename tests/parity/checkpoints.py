"""Checkpoints of trees of objects, written and read by whichever module is given.

Used on Tapeflow by the tests and on TensorFlow by `run_checkpoints.py`; imports neither.
"""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np

Pair = namedtuple("Pair", "first second")

FLOATS = ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def values(tf: Any, filled: bool) -> Any:
    """A module with all kinds of children; with other values in them if not `filled`."""

    def variable(value: Any, **kwargs: Any) -> Any:
        tensor = tf.constant(value, **kwargs)
        return tf.Variable(tensor if filled else tf.zeros_like(tensor))

    module = tf.Module(name="tree")
    module.numbers = [variable([1.5, -2.5]), 3, variable([[1, 2], [3, 4]])]
    module.by_name = {"a/b.c": variable(1.0), "nested": {"x": variable(7)}, "plain": 1}
    module.pair = Pair(variable(1.0), (variable(2.0), [variable(3.0)]))
    module.text = variable(["", "abc", "\u00fc" * 100, "x" * 300])
    module.nothing = variable(np.zeros([2, 0], np.float32))
    module.inner = tf.Module(name="inner")
    module.inner.again = module.numbers[0]
    module.dtypes = {
        name: tf.Variable(tf.cast(tf.constant([0, 1] if filled else [0, 0]), name))
        for name in (*FLOATS, *INTEGERS, "bool")
    }
    module.many = [variable(float(i)) for i in range(40)]
    module.generator = tf.random.Generator.from_seed(5 if filled else 1)
    module.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    if filled:
        module.table.insert(["one"], tf.constant([1], tf.int64))
    return module


def write(tf: Any, folder: Path) -> None:
    """A checkpoint that is numbered, one that is not, and one with a module for its root."""
    tf.train.Checkpoint(tree=values(tf, True)).save(str(folder / "numbered"))
    tf.train.Checkpoint(step=tf.Variable(3), tree=values(tf, True)).write(str(folder / "plain"))
    tf.train.Checkpoint(values(tf, True), step=tf.Variable(3)).save(str(folder / "root"))


def read(tf: Any, folder: Path) -> dict[str, Any]:
    """What is in these checkpoints, as plain values; all of it must be found."""
    trees = [values(tf, False) for _ in range(3)]
    steps = [tf.Variable(0) for _ in range(2)]
    numbered = tf.train.Checkpoint(tree=trees[0])
    numbered.restore(str(folder / "numbered-1")).assert_consumed()
    plain = tf.train.Checkpoint(tree=trees[1], step=steps[0])
    plain.read(str(folder / "plain")).assert_consumed()
    root = tf.train.Checkpoint(trees[2], step=steps[1])
    root.restore(str(folder / "root-1")).assert_consumed()
    return {
        "counters": [int(numbered.save_counter), int(root.save_counter)],
        "steps": [int(step) for step in steps],
        "trees": [described(tree) for tree in trees],
        "names": tf.train.list_variables(str(folder / "plain")),
    }


def described(tree: Any) -> dict[str, Any]:
    """The values of the variables and of the table as text, by name."""
    found = {}
    for path, variable in tree._flatten(with_path=True, predicate=lambda v: hasattr(v, "assign")):
        found["/".join(map(str, path))] = repr(np.asarray(variable).tolist())
    keys, ids = tree.table.export()
    found["table"] = repr(sorted(zip(keys.numpy().tolist(), ids.numpy().tolist())))
    return found
