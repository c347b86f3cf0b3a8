"""Evaluate tensors: eagerly, or by the default session."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import default_session, nest
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.eager.variable import Variable
from tapeflow._src.graph.tensor import tracing
from tapeflow._src.sessions.values import pack_composite, parts_of


def evaluate(tensors: Any) -> Any:
    """Evaluate a structure of tensors to NumPy arrays."""
    if tracing():
        session = default_session.current()
        if session is None:
            raise ValueError("evaluate() in a graph needs a session: use `with self.session():`.")
        return session.run(tensors)
    return nest.map_structure(value_of, tensors)


def value_of(tensor: TensorLike) -> Any:
    """Return the value of an eager tensor, or of a composite."""
    if tensor is None:
        return None
    if isinstance(tensor, (EagerTensor, Variable)):
        return tensor.numpy()
    parts = parts_of(tensor)
    if parts is not None:
        return pack_composite(tensor, [value_of(part) for part in parts])
    if callable(tensor):
        return nest.map_structure(value_of, tensor())
    if hasattr(tensor, "numpy"):
        return tensor.numpy()
    raise ValueError(f"Unsupported type {type(tensor).__name__!r}.")


def is_tensor(value: Any) -> bool:
    """Whether `value` has to be evaluated."""
    return isinstance(value, (Tensor, Variable)) or parts_of(value) is not None
