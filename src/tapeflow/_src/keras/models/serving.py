"""How a model is called by the signatures of a SavedModel."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.scopes import calls


def specs_of(shape: Any, dtype: Any) -> Any:
    """The specs of batches of any size with a shape, or with a structure of shapes."""
    if isinstance(shape, dict):
        return {key: specs_of(each, dtype) for key, each in shape.items()}
    if not isinstance(shape, (tuple, list)) or not shape:
        return None
    if isinstance(shape[0], (tuple, list, dict)):
        return type(shape)(specs_of(each, dtype) for each in shape)
    return tf.TensorSpec((None, *shape[1:]), dtype)


def called(model: Any, inputs: Any) -> Any:
    """Trace the model's call as a graph for a file."""
    return called_with(model, inputs)


def called_with(model: Any, *args: Any) -> Any:
    """Trace the model's call with several arguments as a graph for a file."""
    before, calls.portable = calls.portable, True
    try:
        return model(*args)
    finally:
        calls.portable = before
