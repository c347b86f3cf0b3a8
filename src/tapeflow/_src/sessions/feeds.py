"""Feeds of a session: arrays for tensors of the graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import string
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.eager.conversion import encode_strings
from tapeflow._src.graph.graph import Graph
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.sessions.values import parts_fed, parts_of


def fed_arrays(graph: Graph, feed_dict: Any) -> list[tuple[SymbolicTensor, np.ndarray]]:
    """Return the tensors that are fed, and the arrays for them."""
    if feed_dict is None:
        return []
    if not hasattr(feed_dict, "items"):
        raise TypeError(f"feed_dict must be a dictionary, got {type(feed_dict).__name__}.")
    arrays = []
    for key, value in feed_dict.items():
        key = key.deref() if hasattr(key, "deref") else key
        parts = parts_of(key)
        pairs = [(key, value)] if parts is None else zip(parts, parts_fed(key, value), strict=True)
        arrays += [_fed(graph, tensor, fed_value) for tensor, fed_value in pairs]
    return arrays


def _fed(graph: Graph, key: Any, value: Any) -> tuple[SymbolicTensor, np.ndarray]:
    try:
        tensor = graph.as_graph_element(key, allow_operation=False)
    except (TypeError, ValueError, KeyError) as error:
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {error}") from None
    if not graph.is_feedable(tensor):
        raise ValueError(f"Tensor {tensor.name} may not be fed.")
    if isinstance(value, Tensor):
        raise TypeError(
            f"feed_dict: the value for {tensor!r} is the tensor {value!r}; feed a NumPy array or "
            "Python numbers, such as the result of session.run."
        )
    array = _converted(tensor, value)
    if not tensor.shape.is_compatible_with(array.shape):
        raise ValueError(
            f"Cannot feed shape {array.shape} to Tensor {tensor.name} of shape {tensor.shape}"
        )
    return tensor._origin, array


def _converted(tensor: SymbolicTensor, value: Any) -> np.ndarray:
    """Return `value` as an array of the tensor's dtype."""
    if type(value) is int and tensor.dtype.is_integer:
        limits = np.iinfo(tensor.dtype.np)
        if not limits.min <= value <= limits.max:
            raise TypeError(
                f"feed_dict: {value} does not fit into {tensor.dtype.name}, the dtype of "
                f"{tensor.name}: use a placeholder of a larger dtype, such as int64."
            )
    if tensor.dtype is string:
        return encode_strings(np.asarray(value, object))
    return np.asarray(value, tensor.dtype.np)
