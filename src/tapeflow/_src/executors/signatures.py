"""Signatures: which calls need executables of their own."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import resource as resource_dtype
from tapeflow._src.core.dtypes import variant as variant_dtype
from tapeflow._src.core.resource import Cell
from tapeflow._src.core.tensor_list import TensorList
from tapeflow._src.graph.body import Body


def signature(arrays: Sequence[Any]) -> Hashable:
    """Return the shapes and dtypes, and which variables are aliases.

    None if there is a value that compiled code does not take.
    """
    parts: list[Any] = []
    seen: dict[int, int] = {}
    for array in arrays:
        if type(array) is np.ndarray:
            if array.dtype.kind in "OSU":
                return None
            parts.append((array.shape, array.dtype))
        elif isinstance(array, Cell):
            buffer = array.device_value()
            if buffer is None:
                return None
            alias = seen.setdefault(id(array), len(seen))
            parts.append((alias, buffer.shape, buffer.dtype))
        elif type(array) is TensorList and _is_regular(array):
            parts.append(list_form(array))
        else:
            return None
    return tuple(parts)


def samples(arrays: Sequence[Any]) -> list[Any]:
    """Return values with the signature of `arrays` that do not keep their memory alive."""
    return [
        np.broadcast_to(np.zeros((), a.dtype), a.shape) if type(a) is np.ndarray else a
        for a in arrays
    ]


def list_form(items: TensorList) -> tuple[int, Any, Any]:
    """Return length, element shape (None if unknown) and dtype of a list."""
    dims = items.element_shape
    for item in items.items().values():
        dims = item.shape
        break
    static_dims = None if dims is None or None in dims else dims
    return items.length, static_dims, items.value_dtype.np


def _is_regular(tensor_list: TensorList) -> bool:
    """Whether the elements are numbers of one shape."""
    items = list(tensor_list.items().values())
    if tensor_list.value_dtype.np.kind in "OSU" or tensor_list.value_dtype is variant_dtype:
        return False
    return all(item.shape == items[0].shape for item in items)


def has_fixed_signature(body: Body) -> bool:
    """Whether all calls have one signature: static input shapes, and only captured variables."""
    for tensor in body.inputs:
        dims = tensor.static_shape
        if tensor.dtype is resource_dtype:
            dims = tensor.static_value.shape if isinstance(tensor.static_value, Cell) else None
        if dims is None or None in dims or tensor.dtype is variant_dtype:
            return False
    return True
