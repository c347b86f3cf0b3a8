"""Attributes of users' own classes never collide with private ones of the classes they extend.

What the classes keep for themselves starts with a reserved prefix, unless TensorFlow or Keras has
an attribute of the same name: `tests/golden/private_names.txt` lists those of their base classes.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

RESERVED = "_tpf_"
# The names that notebooks call.
NOTEBOOKS = {"_repr_html_"}
SHARED = frozenset((Path(__file__).parents[1] / "golden" / "private_names.txt").read_text().split())
BASES = [
    tf.Module,
    tf.keras.layers.Layer,
    tf.keras.layers.RNN,
    tf.keras.Model,
    tf.keras.Sequential,
    tf.keras.metrics.Metric,
    tf.keras.losses.Loss,
    tf.keras.optimizers.Optimizer,
    tf.keras.callbacks.Callback,
]


def private_names(base: type) -> set[str]:
    """The private attributes that a class and those it derives from define or use."""
    names: set[str] = set()
    for cls in base.__mro__:
        if cls.__module__.split(".")[0] == "tapeflow":
            names.update(vars(cls))
            for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(cls)))):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    names.update({node.attr} if node.value.id in ("self", "cls") else ())
    return {name for name in names if name.startswith("_") and not name.startswith("__")}


@pytest.mark.parametrize("base", BASES, ids=lambda base: base.__name__)
def test_private_names_are_reserved(base: type) -> None:
    own = {name for name in private_names(base) if not name.lower().startswith(RESERVED)}
    assert own - SHARED - NOTEBOOKS == set()


TAKEN = ("_training", "_call", "_run", "_converted", "_signature", "_waiting", "_keep", "_set")


def test_layers_with_attributes_of_such_names_work(tmp_path: Path) -> None:
    class Doubled(tf.keras.layers.Layer):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            for name in TAKEN:
                setattr(self, name, False)

        def build(self, shape: Any) -> None:
            self.w = self.add_weight(shape=shape[-1:], initializer="ones")

        def call(self, x: Any) -> Any:
            return x * self.w * 2.0

    model = tf.keras.Sequential([tf.keras.Input([3]), Doubled()])
    np.testing.assert_array_equal(model(tf.ones([1, 3])), [[2.0, 2.0, 2.0]])
    model.compile("sgd", "mse", run_eagerly=True)
    model.fit(np.ones([2, 3]), np.zeros([2, 3]), verbose=0)
    path = str(tmp_path / "model.weights.h5")
    model.save_weights(path)
    model.load_weights(path)
    assert not any(getattr(model.layers[0], name) for name in TAKEN)


@pytest.mark.parametrize("base", [tf.Module, tf.keras.metrics.Metric])
def test_modules_and_metrics_with_attributes_of_such_names_work(base: Any, tmp_path: Path) -> None:
    prefix = str(tmp_path / "ckpt")

    def build() -> Any:
        instance = base(name="own")
        instance._waiting = False
        return instance

    saved, new = build(), build()
    saved.v = tf.Variable(5.0)
    path = tf.train.Checkpoint(own=saved).save(prefix)
    tf.train.Checkpoint(own=new).restore(path)
    new.v = tf.Variable(0.0)
    assert float(new.v) == 5.0
