"""Functions as graphs, for tests that look at them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf


def concrete(function: Callable[..., Any], *shapes: Any, dtype: Any = tf.float32) -> Any:
    """The graph of a function of tensors of these shapes; a TensorSpec stands for itself."""
    specs = [s if isinstance(s, tf.TensorSpec) else tf.TensorSpec(s, dtype) for s in shapes]
    return tf.function(function, autograph=False).get_concrete_function(*specs)


def names(function: Callable[..., Any], *shapes: Any) -> list[str]:
    """The names of the operations of its graph, without those of its arguments."""
    operations = concrete(function, *shapes).graph.get_operations()
    return [op.name for op in operations[len(shapes) :]]


def static_shape(function: Callable[..., Any], *shapes: Any) -> Any:
    """What is known of the shape of its result, as a list."""
    shape = concrete(function, *shapes).outputs[0].shape
    return None if shape.rank is None else shape.as_list()
