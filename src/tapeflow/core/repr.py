"""The text of tensors and variables."""

from __future__ import annotations

from typing import Any


def tensor_repr(array: Any, dtype_name: str, shape: Any) -> str:
    text = repr(array[()] if array.ndim == 0 else array)
    sep = "\n" if "\n" in text else ""
    return f"<tf.Tensor: shape={tuple(shape)}, dtype={dtype_name}, numpy={sep}{text}>"


def tensor_str(array: Any, dtype_name: str, shape: Any) -> str:
    return f"tf.Tensor({array}, shape={tuple(shape)}, dtype={dtype_name})"


def variable_repr(name: str, shape: Any, dtype_name: str, array: Any) -> str:
    return f"<tf.Variable '{name}' shape={shape} dtype={dtype_name}, numpy={array!r}>"
